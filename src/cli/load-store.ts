import { toHex, Sha256, sha256 } from "../core/base/hash.js";
import type { LoadedParts } from "../clickhouse/tables/migrate.js";
import type { ClickHouseDaybook } from "../clickhouse/stored-daybook.js";
import type { Daybook } from "../engine/daybook.js";
import type { IngestResult } from "../core/schema/event.js";
import { count, plural, table } from "./print/format.js";

/** Limits of one block, which one insert sends. Two blocks are in memory at a time. */
const BLOCK_ROWS = 50_000;
const BLOCK_CHARS = 64 * 1024 * 1024;
/** Estimated size of a row without its metadata or traits. */
const ROW_CHARS = 500;
/** Name of the part that holds the records; other parts are named by their day. */
const RECORDS = "records";

interface StoreLoad {
  /** Of the rows that this run sent. */
  accepted: number;
  duplicates: number;
  records: number;
  /** Days that this run sent; `unchangedDays` counts unchanged days of earlier runs. */
  days: number;
  unchangedDays: number;
}

interface StoreLoadOptions {
  /** Whether to also send what earlier runs loaded. */
  readonly reloadAll: boolean;
  /** First and last day, as dates; null: unbounded. Other days are skipped. */
  readonly from: string | null;
  readonly to: string | null;
  /** Called after each block with the events sent so far. */
  readonly onProgress: (eventCount: number) => void;
}

/**
 * Loads a store in parts: the identity records, then the events of each day. Each part is followed by a marker with its digest. An interrupted run
 * resumes at the first part without a marker; events of that part that are already stored count as duplicates.
 */
export async function loadStore(source: Daybook, target: ClickHouseDaybook, parts: LoadedParts, options: StoreLoadOptions): Promise<StoreLoad> {
  const totals: StoreLoad = { accepted: 0, duplicates: 0, records: 0, days: 0, unchangedDays: 0 };
  const markers = options.reloadAll ? new Map<string, string>() : await parts.known();
  const recordsDigest = await digestOf(source);
  if (markers.get(RECORDS) !== recordsDigest) {
    await inBlocks(source.exportRecords(), async (records) => {
      requireStored(await target.ingestRecords(records));
      totals.records += records.length;
    });
    await parts.add(RECORDS, recordsDigest);
  }
  for (const [day, counts] of await daysOf(source)) {
    if (day < (options.from ?? day) || day > (options.to ?? day)) continue;
    const digest = digestOfText(JSON.stringify({ counts, ids: await sumOfIds(source, day) }));
    if (markers.get(day) === digest) {
      totals.unchangedDays += 1;
      continue;
    }
    await inBlocks(source.exportEvents({ startDate: day, endDate: day }), async (events) => {
      const { accepted, duplicates } = requireStored(await target.ingest(events));
      totals.accepted += accepted;
      totals.duplicates += duplicates;
      options.onProgress(totals.accepted + totals.duplicates);
    });
    await parts.add(day, digest);
    totals.days += 1;
  }
  return totals;
}

/** Fails if rows were rejected, so that their part gets no marker: the person was erased on ClickHouse only, or there is a defect. */
function requireStored(result: IngestResult): IngestResult {
  const [first] = result.rejected;
  if (first !== undefined) throw new Error(`ClickHouse rejected ${result.rejectedCount ?? result.rejected.length} of the stored rows: ${first.message}`);
  return result;
}

/** Sends items in blocks, and reads the next block while one is being sent. */
async function inBlocks<T>(items: AsyncIterable<T>, send: (block: readonly T[]) => Promise<void>): Promise<void> {
  let block: T[] = [];
  let charCount = 0;
  let sending: Promise<void> = Promise.resolve();
  const flush = async () => {
    await sending;
    sending = send(block);
    // The next await throws the error; until then it must not count as unhandled.
    sending.catch(() => undefined);
    block = [];
    charCount = 0;
  };
  for await (const item of items) {
    block.push(item);
    const { metadata, traits } = item as { readonly metadata?: unknown; readonly traits?: unknown };
    charCount += ROW_CHARS + (JSON.stringify(metadata ?? traits)?.length ?? 0);
    if (block.length === BLOCK_ROWS || charCount >= BLOCK_CHARS) await flush();
  }
  if (block.length > 0) await flush();
  await sending;
}

