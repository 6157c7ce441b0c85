import { toHex, Sha256, sha256 } from "../core/base/hash.js";
import type { LoadedParts } from "../clickhouse/loaded-parts.js";
import type { ClickHouseDaybook } from "../clickhouse/clickhouse-daybook.js";
import type { Daybook } from "../engine/daybook.js";
import type { IngestResult } from "../core/schema/event.js";
import { count, plural, table } from "./print/format.js";

/** Bounds of one block: what one insert takes, or less where rows are long. Two blocks are in memory at a time. */
const BLOCK_ROWS = 50_000;
const BLOCK_CHARS = 64 * 1024 * 1024;
/** Estimated size of a row apart from its metadata or traits. */
const ROW_CHARS = 500;
const RECORDS = "records";

/** Counts of one load. */
export interface StoreLoad {
  /** Of the rows that this run sent. */
  accepted: number;
  duplicates: number;
  records: number;
  /** Days that this run sent; `daysBefore` counts unchanged days of earlier runs. */
  days: number;
  daysBefore: number;
}

export interface StoreLoadOptions {
  /** Whether to send what earlier runs loaded, too. */
  readonly isAgain: boolean;
  /** First and last day, as dates; null: unbounded. Other days are left alone. */
  readonly from: string | null;
  readonly to: string | null;
  /** Called after each block with the events sent so far. */
  readonly onProgress: (eventCount: number) => void;
}

/**
 * Loads a store day by day: identities first, then the events of each day, each followed by a note of what the day held. An interrupted run resumes
 * at the first day without a note; what it stored of that day counts as duplicates.
 */
export async function loadStore(source: Daybook, target: ClickHouseDaybook, parts: LoadedParts, options: StoreLoadOptions): Promise<StoreLoad> {
  const done: StoreLoad = { accepted: 0, duplicates: 0, records: 0, days: 0, daysBefore: 0 };
  const known = options.isAgain ? new Map<string, string>() : await parts.known();
  const held = await digestOf(source);
  if (known.get(RECORDS) !== held) {
    await inBlocks(source.exportRecords(), async (records) => {
      told(await target.ingestRecords(records));
      done.records += records.length;
    });
    await parts.add(RECORDS, held);
  }
  for (const [day, counts] of await daysOf(source)) {
    if (day < (options.from ?? day) || day > (options.to ?? day)) continue;
    const value = digestOfText(JSON.stringify({ counts, ids: await sumOfIds(source, day) }));
    if (known.get(day) === value) {
      done.daysBefore += 1;
      continue;
    }
    await inBlocks(source.exportEvents({ startDate: day, endDate: day }), async (events) => {
      const { accepted, duplicates } = told(await target.ingest(events));
      done.accepted += accepted;
      done.duplicates += duplicates;
      options.onProgress(done.accepted + done.duplicates);
    });
    await parts.add(day, value);
    done.days += 1;
  }
  return done;
}

/** A rejection means that the person was erased on ClickHouse only, or a defect: fail, so that the day gets no note. */
function told(result: IngestResult): IngestResult {
  const [first] = result.rejected;
  if (first !== undefined) throw new Error(`ClickHouse rejected ${result.rejectedCount ?? result.rejected.length} of the stored rows: ${first.message}`);
  return result;
}

/** Reads the next block while one is being sent. */
async function inBlocks<T>(items: AsyncIterable<T>, send: (block: readonly T[]) => Promise<void>): Promise<void> {
  let block: T[] = [];
  let charCount = 0;
  let sending: Promise<void> = Promise.resolve();
  const next = async () => {
    await sending;
    sending = send(block);
    // The next await sees the failure; until then it must not count as unhandled.
    sending.catch(() => undefined);
    block = [];
    charCount = 0;
  };
  for await (const item of items) {
    block.push(item);
    const { metadata, traits } = item as { readonly metadata?: unknown; readonly traits?: unknown };
    charCount += ROW_CHARS + (JSON.stringify(metadata ?? traits)?.length ?? 0);
    if (block.length === BLOCK_ROWS || charCount >= BLOCK_CHARS) await next();
  }
  if (block.length > 0) await next();
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

/** The sum of the ids of a day's events, in any order: it changes when another event replaces one. Cost: reads each id. */
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

/** Hashed, so that a note names no project: notes outlive deleted projects. */
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

interface ComparedAnswer {
  readonly label: string;
  ask(of: ComparedDaybook): Promise<readonly [shown: string, whole: unknown]>;
}

/** The outcome of a comparison. */
export interface AnswerComparison {
  /** A table for a terminal. */
  readonly text: string;
  /** How many answers differ. */
  readonly differing: number;
}

/** Runs the same queries on both, and shows the answers side by side. Cost: all rows, a few times. */
export async function compareAnswers(store: Daybook, other: ClickHouseDaybook): Promise<AnswerComparison> {
  const rows: string[][] = [["", "store", "ClickHouse", ""]];
  let differing = 0;
  for (const { label, ask } of linesOf(store.projects())) {
    const [[here, whole], [there, wholeThere]] = [await ask(store), await ask(other)];
    const isSame = JSON.stringify(whole) === JSON.stringify(wholeThere);
    differing += isSame ? 0 : 1;
    rows.push([label, here, there, isSame ? "" : "differs"]);
  }
  return { text: table(rows, "<>><"), differing };
}

function linesOf(projects: readonly string[]): ComparedAnswer[] {
  const all: ComparedAnswer[] = [
    { label: "events", ask: async (of) => shownCount(await of.countEvents()) },
    { label: "people", ask: async (of) => shownCount(await of.countUniqueUsers()) },
  ];
  return [...all, ...projects.flatMap(linesOfProject)];
}

function linesOfProject(project: string): ComparedAnswer[] {
  return [
    { label: `${project}: events per day`, ask: async (of) => {
      const days = await of.countEventsPerDay({ project });
      return [`${count(days.reduce((sum, day) => sum + day.count, 0))} on ${plural(days.length, "day")}`, days];
    } },
    { label: `${project}: people`, ask: async (of) => shownCount(await of.countUniqueUsers({ project })) },
    { label: `${project}: revenue per cohort`, ask: async (of) => {
      const answer = await of.ltvCohorts({ project, level: "identity" });
      const sum = answer.cohorts.reduce((revenue, cohort) => revenue + cohort.revenue, 0);
      return [`${sum.toLocaleString("en-US", { maximumFractionDigits: 2 })} ${answer.currency}`, answer];
    } },
  ];
}

function shownCount(value: number): [string, number] {
  return [count(value), value];
}
