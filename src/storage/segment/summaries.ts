/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and indexes are bounded by their columns */
import { concat, concatBytes, sortNumbers } from "../../core/base/arrays.js";
import { Yielder } from "../../core/base/yield.js";
import { codesOfBytes, narrowCodes, wideCodes, maxOf, type Codes } from "../column/codes.js";
import { denseCodes, absentColumn, codeAt, type CodeColumn } from "../column/column.js";
import { fromDeltas, fromPlanes, toDeltas, toPlanes } from "./byte-planes.js";

export const ACTOR_COLUMNS = ["userId", "anonymousId"] as const;

/**
 * The distinct triples of actor, company or none, and project. An actor is 2 * the code of a user id or, without one, 2 * the code of an anonymous
 * id + 1, and occurs once for each of its triples. Those with a company have lists of their own: queries about companies read no others.
 */
export interface ActorTriples {
  /** Actors of the triples without a company, ascending. */
  readonly plain: Uint32Array;
  /** Actors of the triples with a company, ascending. */
  readonly members: Uint32Array;
  /** Of the members. */
  readonly companies: Uint32Array;
  /** Of the plain actors, then of the members. */
  readonly projects: Uint32Array;
}

export type ActorList = keyof ActorTriples;

/** The lists that together contain every actor. */
export const BOTH_ACTORS = ["plain", "members"] as const;

export type BothActors = Pick<ActorTriples, (typeof BOTH_ACTORS)[number]>;

/** Names of the blocks with the lists; a list whose greatest number is 0 has none. */
export const ACTOR_BLOCKS: Readonly<Record<ActorList, string>> = { plain: "actors", members: "actors.member", companies: "actors.companyId", projects: "actors.project" };

export const ACTOR_LISTS = Object.keys(ACTOR_BLOCKS) as readonly ActorList[];

/** `max` is 0 if there are only zeros, or none. */
export interface ActorListMeta {
  readonly count: number;
  readonly max: number;
}

export function describeActors(triples: ActorTriples): Record<ActorList, ActorListMeta> {
  const described = ACTOR_LISTS.map((list) => [list, { count: triples[list].length, max: maxOf(triples[list]) }]);
  return Object.fromEntries(described) as Record<ActorList, ActorListMeta>;
}

/** Rows and actors are below 2^26: together they fit into the 53 bits of a number. */
const ROW_SPAN = 2 ** 26;
/** Upper bound of codes, exclusive. */
const CODE_SPAN = 2 ** 24;
/** Number of recent actors remembered while reading rows. */
const SLOT_COUNT = 2 ** 13;
/** Up to this many pairs are sorted without yielding. */
const FEW_PAIRS = 4_096;
/** Cost of a row, in values. */
const VALUES_PER_ROW = 8;

/** The actor of a row by its codes; 0 if it has neither id. */
export function actorOf(user: number, anonymous: number): number {
  return user !== 0 ? user * 2 : anonymous !== 0 ? anonymous * 2 + 1 : 0;
}

