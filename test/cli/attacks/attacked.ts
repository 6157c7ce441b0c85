import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Connection } from "../../../bench/load/connection.js";
import { quantile } from "../../../bench/load/load.js";
import { requestOf } from "../../../bench/load/batch.js";
import { generateTraffic } from "../../../src/testing/index.js";
import { emptyDirectory, startProgram } from "../run.js";

export const TOKEN = "sk_attacked_0123456789abcdef";
export const WRITER = "sk_writer_0123456789abcdef";
export const VIEWER = "sk_viewer_0123456789abcdef";
export const PAGE_KEY = "pk_attacked_0123456789abcdef";

export const WAYS = [["with a thread for sockets", []], ["with one thread", ["--one-thread"]]] as const;

/** Memory may grow to this multiple of what a server has before. */
const RESIDENT_RATIO = 1.5;

/** Events that the server has before: with none it has little memory, and what one body may use is a multiple of it. */
const STORED_COUNT = Number(process.env["DAYBOOK_STORED_EVENTS"] ?? 0);
const EVENTS_PER_REQUEST = 5_000;

/** A server that is to be attacked. */
export interface Attacked {
  readonly port: number;
  residentBytes(): number;
}

/** @param flags for node itself */
export async function attacked(options: readonly string[], flags: readonly string[] = []): Promise<Attacked> {
  const directory = await emptyDirectory();
  const tokens = join(directory, "tokens-of-test.json");
  const entries = [
    { token: TOKEN, role: "owner", scopes: ["*"] },
    { token: WRITER, role: "viewer", scopes: ["events:write"], project: "shop" },
    { token: VIEWER, role: "viewer", scopes: ["analytics:read", "events:read"] },
    { token: PAGE_KEY, project: "shop", public: { origins: ["*"] } },
  ];
  await writeFile(tokens, JSON.stringify(entries));
  const server = startProgram("src/cli/main.ts", ["serve", "--data", join(directory, "data"), "--port", "0", "--tokens", tokens, ...options], { flags });
  const [, portText] = await server.said(/^daybook listening on http:\/\/\S+:(\d+)$/m);
  const pid = server.child.pid ?? 0;
  await storeTraffic(Number(portText));
  return { port: Number(portText), residentBytes: () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024 };
}

async function storeTraffic(port: number): Promise<void> {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  let batch: object[] = [];
  let count = 0;
  for (const event of generateTraffic({ seed: 1, eventCount: STORED_COUNT })) {
    batch.push(event);
    count += 1;
    if (batch.length < EVENTS_PER_REQUEST && count < STORED_COUNT) continue;
    const answer = await fetch(`http://127.0.0.1:${port}/v1/events`, { method: "POST", headers, body: JSON.stringify(batch) });
    if (answer.status !== 200) throw new Error(`the server did not store its first events: ${answer.status} ${await answer.text()}`);
    batch = [];
  }
}

/** What others met meanwhile. */
export interface Met {
  /** Of each answer the status, or "none". */
  readonly health: readonly (number | "none")[];
  readonly counted: readonly (number | "none")[];
  readonly stored: readonly (number | "none")[];
  /** Whether the process held much more memory than before. */
  readonly isMuchMore: boolean;
}

const HEALTH = Buffer.from("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
const COUNT = requestOf("POST", "/analytics/count-events", TOKEN, "{}");
const STORE = requestOf("POST", "/v1/events", TOKEN, JSON.stringify([{ name: "probe" }]));

/**
 * Asks for health, a count and an ingest, each on a connection of its own, again and again while something goes on; and looks at the memory.
 * @param moreBytes by which the memory of a server without events may grow
 */
export async function whileOthersAsk({ port, residentBytes }: Attacked, moreBytes: number, act: () => Promise<void>): Promise<Met> {
  const before = residentBytes();
  let most = before;
  let isOver = false;
  const probe = async (request: Buffer) => {
    const statuses: (number | "none")[] = [];
    const latenciesMs: number[] = [];
    while (!isOver) {
      const startedMs = performance.now();
      const asked = await Connection.open(port);
      const answer = await asked.send(request);
      asked.close();
      latenciesMs.push(performance.now() - startedMs);
      statuses.push(answer?.status ?? "none");
      most = Math.max(most, residentBytes());
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { statuses, p99Ms: Math.round(quantile(latenciesMs, 0.99)) };
  };
  const probes = [HEALTH, COUNT, STORE].map(probe);
  try {
    await act();
  } finally {
    isOver = true;
  }
  const [health, counted, stored] = await Promise.all(probes);
  const mib = (bytes: number) => Math.round(bytes / 2 ** 20);
  const figures = { residentMib: [mib(before), mib(most)], healthP99Ms: health?.p99Ms, countP99Ms: counted?.p99Ms, storeP99Ms: stored?.p99Ms };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  return { health: health?.statuses ?? [], counted: counted?.statuses ?? [], stored: stored?.statuses ?? [], isMuchMore: most > Math.max(RESIDENT_RATIO * before, before + moreBytes) };
}
