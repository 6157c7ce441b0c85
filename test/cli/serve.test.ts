import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { environmentTokens } from "../../src/cli/commands/serve.js";
import { tokenHash } from "../../src/http/index.js";
import { longTest } from "../long-test.js";
import { daybookHere } from "./run-here.js";
import { daybook, emptyDirectory, startProgram, type Running, type StartOptions } from "./run.js";

const TOKEN = "sk_test_0123456789abcdef";

async function serving(args: readonly string[], options: StartOptions = {}): Promise<{ server: Running; url: string }> {
  const server = startProgram("src/cli/main.ts", ["serve", "--port", "0", ...args], options);
  const [, url = ""] = await server.said(/^daybook listening on (http:\/\/\S+)$/m);
  return { server, url };
}

function post(url: string, token: string, body: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

const EVENTS = { events: [{ name: "a", userId: "1", createdAt: "2026-03-01T00:00:00Z" }, { name: "b", userId: "2", createdAt: "2026-03-02T00:00:00Z" }] };

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe("daybook serve", () => {
  test("stores and answers for the token of the environment, and keeps everything over a stop by SIGTERM", async () => {
    const directory = await emptyDirectory();
    const first = await serving(["--data", directory, "--quiet", "--frame-ancestors", "https://app.example, 'self'"], { env: { DAYBOOK_TOKEN: TOKEN } });
    expect((await fetch(first.url)).headers.get("content-security-policy")).toContain("frame-ancestors https://app.example 'self'");
    expect(await (await fetch(`${first.url}/embed.js`)).text()).toContain("daybook-board");
    expect(first.server.stdout).not.toContain("token");
    expect(await (await post(`${first.url}/v1/events`, TOKEN, EVENTS)).json()).toEqual({ accepted: 2, duplicates: 0, rejected: [], adjusted: [] });
    first.server.child.kill("SIGTERM");
    expect(await first.server.finished).toMatchObject({ code: 0, signal: null, stderr: "" });

    const second = await serving(["--data", directory], { env: { DAYBOOK_TOKEN: TOKEN } });
    expect(await (await post(`${second.url}/analytics/count-events`, TOKEN, {})).json()).toEqual({ status: "OK", data: 2 });
    second.server.child.kill("SIGINT");
    expect((await second.server.finished).code).toBe(0);
  });

  longTest("a request in flight is answered before a stop", async () => {
    const { server, url } = await serving(["--memory"], { env: { DAYBOOK_TOKEN: TOKEN } });
    let send = (_: string): void => undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const encoder = new TextEncoder();
        controller.enqueue(encoder.encode('{"events":['));
        send = (rest) => {
          controller.enqueue(encoder.encode(rest));
          controller.close();
        };
      },
    });
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const slow = fetch(`${url}/v1/events`, { method: "POST", headers, body, duplex: "half" } as RequestInit);
    await new Promise((resolve) => setTimeout(resolve, 300));
    server.child.kill("SIGTERM");
    await until(() => fetch(`${url}/healthz`).then(() => false, () => true));
    send(`${JSON.stringify(EVENTS.events[0])}]}`);
    expect(await (await slow).json()).toMatchObject({ accepted: 1 });
    expect((await server.finished).code).toBe(0);
  });

  longTest("with no token anywhere one owner token is made, shown once, and valid after a restart", async () => {
    const directory = await emptyDirectory();
    // A public key opens nothing: with it alone nobody could come in.
    const key = await daybook(["token", "create", "--public", "--data", directory, "--project", "shop", "--origins", "https://shop.example"]);
    expect(key.stdout).toMatch(/^pk_[0-9a-f]{48}\n$/);
    const first = await serving(["--data", directory]);
    expect(first.server.stdout).toMatch(/^page: http:\/\/\S+\/#token=sk_\S+$/m);
    const [, value = ""] = /owner token, shown only once: (sk_\S+)/.exec(first.server.stdout) ?? [];
    expect((await post(`${first.url}/analytics/count-events`, value, {})).status).toBe(200);
    first.server.child.kill("SIGTERM");
    await first.server.finished;
    const second = await serving(["--data", directory]);
    expect(second.server.stdout).not.toContain("sk_");
    expect((await post(`${second.url}/analytics/count-events`, value, {})).status).toBe(200);
  });

  longTest("tokens made and revoked beside it count within a second, also for a new organization", async () => {
    const directory = await emptyDirectory();
    const { url } = await serving(["--data", directory], { env: { DAYBOOK_TOKEN: TOKEN } });
    const created = await daybook(["token", "create", "--data", directory, "--role", "owner", "--scopes", "*", "--organization", "acme"]);
    const value = created.stdout.trim();
    const status = async () => (await post(`${url}/analytics/count-events`, value, {})).status;
    await until(async () => (await status()) === 200);
    expect(await (await post(`${url}/v1/events`, value, EVENTS)).json()).toMatchObject({ accepted: 2 });
    expect(await (await post(`${url}/analytics/count-events`, TOKEN, {})).json()).toEqual({ status: "OK", data: 0 });
    const [, id = ""] = /^(tok_\S+)/m.exec((await daybook(["token", "list", "--data", directory])).stdout) ?? [];
    await daybook(["token", "revoke", "--data", directory, id]);
    await until(async () => (await status()) === 401);
  });

  longTest("tokens come from a file, and a file that is wrong is named", async () => {
    const directory = await emptyDirectory();
    const path = join(directory, "list.json");
    await writeFile(path, JSON.stringify([{ token: TOKEN, role: "viewer", scopes: ["analytics:read"], organization: "acme" }]));
    const { url } = await serving(["--memory", "--tokens", path]);
    expect((await post(`${url}/analytics/count-events`, TOKEN, {})).status).toBe(200);
    expect((await post(`${url}/v1/events`, TOKEN, EVENTS)).status).toBe(403);
    await writeFile(path, JSON.stringify([{ token: "pk_secret", role: "viewer", scopes: [] }]));
    const wrong = await daybook(["serve", "--memory", "--port", "0", "--tokens", path]);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(new RegExp(`^daybook serve: ${path}: .*sk_.*\n$`));
    expect(wrong.stderr).not.toContain("pk_secret");
  });

  longTest("a second writer fails at once, readers work beside it", async () => {
    const directory = await emptyDirectory();
    const { url } = await serving(["--data", directory], { env: { DAYBOOK_TOKEN: TOKEN } });
    await post(`${url}/v1/events`, TOKEN, EVENTS);
    const second = await daybook(["serve", "--data", directory, "--port", "0"], { env: { DAYBOOK_TOKEN: TOKEN } });
    expect([second.code, second.stdout]).toEqual([1, ""]);
    expect(second.stderr).toMatch(/^daybook serve: The store is open in process \d+.*\n$/);
    const stats = await daybook(["stats", "--data", directory]);
    expect(stats.stdout).toMatch(/^default +2 /m);
    const exported = await daybook(["export", "--data", directory]);
    expect(exported.stdout.trim().split("\n")).toHaveLength(2);
  });

  longTest("a port in use and a bad token in the environment are failures that say so", async () => {
    const { url } = await serving(["--memory"], { env: { DAYBOOK_TOKEN: TOKEN } });
    const { port } = new URL(url);
    const taken = await daybook(["serve", "--memory", "--port", port], { env: { DAYBOOK_TOKEN: TOKEN } });
    expect([taken.code, taken.stderr]).toEqual([1, `daybook serve: port ${port} on 127.0.0.1 is in use: choose another one with --port (0 = any free port)\n`]);
    const bad = await daybook(["serve", "--memory", "--port", "0"], { env: { DAYBOOK_TOKEN: "hunter2" } });
    expect(bad.code).toBe(2);
    expect(bad.stderr).toMatch(/^daybook serve: DAYBOOK_TOKEN: expected a value that starts with sk_/);
    expect(bad.stderr).not.toContain("hunter2");
  });

  test.each(["serve", "demo"])("%s refuses a DAYBOOK_TOKEN that can be guessed, before it opens anything, unless told otherwise", async (name) => {
    const short = "sk_0123456789abcdefgh";
    vi.stubEnv("DAYBOOK_TOKEN", short);
    onTestFinished(() => void vi.unstubAllEnvs());
    const directory = join(await emptyDirectory(), "data");
    const { code, stderr } = await daybookHere([name, "--data", directory]);
    expect([code, stderr]).toEqual([
      2,
      `daybook ${name}: DAYBOOK_TOKEN: expected at least 22 characters, got 21: shorter tokens can be guessed; serve --insecure-token accepts it (see daybook ${name} --help)\n`,
    ]);
    await expect(stat(directory)).rejects.toMatchObject({ code: "ENOENT" });
    expect(environmentTokens(true)).toMatchObject([{ sha256: tokenHash(short), role: "owner" }]);
    vi.stubEnv("DAYBOOK_TOKEN", `${short}i`);
    expect(environmentTokens(false)).toHaveLength(1);
  });

  test("a token file with a token that can be guessed is refused, by its place, and so is one that becomes one while it is served", async () => {
    const path = join(await emptyDirectory(), "tokens.json");
    const write = (token: string) => writeFile(path, JSON.stringify([{ token: TOKEN, role: "owner", scopes: ["*"] }, { token, role: "owner", scopes: ["*"] }]));
    const reason = `${path}: tokens[1].token: expected at least 22 characters, got 8: shorter tokens can be guessed; serve --insecure-token accepts it`;
    await write("sk_short");
    expect(await daybookHere(["serve", "--memory", "--tokens", path])).toMatchObject({ code: 1, stderr: `daybook serve: ${reason}\n` });
    // It is listed, so that it can be revoked.
    const listed = await daybookHere(["token", "list", "--tokens", path]);
    expect([listed.code, listed.stderr]).toEqual([0, ""]);
    const [, , short = ""] = listed.stdout.trim().split("\n").map((line) => line.split(/\s+/)[0] ?? "");
    expect(await daybookHere(["token", "revoke", short, "--tokens", path])).toMatchObject({ code: 0 });
    await write(`${TOKEN}_2`);
    const { server, url } = await serving(["--memory", "--tokens", path]);
    await write("sk_short");
    await vi.waitFor(() => expect(server.stderr).toContain(`tokens not reloaded: ${reason}`), { timeout: 10_000 });
    expect((await post(`${url}/analytics/count-events`, "sk_short", {})).status).toBe(401);
    expect((await post(`${url}/analytics/count-events`, TOKEN, {})).status).toBe(200);
  });

  test("takes short tokens, of the environment and of a file, with --insecure-token", async () => {
    const path = join(await emptyDirectory(), "tokens.json");
    await writeFile(path, JSON.stringify([{ token: "sk_1", role: "owner", scopes: ["*"] }]));
    const { url } = await serving(["--memory", "--insecure-token", "--tokens", path], { env: { DAYBOOK_TOKEN: "sk_short" } });
    for (const token of ["sk_short", "sk_1"]) expect((await post(`${url}/analytics/count-events`, token, {})).status).toBe(200);
  });
});