/** The triples of some rows, without events that have no actor. Cost: a sort of the rows by actor. */
export async function actorTriplesOf(rowCount: number, column: (name: string) => CodeColumn, yielder = new Yielder()): Promise<ActorTriples> {
  const codesOf = async (name: string) => {
    const codes = wideCodes(denseCodes(column(name)));
    await yielder.yieldAfter(rowCount);
    return codes;
  };
  const [users, anonymous, companies, projects] = [await codesOf("userId"), await codesOf("anonymousId"), await codesOf("companyId"), await codesOf("project")];
  const keys = new Float64Array(rowCount);
  let keyCount = 0;
  // Most events repeat the actor's previous pair and need not be sorted.
  const [lastActors, lastPairs] = [new Uint32Array(SLOT_COUNT), new Float64Array(SLOT_COUNT)];
  await yielder.inPieces(rowCount, (from, to) => {
    for (let row = from; row < to; row += 1) {
      const actor = actorOf(users[row]!, anonymous[row]!);
      const pair = companies[row]! * CODE_SPAN + projects[row]!;
      const slot = actor & (SLOT_COUNT - 1);
      if (actor === 0 || (lastActors[slot] === actor && lastPairs[slot] === pair)) continue;
      lastActors[slot] = actor;
      lastPairs[slot] = pair;
      keys[keyCount] = actor * ROW_SPAN + row;
      keyCount += 1;
    }
  });
  const sorted = await sortNumbers(keys.subarray(0, keyCount), yielder);
  const [plain, members] = [foundUpTo(keyCount), foundUpTo(keyCount)];
  let reportedCount = 0;
  for (let start = 0; start < keyCount; ) {
    const actor = Math.floor(sorted[start]! / ROW_SPAN);
    let end = start;
    for (; end < keyCount && Math.floor(sorted[end]! / ROW_SPAN) === actor; end += 1) {
      const row = sorted[end]! % ROW_SPAN;
      sorted[end] = companies[row]! * CODE_SPAN + projects[row]!;
    }
    const pairs = sorted.subarray(start, end);
    addPairs(plain, members, actor, pairs.length > FEW_PAIRS ? await sortNumbers(pairs, yielder) : pairs.sort());
    start = end;
    if ((end - reportedCount) * VALUES_PER_ROW < yielder.pieceLength) continue;
    await yielder.yieldAfter((end - reportedCount) * VALUES_PER_ROW);
    reportedCount = end;
  }
  const of = (list: Uint32Array, { count }: FoundTriples) => list.slice(0, count);
  return {
    plain: of(plain.actors, plain),
    members: of(members.actors, members),
    companies: of(members.companies, members),
    projects: concat([of(plain.projects, plain), of(members.projects, members)], (length) => new Uint32Array(length)),
  };
}

function foundUpTo(maxCount: number) {
  return { count: 0, actors: new Uint32Array(maxCount), companies: new Uint32Array(maxCount), projects: new Uint32Array(maxCount) };
}

type FoundTriples = ReturnType<typeof foundUpTo>;

/** Adds the distinct pairs of company and project of one actor, given sorted. */
function addPairs(plain: FoundTriples, members: FoundTriples, actor: number, pairs: Float64Array): void {
  for (let at = 0; at < pairs.length; at += 1) {
    if (pairs[at] === pairs[at - 1]) continue;
    const company = Math.floor(pairs[at]! / CODE_SPAN);
    const into = company === 0 ? plain : members;
    into.actors[into.count] = actor;
    into.companies[into.count] = company;
    into.projects[into.count] = pairs[at]! % CODE_SPAN;
    into.count += 1;
  }
}

/** A selection of a segment's rows that is stored a second time: first queries over all time read it instead of whole columns. */
export interface SummaryRule {
  readonly name: string;
  /** Names of what the selection depends on besides the rows, ascending. */
  readonly of: readonly string[];
  /** A row is selected if any of these selects it. */
  readonly takes: readonly RowSelector[];
  /** The columns to store, besides times and sequences. */
  readonly columns: readonly string[];
}

/** Selects rows that have a value in any of some columns and, with `where`, one of some codes in another column. */
interface RowSelector {
  readonly columns: readonly string[];
  readonly where?: { readonly column: string; readonly codes: readonly number[] };
}

export interface RowsSummaryMeta {
  readonly name: string;
  readonly of: readonly string[];
  readonly rowCount: number;
  readonly columns: readonly { readonly name: string; readonly width: 1 | 2 | 4 }[];
}

export interface RowsSummary {
  readonly day: number;
  readonly rowCount: number;
  times(): Int32Array;
  sequences(): Uint32Array;
  /** Columns that were not stored have no values. */
  column(name: string): CodeColumn;
}

export interface SummarySource {
  readonly day: number;
  readonly times: Int32Array;
  readonly sequences: Uint32Array;
  readonly columns: ReadonlyMap<string, CodeColumn>;
}

