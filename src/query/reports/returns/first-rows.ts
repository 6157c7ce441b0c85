import { inChunks } from "../../../core/base/in-chunks.js";
import { Scratch } from "../../../core/base/scratch.js";
import { BitSet } from "../../../storage/column/bitmap.js";
import { dayStartMs } from "../../../core/base/time.js";
import { orderWithin } from "../../../storage/segment/event-order.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { RowKeys } from "../insights/row-keys.js";
import type { CountedEntities } from "../insights/counted-entities.js";
import { isWhole, select, selectedRows } from "../../filter/select.js";
import type { Selector } from "../../filter/predicate.js";
import type { QueryScope } from "../../plan/plan.js";
import { SEQUENCE_COLUMN, TIME_COLUMN } from "../../../core/schema/fields.js";
import type { Pass } from "../form/report.js";
import { eachUnit, nameOfCut, type RowCut } from "../insights/row-units.js";

/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and places are bounded by their lists */
/**
 * The first row of each subject, with its key: 20 bytes per row.
 * Rows of the same millisecond in several segments or heads are all included: which is first depends on their ids, which are read later.
 */
export interface FirstRows {
  readonly subjects: Uint32Array;
  /** Epoch ms. */
  readonly times: Float64Array;
  readonly keys: Uint32Array;
  readonly sequences: Uint32Array;
}

const ROW_BYTES = 20;

// One shared scratch set for all scans: each clears it before it returns.
const seen = new BitSet();

/**
 * The first of some rows for each subject.
 * Columns of subjects and keys, times and sequences must be loaded; ids of unsealed rows are in memory.
 */
export function firstRowsOf(rows: Rows, selected: Uint32Array, subjects: CountedEntities, keys: RowKeys): FirstRows {
  const own = subjects.subjectsOf(rows, selected);
  const first = rows.sealed ? firstSeen(selected, own) : leastRows(rows, selected, own);
  const startMs = dayStartMs(rows.day);
  const [times, sequences] = [rows.times(), rows.sequences()];
  return {
    subjects: first.subjects,
    times: Float64Array.from(first.rows, (row) => startMs + times[row]!),
    keys: keys.keysOf(rows, first.rows),
    sequences: first.rows.map((row) => sequences[row]!),
  };
}

/** Some rows, ascending, and the subject of each. */
interface SubjectRows {
  readonly rows: Uint32Array;
  readonly subjects: Uint32Array;
}

/** For rows in order. */
function firstSeen(selected: Uint32Array, own: Uint32Array): SubjectRows {
  const [rows, subjects] = [new Uint32Array(selected.length), new Uint32Array(selected.length)];
  let count = 0;
  for (let at = 0; at < selected.length; at += 1) {
    if (own[at] === 0 || !seen.add(own[at]!)) continue;
    rows[count] = selected[at]!;
    subjects[count] = own[at]!;
    count += 1;
  }
  seen.clear(subjects.subarray(0, count));
  return { rows: rows.slice(0, count), subjects: subjects.slice(0, count) };
}

/** For rows in any order. */
function leastRows(rows: Rows, selected: Uint32Array, own: Uint32Array): SubjectRows {
  const [times, order] = [rows.times(), orderWithin(rows)];
  /** By subject: index in the list. */
  const least = new Map<number, number>();
  for (let at = 0; at < selected.length; at += 1) {
    const before = least.get(own[at]!);
    const [row, other] = [selected[at]!, before === undefined ? -1 : selected[before]!];
    if (own[at] !== 0 && (other === -1 || (times[row]! - times[other]! || order(row, other)) < 0)) least.set(own[at]!, at);
  }
  const places = Uint32Array.from(least.values()).sort();
  return { rows: places.map((at) => selected[at]!), subjects: places.map((at) => own[at]!) };
}

