import { build } from "esbuild";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { openDaybook } from "../../src/index.js";
import { fileStorage } from "../../src/platform/node/index.js";
import { emptyDirectory, ROOT, Running, startProgram } from "../cli/run.js";

/** Whatever the token of the examples is. */
export const TOKEN = "sk_of_the_examples_0123";

export interface Served {
  readonly url: string;
  readonly program: Running;
}

/** What is bundled has no `require` of its own. */
const REQUIRE = 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';
const SERVER = { PORT: "0", DAYBOOK_TOKEN: TOKEN };

/** Starts an example as one file of JavaScript: its threads and processes start faster than those of TypeScript. */
export async function startExample(path: string, args: readonly string[]): Promise<Running> {
  const outfile = join(await emptyDirectory(), "program.mjs");
  await build({
    entryPoints: [join(ROOT, "examples", path)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: { js: REQUIRE },
    logLevel: "error",
  });
  const child = spawn(process.execPath, [outfile, ...args], { env: { ...process.env, ...SERVER }, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return new Running(child);
}

/** Waits until a program says where it listens. */
export async function served(program: Running): Promise<Served> {
  const [url] = await program.said(/http:\/\/[\d.]+:\d+/);
  return { url, program };
}

/** Starts `daybook` with these arguments. */
export function startDaybook(args: readonly string[]): Running {
  return startProgram("src/cli/main.ts", args, { env: SERVER });
}

export interface Answer {
  readonly status: number;
  readonly json: unknown;
}

export async function ask(url: string, body?: unknown, headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` }): Promise<Answer> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(url, { ...init, headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers } });
  const text = await response.text();
  return { status: response.status, json: text.startsWith("{") ? JSON.parse(text) : text };
}

/** The routes of Daybook, below wherever they are: events stored, counted, refused. @param eventCount how many there are before */
export async function expectRoutes(base: string, eventCount = 0): Promise<void> {
  expect(await ask(`${base}/healthz`)).toEqual({ status: 200, json: { status: "ok" } });
  // More than body parsers take by themselves.
  const events = Array.from({ length: 3 }, (_, at) => ({ name: "page_view", userId: `u${at}`, metadata: { text: "x".repeat(30_000) } }));
  const long = [...events, ...Array.from({ length: 40 }, () => ({ name: "page_view", metadata: { text: "y".repeat(30_000) } }))];
  expect(await ask(`${base}/v1/events`, { events: long })).toMatchObject({ status: 200, json: { accepted: 43, duplicates: 0 } });
  expect(await ask(`${base}/analytics/count-events`, {})).toEqual({ status: 200, json: { status: "OK", data: 43 + eventCount } });
  expect(await ask(`${base}/analytics/count-events`, { start_date: "soon" })).toMatchObject({
    status: 400,
    json: { status: "ERROR", error: { code: "invalid_date", param: "start_date" } },
  });
  expect(await ask(`${base}/v1/events`, { events: [] }, {})).toMatchObject({ status: 401, json: { code: "missing_token" } });
  expect(await ask(`${base}/nowhere`)).toMatchObject({ status: 404, json: { code: "route_not_found" } });
  const described = await fetch(`${base}/openapi.json`);
  const { servers } = (await described.json()) as { servers: { url: string }[] };
  expect(new URL(servers[0]?.url ?? "", described.url).href).toBe(`${base}/`);
  const head = await fetch(`${base}/healthz`, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
}

/** Ends a program by a signal, as whatever runs it does, and counts the events that it leaves behind: it says nothing but its log of requests. */
export async function eventsAfter(program: Running, signal: NodeJS.Signals, directory: string): Promise<number> {
  program.child.kill(signal);
  const { code, stderr } = await program.finished;
  expect([code, stderr.split("\n").filter((line) => line !== "" && !line.startsWith("{\"time\":"))]).toEqual([0, []]);
  await using daybook = await openDaybook({ storage: fileStorage(directory), readOnly: true });
  return await daybook.countEvents();
}