/** With a larger share of the rows nothing is stored; queries then read the columns themselves. */
const ROW_SHARE_MAX = 1 / 8;

/** Selects the rows of a summary; null if they are too many. Cost: the codes of the columns that select rows. */
export async function summaryOf(merged: SummarySource, { takes, columns }: SummaryRule, yielder = new Yielder()): Promise<RowsSummary | null> {
  const rowCount = merged.times.length;
  const marks = new Uint8Array(rowCount);
  for (const take of takes) await mark(merged, take, marks, yielder);
  const rows: number[] = [];
  for (let row = marks.indexOf(1); row !== -1; row = marks.indexOf(1, row + 1)) rows.push(row);
  if (rows.length > rowCount * ROW_SHARE_MAX) return null;
  const pick = (name: string): CodeColumn => {
    const column = merged.columns.get(name) ?? absentColumn(rowCount);
    return { kind: "dense", codes: narrowCodes(Uint32Array.from(rows, (row) => codeAt(column, row))) };
  };
  const times = Int32Array.from(rows, (row) => merged.times[row]!);
  const sequences = Uint32Array.from(rows, (row) => merged.sequences[row]!);
  return summaryFrom(merged.day, times, sequences, new Map(columns.map((name) => [name, pick(name)])));
}

async function mark({ columns }: SummarySource, take: RowSelector, marks: Uint8Array, yielder: Yielder): Promise<void> {
  const { where } = take;
  const condition = where === undefined ? undefined : columns.get(where.column);
  // No row has any of the codes.
  if (where !== undefined && condition === undefined) return;
  const wanted = new Set(where?.codes);
  for (const name of take.columns) {
    const column = columns.get(name);
    if (column === undefined) continue;
    const { codes } = column;
    await yielder.inPieces(codes.length, (from, to) => {
      for (let at = from; at < to; at += 1) {
        if (codes[at] === 0) continue;
        const row = column.kind === "sparse" ? column.rows[at]! : at;
        if (condition === undefined || wanted.has(codeAt(condition, row))) marks[row] = 1;
      }
    });
  }
}

/** Encodes a summary before deflating: times, sequences, then the columns. */
export async function encodeSummary({ name, of, columns }: SummaryRule, summary: RowsSummary): Promise<{ bytes: Uint8Array; meta: RowsSummaryMeta }> {
  const parts = [await toPlanes(await toDeltas(summary.times())), await toPlanes(await toDeltas(summary.sequences()))];
  const written: RowsSummaryMeta["columns"][number][] = [];
  for (const column of columns) {
    const { codes } = summary.column(column);
    if (maxOf(new Uint32Array(codes)) === 0) continue;
    written.push({ name: column, width: codes.BYTES_PER_ELEMENT as 1 | 2 | 4 });
    parts.push(await toPlanes(codes));
  }
  return { bytes: concatBytes(parts), meta: { name, of, rowCount: summary.rowCount, columns: written } };
}

export function decodeSummary(day: number, { rowCount, columns }: RowsSummaryMeta, bytes: Uint8Array): RowsSummary {
  let at = 0;
  const next = (width: 1 | 2 | 4): Codes => {
    const part = bytes.slice(at, at + rowCount * width);
    at += rowCount * width;
    return codesOfBytes(fromPlanes(part, width), width);
  };
  const times = new Int32Array(fromDeltas(next(4) as Uint32Array).buffer);
  const sequences = fromDeltas(next(4) as Uint32Array);
  const read = columns.map(({ name, width }): [string, CodeColumn] => [name, { kind: "dense", codes: next(width) }]);
  return summaryFrom(day, times, sequences, new Map(read));
}

function summaryFrom(day: number, times: Int32Array, sequences: Uint32Array, columns: ReadonlyMap<string, CodeColumn>): RowsSummary {
  const none = absentColumn(times.length);
  return { day, rowCount: times.length, times: () => times, sequences: () => sequences, column: (name) => columns.get(name) ?? none };
}
