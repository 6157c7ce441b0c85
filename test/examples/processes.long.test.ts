import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer, get, request as httpRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { json } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { STATUS } from "../../src/http/answer/error-reply.js";
import { emptyDirectory, ROOT } from "../cli/run.js";
import { ask, eventsAfter, expectRoutes, served, startDaybook, startExample } from "./served.js";

/** What starts `node_modules/daybook/dist/cli.js` where the package is installed. */
const CLI = "node_modules/daybook/dist/cli.js";

test("worker-threads.ts: the store on a thread, queries by message, and a reader of the files beside it", async () => {
  const { code, stdout, stderr } = await (await startExample("worker-threads.ts", [await emptyDirectory()])).finished;
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.trim().split("\n")).toEqual([
    "stored: { accepted: 2, duplicates: 0, rejected: [], adjusted: [] }",
    "counted: 2",
    "refused: invalid_date",
    "a second writer: store_locked",
    "a reader opened before: 2 the writer: 3",
  ]);
});

describe("cluster.ts", () => {
  test("has one store for all its workers, replaces one that breaks, and stops in order", async () => {
    const directory = await emptyDirectory();
    const { url, program } = await served(await startExample("cluster.ts", [directory]));
    const pids = new Set<number>();
    const visit = async () => {
      // A connection of its own: connections, not requests, are dealt out.
      const [response] = (await once(get(`${url}/`, { agent: false }), "response")) as [IncomingMessage];
      const { pid, visits } = (await json(response)) as { pid: number; visits: number };
      pids.add(pid);
      return visits;
    };
    let stored = 0;
    while (pids.size < 2) expect(await visit()).toBe((stored += 1));
    const [first = 0] = pids;
    process.kill(first, "SIGKILL");
    // Not before: what is dealt to a worker as it breaks is never answered.
    await program.said(/(?:http:\S+\n){3}/);
    while (pids.size < 3) expect(await visit()).toBe((stored += 1));
    expect(await eventsAfter(program, "SIGTERM", directory)).toBe(stored);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});

describe("pm2/ecosystem.config.cjs", () => {
  const { apps } = createRequire(import.meta.url)("../../examples/pm2/ecosystem.config.cjs") as { apps: Record<string, string | number>[] };
  const [app] = apps;

  test("starts one process that ends by SIGINT within the time it gives, and that a second one waits for", async () => {
    expect(app).toMatchObject({ exec_mode: "fork", instances: 1, script: CLI });
    const directory = await emptyDirectory();
    const args = String(app?.["args"]).replace("./data", directory).replace("8787", "0").split(" ");
    const started = () => served(startDaybook(args));
    const { url, program } = await started();
    await expectRoutes(url);
    // What a reload in cluster mode would do: the new one before the old one has ended.
    const second = await startDaybook(args).finished;
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining(String(program.child.pid))]);
    const sentMs = performance.now();
    program.child.kill("SIGINT");
    expect((await program.finished).code).toBe(0);
    expect(performance.now() - sentMs).toBeLessThan(Number(app?.["kill_timeout"]));
    const again = await started();
    expect(await ask(`${again.url}/analytics/count-events`, {})).toMatchObject({ json: { data: 43 } });
  });
});

describe("docker/Dockerfile", () => {
  const instruction = (text: string, name: string) => new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1] ?? "";

  test("its command serves at its port from its volume, is healthy for its health check, and stops by its signal", async () => {
    const text = await readFile(`${ROOT}/examples/docker/Dockerfile`, "utf8");
    const [volume, port, signal] = ["VOLUME", "EXPOSE", "STOPSIGNAL"].map((name) => instruction(text, name));
    const command = JSON.parse(instruction(text, "CMD")) as string[];
    expect(command.slice(0, 2)).toEqual(["node", CLI]);
    expect(command.slice(command.indexOf("--port"), command.indexOf("--port") + 2)).toEqual(["--port", port]);
    expect([text.includes(`mkdir ${volume} && chown node:node ${volume}`), instruction(text, "USER")]).toEqual([true, "node"]);
    expect(text.indexOf("\nUSER")).toBeGreaterThan(text.indexOf("\nRUN mkdir"));

    const directory = await emptyDirectory();
    const args = command.slice(2).map((argument) => (argument === volume ? directory : argument === port ? "0" : argument));
    const program = startDaybook(args);
    const [, free = ""] = await program.said(/http:\/\/0\.0\.0\.0:(\d+)/);
    await expectRoutes(`http://127.0.0.1:${free}`);
    const [, ...check] = JSON.parse(instruction(text, "HEALTHCHECK CMD")) as string[];
    const health = async () => {
      const child = spawn(process.execPath, check.map((argument) => argument.replace(`:${port}`, `:${free}`)));
      return (await once(child, "close"))[0] as number;
    };
    expect(await health()).toBe(0);
    expect(await eventsAfter(program, signal as NodeJS.Signals, `${directory}/default`)).toBe(43);
    expect(await health()).toBe(1);
  });
});

describe("reverse-proxy/server.ts", () => {
  /** What nginx.conf says, by node. @param prefix taken off; empty: none */
  async function proxy(target: string, prefix: string): Promise<string> {
    const server = createServer((incoming, outgoing) => {
      if (incoming.url?.startsWith(`${prefix}/`) !== true) return void outgoing.writeHead(404).end();
      const address = String(incoming.headers["x-test-address"] ?? incoming.socket.remoteAddress);
      const headers = { ...incoming.headers, connection: "close", "x-real-ip": address };
      const passed = httpRequest(target + incoming.url.slice(prefix.length), { method: incoming.method ?? "GET", headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(passed.on("error", () => outgoing.destroy()));
    });
    onTestFinished(() => void server.close());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
  }

  test("answers below a prefix that the proxy takes off, at the root, and tells callers apart by the address that the proxy names", async () => {
    const directory = await emptyDirectory();
    const { url, program } = await served(await startExample("reverse-proxy/server.ts", [directory]));
    await expectRoutes(await proxy(url, "/stats"));
    const base = await proxy(url, "");
    await expectRoutes(base, 43);
    const guess = (from: string) => ask(`${base}/analytics/count-events`, {}, { authorization: "Bearer sk_guess_0123456789abcdefgh", "x-test-address": from, "x-real-ip": "9.9.9.9" });
    const statuses: number[] = [];
    for (let count = 0; count < 62; count += 1) statuses.push((await guess("1.1.1.1")).status);
    expect([statuses[0], statuses.at(-1), (await guess("2.2.2.2")).status]).toEqual([STATUS.invalid_token, STATUS.rate_limited, STATUS.invalid_token]);
    expect(await eventsAfter(program, "SIGTERM", directory)).toBe(86);
  });

  test("nginx.conf leaves room for the longest body, and time for the longest query, and names the address itself", async () => {
    const lines = await readFile(`${ROOT}/examples/reverse-proxy/nginx.conf`, "utf8");
    expect(lines).toMatch(/location \/stats\/ \{[^]*proxy_pass http:\/\/127\.0\.0\.1:8787\/;/);
    const { SERVER_LIMITS } = await import("../../src/core/base/server-limits.js");
    expect(Number(/client_max_body_size (\d+)m;/.exec(lines)?.[1]) * 2 ** 20).toBe(SERVER_LIMITS.writeBodyBytes);
    expect(Number(/proxy_read_timeout (\d+)s;/.exec(lines)?.[1]) * 1_000).toBeGreaterThan(SERVER_LIMITS.queryMs);
    expect(lines).toContain("proxy_set_header X-Real-IP $remote_addr;");
  });
});
