import { fork } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { emptyDirectory } from "../../cli/run.js";
import { bundleOf } from "../../program-names.js";

const DAY_MS = 86_400_000;
const ADDRESS = "127.0.0.77";
const AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0 Marked/7f3a9c";
const OTHER = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:131.0) Gecko/20100101 Firefox/131.0";
/** What must be nowhere, once the salt is gone. */
const MARKS = [ADDRESS, "Marked/7f3a9c"];

/** Sends from an address of this machine, as any browser there would. */
async function send(port: number, from: string, userAgent: string, events: readonly object[]): Promise<number> {
  const body = JSON.stringify({ key: "pk_site", events });
  const headers = { "user-agent": userAgent, origin: "https://site.example", "content-type": "text/plain", "content-length": Buffer.byteLength(body) };
  const sent = request({ port, host: "127.0.0.1", localAddress: from, method: "POST", path: "/v1/collect", headers, agent: false });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [{ statusCode: number; resume(): void }];
  response.resume();
  return response.statusCode;
}

async function marksIn(path: string): Promise<string[]> {
  const found = new Set<string>();
  let rest = "";
  for await (const chunk of createReadStream(path, { encoding: "latin1" })) {
    const text = rest + String(chunk);
    for (const mark of MARKS) if (text.includes(mark)) found.add(mark);
    rest = text.slice(-64);
  }
  return MARKS.filter((mark) => found.has(mark));
}

test("Once the salt is gone, address and user agent of a visitor are nowhere: not in files, logs or metrics, nor in memory.", async () => {
  const directory = await emptyDirectory();
  const store = join(directory, "store");
  const child = fork(join(inject("programs"), `${bundleOf("test/http/collect/forgetful-server.ts")}.mjs`), [store], { stdio: ["ignore", "pipe", "pipe", "ipc"] });
  // Also where something is not as expected.
  onTestFinished(() => void child.kill("SIGKILL"));
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text: string) => (log += text));
  const ended = once(child, "exit");
  const ask = async (message: object) => {
    child.send(message);
    await once(child, "message");
  };
  const [port] = (await once(child, "message")) as [number];
  const dump = join(directory, "memory.heapsnapshot");

  expect(await send(port, ADDRESS, AGENT, [{ url: "https://site.example/a" }])).toBe(204);
  expect(await send(port, ADDRESS, AGENT, [{ name: "" }])).toBe(400);
  expect([await send(port, ADDRESS, AGENT, [{}, {}, {}, {}]), await send(port, ADDRESS, AGENT, [{}])]).toEqual([429, 204]);
  await ask({ snapshot: dump });
  // The search finds what is there: today it is, for rates and for what the user agent told.
  expect(await marksIn(dump)).toEqual(MARKS);

  for (const days of [1, 2]) {
    await ask({ nowMs: Date.parse("2026-03-10T12:00:00.000Z") + days * DAY_MS });
    for (let count = 0; count < 5; count += 1) expect(await send(port, "127.0.0.1", OTHER, [{ url: "https://site.example/b" }])).toBe(204);
  }
  await ask({ snapshot: dump });
  expect(await marksIn(dump)).toEqual([]);
  const metrics = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: "Bearer sk_owner_0123456789abcdefgh" } });
  const told = await metrics.text();
  child.send({ end: true });
  await ended;
  expect(told).toContain('daybook_collected_events_total{outcome="stored"} 12');
  expect(log).toContain("/v1/collect");
  for (const mark of MARKS) expect([mark, log.includes(mark), told.includes(mark)]).toEqual([mark, false, false]);
  const files = (await readdir(store, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(3);
  for (const { parentPath, name } of files) {
    const text = (await readFile(join(parentPath, name))).toString("latin1");
    expect([name, MARKS.filter((mark) => text.includes(mark))]).toEqual([name, []]);
  }
});
