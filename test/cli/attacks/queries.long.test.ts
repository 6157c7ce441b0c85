import { expect, test } from "vitest";
import { DAY_COUNT, FIRST_MS, hostileBatches } from "../../../bench/holds/hostile-events.js";
import { attacked, TOKEN, VIEWER, WAYS, whileOthersAsk, type Attacked } from "./attacked.js";

const MIB = 2 ** 20;
/** So many urls, referrers, people and values of metadata, of which each event has its own. */
const EVENT_COUNT = Number(process.env["DAYBOOK_HOSTILE_EVENTS"] ?? 100_000);
/** What a query may use, and as much garbage that is not collected yet. */
const MORE_BYTES = 512 * MIB;
/** A query that takes longer lets each of the others have answers meanwhile. */
const LONG_MS = 1_000;
const ANSWERS_MEANWHILE = 5;

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const range = { startDate: dayOf(FIRST_MS), endDate: dayOf(FIRST_MS + (DAY_COUNT - 1) * 86_400_000) };
const expressions = Array.from({ length: 10 }, (_, group) => ({
  filters: Array.from({ length: 10 }, (__, at) => ({ fieldName: "url", operator: "not_regex", value: `[a-z]+[${at}-9]{2,5}[^/]*${group}${at}$` })),
}));

/** The longest queries that a viewer's token found in a store of a million urls. */
const QUERIES: Readonly<Record<string, { readonly path: string; readonly input: object; readonly statuses: readonly number[] }>> = {
  "A trend by url": { path: "trend", input: { ...range, breakdown: { fields: ["url"] } }, statuses: [200] },
  "A trend by two fields": { path: "trend", input: { ...range, breakdown: { fields: ["url", "referrer"] }, measure: { type: "unique_users" } }, statuses: [200] },
  "Retention by url": { path: "retention", input: { ...range, interval: "week", breakdown: { fields: ["url"] } }, statuses: [200] },
  "Sessions by two fields": { path: "sessionsOverview", input: { ...range, breakdown: { fields: ["url", "metadata.trace"] }, interval: "day" }, statuses: [200] },
  "The overview of the web": { path: "webOverview", input: { ...range, limit: 1_000, interval: "day" }, statuses: [200] },
  "Unique users of each url": { path: "aggregate", input: { ...range, field: "url", measure: "unique_users" }, statuses: [200] },
  "A hundred regular expressions": { path: "countEvents", input: { ...range, filterGroups: expressions }, statuses: [200] },
  "A regular expression of many steps": { path: "countEvents", input: { filterGroups: [{ filters: [{ fieldName: "url", operator: "regex", value: "(((a{1,9}){1,9}){1,9}){1,9}".repeat(18) }] }] }, statuses: [400] },
};

async function asked(server: Attacked, token: string, path: string, body: unknown): Promise<{ readonly status: number; readonly byteLength: number }> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answer.status, byteLength: (await answer.arrayBuffer()).byteLength };
}

test.each(WAYS)("Others are answered while the worst queries about a store are, in which each event has values of its own, %s.", async (_, options) => {
  const server = await attacked(options);
  for (const batch of hostileBatches(EVENT_COUNT)) expect((await asked(server, TOKEN, "/v1/events", batch)).status).toBe(200);
  for (const [name, { path, input, statuses }] of Object.entries(QUERIES)) {
    const startedMs = performance.now();
    let tookMs = 0;
    const met = await whileOthersAsk(server, MORE_BYTES, async () => {
      const { status, byteLength } = await asked(server, VIEWER, `/v1/query/${path}`, input);
      tookMs = performance.now() - startedMs;
      process.stdout.write(`${JSON.stringify({ name, status, byteLength, tookMs: Math.round(tookMs) })}\n`);
      expect(statuses, name).toContain(status);
    });
    const isLong = tookMs > LONG_MS;
    expect([...new Set(met.health)], name).toEqual([200]);
    for (const answers of [met.health, met.counted, met.stored]) {
      // Where the machine is busy, some are told to come again.
      expect(answers.filter((status) => status !== 200 && status !== 503), name).toEqual([]);
      if (isLong) expect(answers.filter((status) => status === 200).length, name).toBeGreaterThanOrEqual(ANSWERS_MEANWHILE);
    }
    expect(met.isMuchMore, name).toBe(false);
  }
});
