import { existsSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { fixedClock, openDaybook } from "daybook";
import { createHandler, memoryTokens, type WireReply } from "daybook/http";
import { fileStorage } from "daybook/node";
import { seededRandom } from "daybook/testing";
import { DAY_COUNT, FIRST_MS, hostileBatches } from "./hostile-events.js";
import { QUERY_NAMES, hostileQuery, type HostileQuery } from "./hostile-queries.js";
import { probe, type Probed } from "./probe.js";

const { values: options } = parseArgs({
  options: {
    store: { type: "string", default: "/tmp/daybook-hostile" },
    events: { type: "string", default: "1000000" },
    queries: { type: "string", default: "5000" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    profile: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    over: { type: "string", default: "50" },
  },
});
const MEBIBYTE = 2 ** 20;
const TOKEN = `sk_${"viewer".repeat(6)}`;
const overMs = Number(options.over);

interface MeasuredQuery extends Probed {
  readonly query: HostileQuery;
  readonly seed: number;
  readonly status: number;
  readonly tookMs: number;
}

if (!options.keep) rmSync(options.store, { recursive: true, force: true });
const isThere = existsSync(options.store);
const daybook = await openDaybook({ storage: fileStorage(options.store), clock: fixedClock(FIRST_MS + DAY_COUNT * 86_400_000), currency: "EUR", rates: () => 1.1 });
if (!isThere) for (const batch of hostileBatches(Number(options.events))) await daybook.ingest(batch);
const handler = createHandler({
  organizations: { default: daybook },
  tokens: memoryTokens([{ token: TOKEN, role: "owner", scopes: ["*"] }]),
  limits: { queryMs: 600_000 },
});

async function drained({ body }: WireReply): Promise<void> {
  if (body !== null && typeof body === "object" && "next" in body) while ((await body.next()) !== null);
}

async function run(query: HostileQuery): Promise<number> {
  const bytes = new TextEncoder().encode(JSON.stringify(query.input));
  const headers: Readonly<Record<string, string>> = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", "content-length": String(bytes.length) };
  const reply = await handler.answer({
    method: "POST",
    target: `/v1/query/${query.name}`,
    signal: new AbortController().signal,
    header: (name) => headers[name] ?? null,
    readBody: () => Promise.resolve(bytes),
  });
  await drained(reply);
  if (reply.status >= 500 || reply.status === 400) console.log(reply.status, query.name, JSON.stringify(query.input).slice(0, 300), String(reply.body).slice(0, 300));
  return reply.status;
}

const names = options.only?.split(",") ?? QUERY_NAMES;
const worst = new Map<string, MeasuredQuery>();
const all: MeasuredQuery[] = [];
for (let at = 0; at < Number(options.queries); at += 1) {
  const seed = Number(options.seed) * 1_000_000 + at;
  const query = hostileQuery(names[at % names.length] ?? "countEvents", seededRandom(seed));
  let status = 0;
  const startedMs = performance.now();
  const probed = await probe(async () => void (status = await run(query)), options.profile, overMs);
  const measured = { ...probed, query, seed, status, tookMs: performance.now() - startedMs };
  all.push(measured);
  if (measured.holdMs > overMs) {
    console.log(`${measured.holdMs.toFixed(0)} ms of ${measured.tookMs.toFixed(0)}, ${(measured.bytes / MEBIBYTE).toFixed(0)} MiB: ${query.name} ${JSON.stringify(query.input).slice(0, 400)}`);
    for (const culprit of measured.culprits) console.log(`    ${culprit}`);
  }
  if ((worst.get(query.name)?.holdMs ?? -1) < measured.holdMs) worst.set(query.name, measured);
}
console.log("\nreport: longest hold, its query's time and memory; queries over the bound; greatest memory");
for (const name of names) {
  const own = all.filter(({ query }) => query.name === name);
  const most = worst.get(name);
  if (most === undefined) continue;
  const [over, bytes] = [own.filter(({ holdMs }) => holdMs > overMs).length, Math.max(...own.map((measured) => measured.bytes))];
  console.log(`${name}: ${most.holdMs.toFixed(0)} ms (seed ${most.seed}, ${most.tookMs.toFixed(0)} ms); ${over} of ${own.length}; ${(bytes / MEBIBYTE).toFixed(0)} MiB; failed ${own.filter(({ status }) => status >= 400).length}`);
}
await daybook.close();