/** The first rows of several lists. Cost: two reads per row, in chunks. */
export async function unitedFirstRows(lists: readonly FirstRows[], pause: () => Promise<void>): Promise<FirstRows> {
  const all = lists.length === 1 ? lists[0]! : joinedFirstRows(lists);
  const { subjects, times } = all;
  const places = new Uint32Array(subjects.length);
  let count = 0;
  await Scratch.of(async (scratch) => {
    let end = 0;
    await inChunks(subjects.length, pause, (from, to) => {
      for (let place = from; place < to; place += 1) if (subjects[place]! >= end) end = subjects[place]! + 1;
    });
    /** By subject: index + 1 of its first row so far. */
    const placeOf = await scratch.zerosInTurns(end, pause);
    await inChunks(subjects.length, pause, (from, to) => {
      for (let place = from; place < to; place += 1) {
        const first = placeOf[subjects[place]!]!;
        if (first === 0 || times[place]! < times[first - 1]!) placeOf[subjects[place]!] = place + 1;
      }
    });
    await inChunks(subjects.length, pause, (from, to) => {
      for (let place = from; place < to; place += 1) {
        if (times[place]! > times[placeOf[subjects[place]!]! - 1]!) continue;
        places[count] = place;
        count += 1;
      }
    });
  });
  if (count === subjects.length) return all;
  const united = newFirstRows(count);
  await inChunks(count, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const place = places[at]!;
      united.subjects[at] = subjects[place]!;
      united.times[at] = times[place]!;
      united.keys[at] = all.keys[place]!;
      united.sequences[at] = all.sequences[place]!;
    }
  });
  return united;
}

function newFirstRows(count: number): FirstRows {
  return { subjects: new Uint32Array(count), times: new Float64Array(count), keys: new Uint32Array(count), sequences: new Uint32Array(count) };
}

/** Concatenates lists. */
export function joinedFirstRows(lists: readonly FirstRows[]): FirstRows {
  const all = newFirstRows(lists.reduce((sum, { subjects }) => sum + subjects.length, 0));
  let at = 0;
  for (const { subjects, times, keys, sequences } of lists) {
    all.subjects.set(subjects, at);
    all.times.set(times, at);
    all.keys.set(keys, at);
    all.sequences.set(sequences, at);
    at += subjects.length;
  }
  return all;
}

export function byteLengthOfFirstRows({ subjects }: FirstRows): number {
  return subjects.length * ROW_BYTES;
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/** First rows of subjects by the start of their time unit, from several segments or spans. */
export type FirstsByUnit = Map<number, FirstRows[]>;

type UnitedFirsts = ReadonlyMap<number, FirstRows>;

const UNIT_BYTES = 64;

/** Collects the first row of each subject per unit. Cached per span if subjects and keys have names: 20 bytes per subject and unit. */
export function firstsByUnit(scope: QueryScope, cut: RowCut, subjects: CountedEntities, keys: RowKeys): Pass<FirstsByUnit, UnitedFirsts> {
  const isLasting = subjects.name !== null && keys.name !== null;
  const name = `firsts ${nameOfCut(cut)} ${keys.name}`;
  const make = (rows: Rows, selector: Selector) => madeOf(rows, selector, cut, subjects, keys);
  const part: Pass<FirstsByUnit, UnitedFirsts> = {
    scopes: [scope],
    columns: [...subjects.columns, ...keys.columns, TIME_COLUMN, SEQUENCE_COLUMN],
    begin: () => new Map(),
    scan: (state, rows, [selector]) => {
      if (selector === undefined) return;
      const isKept = isLasting && selector.key !== null && isWhole(rows, selector);
      addAll(state, isKept ? rows.derive(`${name} ${selector.key}`, () => make(rows, selector), byteLengthOfUnits) : make(rows, selector));
    },
  };
  if (!isLasting) return part;
  return {
    ...part,
    kept: {
      key: name,
      of: async (state, pause) => {
        const united = new Map<number, FirstRows>();
        for (const [unitMs, lists] of state) united.set(unitMs, await unitedFirstRows(lists, pause));
        return united;
      },
      add: addAll,
      byteLength: byteLengthOfUnits,
    },
  };
}

function madeOf(rows: Rows, selector: Selector, cut: RowCut, subjects: CountedEntities, keys: RowKeys): UnitedFirsts {
  const made = new Map<number, FirstRows>();
  // A copy: cutting rows or making keys may overwrite the shared selection.
  eachUnit(rows, selectedRows(select(rows, selector)).slice(), cut, (unitMs, own) => {
    const first = firstRowsOf(rows, own, subjects, keys);
    if (first.subjects.length > 0) made.set(unitMs, first);
  });
  return made;
}

function addAll(state: FirstsByUnit, byUnit: UnitedFirsts): void {
  for (const [unitMs, first] of byUnit) {
    const lists = state.get(unitMs);
    if (lists === undefined) state.set(unitMs, [first]);
    else lists.push(first);
  }
}

function byteLengthOfUnits(byUnit: UnitedFirsts): number {
  return [...byUnit.values()].reduce((sum, first) => sum + byteLengthOfFirstRows(first) + UNIT_BYTES, 0);
}