/** Event counts by project for each day, days ascending. */
async function daysOf(source: Daybook): Promise<ReadonlyMap<string, Readonly<Record<string, number>>>> {
  const days = new Map<string, Record<string, number>>();
  for (const project of source.projects()) {
    for (const { day, count } of await source.countEventsPerDay({ project })) {
      const date = day.slice(0, 10);
      days.set(date, { ...days.get(date), [project]: count });
    }
  }
  return new Map([...days].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The sum of the ids of a day's events, which does not depend on their order and changes when an event is replaced. Cost: reads every id. */
async function sumOfIds(source: Daybook, day: string): Promise<string> {
  const sums = new Uint32Array(4);
  for await (const batch of source.recordBatches({ columns: ["id"], startDate: day, endDate: day })) {
    for (const id of batch.getChild("id") ?? []) {
      const words = new DataView(id.buffer, id.byteOffset, id.byteLength);
      for (let at = 0; at < sums.length; at += 1) sums[at] = (sums[at] ?? 0) + words.getUint32(at * 4);
    }
  }
  return toHex(new Uint8Array(sums.buffer));
}

/** Markers are hashes, so that they contain no project name: they outlive deleted projects. */
function digestOfText(text: string): string {
  return toHex(sha256(new TextEncoder().encode(text)));
}

async function digestOf(source: Daybook): Promise<string> {
  const hash = new Sha256();
  const encoder = new TextEncoder();
  for await (const record of source.exportRecords()) hash.add(encoder.encode(`${JSON.stringify(record)}\n`));
  return toHex(hash.digest());
}

type ComparedDaybook = Pick<ClickHouseDaybook, "countEvents" | "countEventsPerDay" | "countUniqueUsers" | "ltvCohorts" | "currency">;

interface ComparedQuery {
  readonly label: string;
  run(daybook: ComparedDaybook): Promise<readonly [text: string, answer: unknown]>;
}

interface AnswerComparison {
  /** A table for a terminal. */
  readonly text: string;
  readonly differing: number;
}

/** Runs the same queries on both, and lists their answers side by side. Cost: reads all rows a few times. */
export async function compareAnswers(store: Daybook, other: ClickHouseDaybook): Promise<AnswerComparison> {
  const rows: string[][] = [["", "store", "ClickHouse", ""]];
  let differing = 0;
  for (const { label, run } of comparisonsOf(store.projects())) {
    const [[text, answer], [otherText, otherAnswer]] = [await run(store), await run(other)];
    const isSame = JSON.stringify(answer) === JSON.stringify(otherAnswer);
    differing += isSame ? 0 : 1;
    rows.push([label, text, otherText, isSame ? "" : "differs"]);
  }
  return { text: table(rows, "<>><"), differing };
}

function comparisonsOf(projects: readonly string[]): ComparedQuery[] {
  const shared: ComparedQuery[] = [
    { label: "events", run: async (daybook) => countAnswer(await daybook.countEvents()) },
    { label: "people", run: async (daybook) => countAnswer(await daybook.countUniqueUsers()) },
  ];
  return [...shared, ...projects.flatMap(comparisonsOfProject)];
}

function comparisonsOfProject(project: string): ComparedQuery[] {
  return [
    { label: `${project}: events per day`, run: async (daybook) => {
      const days = await daybook.countEventsPerDay({ project });
      return [`${count(days.reduce((sum, day) => sum + day.count, 0))} on ${plural(days.length, "day")}`, days];
    } },
    { label: `${project}: people`, run: async (daybook) => countAnswer(await daybook.countUniqueUsers({ project })) },
    { label: `${project}: revenue per cohort`, run: async (daybook) => {
      const answer = await daybook.ltvCohorts({ project, level: "identity" });
      const sum = answer.cohorts.reduce((revenue, cohort) => revenue + cohort.revenue, 0);
      return [`${sum.toLocaleString("en-US", { maximumFractionDigits: 2 })} ${answer.currency}`, answer];
    } },
  ];
}

function countAnswer(value: number): [string, number] {
  return [count(value), value];
}
