import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput, type RecordInput } from "daybook";
import { openClickHouse } from "daybook/clickhouse";
import { seededRandom } from "daybook/testing";
import { oracle } from "../support/index.js";
import { expect, test } from "vitest";
import type { History, HistoryItem } from "../support/oracle/history.js";
import { knownHistory } from "../support/random/known-history.js";
import { nowMs } from "../support/random/now.js";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { newDatabase } from "./kit.js";

/** As many histories as one database takes side by side, each with people of its own. */
const HISTORIES_AT_ONCE = 100;
const FIELDS = ["person.plan", "person.a", "person.a.b", "company.plan", "company.a"] as const;
const clock = fixedClock(nowMs);

/** What an item names is of one history. */
const IDS = ["id", "userId", "anonymousId", "companyId", "from", "to"];

function ofHistory(item: HistoryItem, name: string): HistoryItem {
  const named = <Of extends object>(of: Of): Of =>
    Object.fromEntries(Object.entries(of).map(([key, value]) => [key, IDS.includes(key) && value !== null && value !== undefined && value !== "" && key !== "id" ? `${name} ${String(value)}` : value])) as Of;
  if ("unlink" in item) return item;
  if ("identify" in item) return { identify: named(item.identify) };
  if ("group" in item) return { group: named(item.group) };
  if ("alias" in item) return { alias: named(item.alias) };
  return { ...named(item), name };
}

async function stored(daybook: Pick<Daybook, "ingest" | "ingestRecords">, history: History): Promise<void> {
  const [events, records]: [EventInput[], RecordInput[]] = [[], []];
  for (const item of history) {
    if ("identify" in item) records.push({ type: "identify", ...item.identify } as RecordInput);
    else if ("group" in item) records.push({ type: "group", ...item.group } as RecordInput);
    else if ("alias" in item) records.push({ type: "alias", ...item.alias } as RecordInput);
    else if ("unlink" in item) records.push({ type: "unlink", linkId: item.unlink } as RecordInput);
    else events.push(item);
  }
  await daybook.ingest(events);
  await daybook.ingestRecords(records);
}

test("Traits that are set once, counted and listed by several records at once are those of the embedded engine and of the oracle.", async () => {
  const count = caseCount(HISTORIES_AT_ONCE, 2_000);
  for (let from = 0; from < count; from += HISTORIES_AT_ONCE) {
    const names = Array.from({ length: Math.min(HISTORIES_AT_ONCE, count - from) }, (_, at) => `h${from + at}`);
    const histories = names.map((name, at) => knownHistory(seededRandom(baseSeed + from + at)).map((item) => ofHistory(item, name)));
    const { options, drop } = await newDatabase("one server", { clock });
    const [daybook, embedded] = [await openClickHouse(options), await openDaybook({ storage: memoryStorage(), clock })];
    for (const each of [daybook as unknown as Daybook, embedded]) await stored(each, histories.flat());
    for (const field of FIELDS) {
      const query = { interval: "total", breakdown: { fields: ["event_name", field], limit: 1_000 } } as const;
      const series = async (of: Pick<Daybook, "trend">) => (await of.trend(query)).series.map(({ values, total }) => `${values.join(" is ")}: ${total ?? 0}`).sort();
      const answer = await series(daybook);
      expect([from, field, answer]).toEqual([from, field, await series(embedded)]);
      // The oracle looks at one history after the other, and at some of them: it takes its time over many people.
      for (const at of [0, 1, 2, 3].filter((each) => each < names.length)) {
        const own = oracle(histories[at] ?? [], { nowMs } as never).trend(query as never).series.map(({ values, total }) => `${values.join(" is ")}: ${total ?? 0}`);
        expect([from, at, field, answer.filter((line) => line.startsWith(`${names[at] ?? ""} is `))]).toEqual([from, at, field, own.sort()]);
      }
    }
    await Promise.all([daybook.close(), embedded.close()]);
    await drop();
  }
}, 3_600_000);
