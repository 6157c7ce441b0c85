/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { inPieces } from "../../../core/base/yield.js";
import { Scratch } from "../../../core/base/scratch.js";
import { BitSet } from "../../../storage/column/bitmap.js";
import { dayStartMs, dayOf } from "../../../core/base/time.js";
import { orderWithin } from "../../../storage/segment/event-order.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { RowKeys } from "../insights/row-keys.js";
import type { CountedEntities } from "../insights/counted-entities.js";
import { isWhole, type Selector } from "../../filter/select.js";
import type { QueryScope } from "../../plan/plan.js";
import { SEQUENCE_COLUMN, TIME_COLUMN } from "../../../core/schema/fields.js";
import type { Pass } from "../form/report.js";
import { addUnits, byteLengthOfUnits, madeByUnit, nameOfCut, type ByUnit, type RowCut } from "../insights/row-units.js";
import type { EventIds } from "../../../storage/derived/event-ids.js";

/**
 * The first row of each entity key, with its key: 20 bytes per row.
 * Rows of the same millisecond in several segments or heads are all included: which is first depends on their ids, which are read later.
 */
interface FirstRows {
  readonly entityKeys: Uint32Array;
  /** Epoch ms. */
  readonly times: Float64Array;
  readonly keys: Uint32Array;
  readonly sequences: Uint32Array;
}

const ROW_BYTES = 20;

// One shared scratch set for all scans: each clears it before it returns.
const seen = new BitSet();

/**
 * The first of some rows for each entity key.
 * Columns of both kinds of keys, times and sequences must be loaded; ids of unsealed rows are in memory.
 */
function firstRowsOf(rows: Rows, selected: Uint32Array, counted: CountedEntities, keys: RowKeys): FirstRows {
  const own = counted.entityKeysOf(rows, selected);
  const first = rows.sealed ? firstSeen(selected, own) : leastRows(rows, selected, own);
  const startMs = dayStartMs(rows.day);
  const [times, sequences] = [rows.times(), rows.sequences()];
  return {
    entityKeys: first.entityKeys,
    times: Float64Array.from(first.rows, (row) => startMs + times[row]!),
    keys: keys.keysOf(rows, first.rows),
    sequences: first.rows.map((row) => sequences[row]!),
  };
}

/** Some rows, ascending, and the entity key of each. */
interface RowsOfKeys {
  readonly rows: Uint32Array;
  readonly entityKeys: Uint32Array;
}

/** For rows in order. */
function firstSeen(selected: Uint32Array, own: Uint32Array): RowsOfKeys {
  const [rows, entityKeys] = [new Uint32Array(selected.length), new Uint32Array(selected.length)];
  let count = 0;
  for (let at = 0; at < selected.length; at += 1) {
    if (own[at] === 0 || !seen.add(own[at]!)) continue;
    rows[count] = selected[at]!;
    entityKeys[count] = own[at]!;
    count += 1;
  }
  seen.clear(entityKeys.subarray(0, count));
  return { rows: rows.slice(0, count), entityKeys: entityKeys.slice(0, count) };
}

/** For rows in any order. */
function leastRows(rows: Rows, selected: Uint32Array, own: Uint32Array): RowsOfKeys {
  const [times, order] = [rows.times(), orderWithin(rows)];
  /** By entity key: index in the list. */
  const least = new Map<number, number>();
  for (let at = 0; at < selected.length; at += 1) {
    const before = least.get(own[at]!);
    const [row, other] = [selected[at]!, before === undefined ? -1 : selected[before]!];
    if (own[at] !== 0 && (other === -1 || (times[row]! - times[other]! || order(row, other)) < 0)) least.set(own[at]!, at);
  }
  const places = Uint32Array.from(least.values()).sort();
  return { rows: places.map((at) => selected[at]!), entityKeys: places.map((at) => own[at]!) };
}

/** The first rows of several lists. Cost: two reads per row, in chunks. */
async function unitedFirstRows(lists: readonly FirstRows[], pause: () => Promise<void>): Promise<FirstRows> {
  const all = lists.length === 1 ? lists[0]! : joinedFirstRows(lists);
  const { entityKeys, times } = all;
  const places = new Uint32Array(entityKeys.length);
  let count = 0;
  await Scratch.of(async (scratch) => {
    let end = 0;
    await inPieces(entityKeys.length, pause, (from, to) => {
      for (let place = from; place < to; place += 1) if (entityKeys[place]! >= end) end = entityKeys[place]! + 1;
    });
    /** By entity key: index + 1 of its first row so far. */
    const placeOf = await scratch.zerosYielding(end, pause);
    await inPieces(entityKeys.length, pause, (from, to) => {
      for (let place = from; place < to; place += 1) {
        const first = placeOf[entityKeys[place]!]!;
        if (first === 0 || times[place]! < times[first - 1]!) placeOf[entityKeys[place]!] = place + 1;
      }
    });
    await inPieces(entityKeys.length, pause, (from, to) => {
      for (let place = from; place < to; place += 1) {
        if (times[place]! > times[placeOf[entityKeys[place]!]! - 1]!) continue;
        places[count] = place;
        count += 1;
      }
    });
  });
  if (count === entityKeys.length) return all;
  const united = newFirstRows(count);
  await inPieces(count, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const place = places[at]!;
      united.entityKeys[at] = entityKeys[place]!;
      united.times[at] = times[place]!;
      united.keys[at] = all.keys[place]!;
      united.sequences[at] = all.sequences[place]!;
    }
  });
  return united;
}

function newFirstRows(count: number): FirstRows {
  return { entityKeys: new Uint32Array(count), times: new Float64Array(count), keys: new Uint32Array(count), sequences: new Uint32Array(count) };
}

function joinedFirstRows(lists: readonly FirstRows[]): FirstRows {
  const all = newFirstRows(lists.reduce((sum, { entityKeys }) => sum + entityKeys.length, 0));
  let at = 0;
  for (const { entityKeys, times, keys, sequences } of lists) {
    all.entityKeys.set(entityKeys, at);
    all.times.set(times, at);
    all.keys.set(keys, at);
    all.sequences.set(sequences, at);
    at += entityKeys.length;
  }
  return all;
}

type FirstsByUnit = ByUnit<FirstRows>;

type UnitedFirsts = ReadonlyMap<number, FirstRows>;

/** Collects the first row of each entity key per unit. Cached per span if both kinds of keys have names: 20 bytes per entity key and unit. */
export function firstsByUnit(scope: QueryScope, cut: RowCut, counted: CountedEntities, keys: RowKeys): Pass<FirstsByUnit, UnitedFirsts> {
  const isLasting = counted.name !== null && keys.name !== null;
  const name = `firsts ${nameOfCut(cut)} ${keys.name}`;
  const make = (rows: Rows, selector: Selector) =>
    madeByUnit(rows, selector, [cut], (selected) => {
      const first = firstRowsOf(rows, selected, counted, keys);
      return first.entityKeys.length === 0 ? null : first;
    });
  const pass: Pass<FirstsByUnit, UnitedFirsts> = {
    scopes: [scope],
    columns: [...counted.columns, ...keys.columns, TIME_COLUMN, SEQUENCE_COLUMN],
    begin: () => new Map(),
    scan: (state, rows, [selector]) => {
      const isCached = isLasting && selector.key !== null && isWhole(rows, selector);
      addUnits(state, isCached ? rows.derive(`${name} ${selector.key}`, () => make(rows, selector), byteLengthOfFirsts) : make(rows, selector));
    },
  };
  if (!isLasting) return pass;
  return {
    ...pass,
    cached: {
      key: name,
      of: async (state, pause) => {
        const united = new Map<number, FirstRows>();
        for (const [unitMs, lists] of state) united.set(unitMs, await unitedFirstRows(lists, pause));
        return united;
      },
      add: addUnits,
      byteLength: byteLengthOfFirsts,
    },
  };
}

function byteLengthOfFirsts(byUnit: UnitedFirsts): number {
  return byteLengthOfUnits(byUnit, ({ entityKeys }) => entityKeys.length * ROW_BYTES);
}

/** The members and their first event, by index, units ascending. */
export interface MembersSince {
  readonly entities: Uint32Array;
  /** Epoch ms of the first event in the unit. */
  readonly times: Float64Array;
  readonly keys: Uint32Array;
}

/** Where to read the ids that decide between events of one millisecond. */
interface IdsAtTime {
  readonly ids: EventIds;
  readonly rows: readonly Rows[];
}

/** Events of one millisecond, one of which is the first event of a member. */
interface FirstEventTie {
  readonly member: number;
  readonly events: { readonly ms: number; readonly sequence: number; readonly key: number }[];
}

/**
 * The entities of first rows, unit by unit, each with its first event.
 * Cost: three reads per row; if events of one millisecond have different values, their ids.
 */
export async function membersOf(firsts: FirstsByUnit, counted: CountedEntities, moment: IdsAtTime, pause: () => Promise<void>): Promise<MembersSince> {
  const count = [...firsts.values()].flat().reduce((sum, { entityKeys: own }) => sum + own.length, 0);
  const made = { entities: new Uint32Array(count), times: new Float64Array(count), keys: new Uint32Array(count) };
  /** By entity: index + 1 of its member in the current unit. */
  const memberOf = new Uint32Array(counted.end);
  const ties = new Map<number, FirstEventTie>();
  let end = 0;
  for (const [, lists] of [...firsts].sort(([a], [b]) => a - b)) {
    const rows = joinedFirstRows(lists);
    const start = end;
    await inPieces(rows.entityKeys.length, pause, (fromRow, toRow) => {
      end = addFirst(made, end, memberOf, rows, fromRow, toRow, counted);
    });
    await addTies(ties, made, memberOf, rows, counted, pause);
    for (let place = start; place < end; place += 1) memberOf[made.entities[place]!] = 0;
    await pause();
  }
  await decide(ties.values(), made.keys, moment);
  return { entities: made.entities.subarray(0, end), times: made.times.subarray(0, end), keys: made.keys.subarray(0, end) };
}

/** Adds a chunk of rows to the members of their unit; returns the new number of members. */
function addFirst(made: MembersSince, from: number, memberOf: Uint32Array, rows: FirstRows, fromRow: number, toRow: number, counted: CountedEntities): number {
  let end = from;
  for (let row = fromRow; row < toRow; row += 1) {
    const entity = counted.entityOf(rows.entityKeys[row]!);
    let member = memberOf[entity]! - 1;
    if (member === -1) {
      member = end;
      end += 1;
      memberOf[entity] = end;
      made.entities[member] = entity;
    } else if (rows.times[row]! >= made.times[member]!) continue;
    made.times[member] = rows.times[row]!;
    made.keys[member] = rows.keys[row]!;
  }
  return end;
}

/** Finds members whose first events share a millisecond but not a key. */
async function addTies(ties: Map<number, FirstEventTie>, made: MembersSince, memberOf: Uint32Array, rows: FirstRows, counted: CountedEntities, pause: () => Promise<void>): Promise<void> {
  const isTied = (row: number, member: number) => rows.times[row] === made.times[member];
  const eachRow = (act: (row: number, member: number) => void) =>
    inPieces(rows.entityKeys.length, pause, (from, to) => {
      for (let row = from; row < to; row += 1) act(row, memberOf[counted.entityOf(rows.entityKeys[row]!)]! - 1);
    });
  await eachRow((row, member) => {
    if (isTied(row, member) && rows.keys[row] !== made.keys[member]) ties.set(member, { member, events: [] });
  });
  if (ties.size === 0) return;
  await eachRow((row, member) => {
    if (isTied(row, member)) ties.get(member)?.events.push({ ms: rows.times[row]!, sequence: rows.sequences[row]!, key: rows.keys[row]! });
  });
}

/** Decides by id which event of a millisecond is the first. */
async function decide(ties: Iterable<FirstEventTie>, keys: Uint32Array, { ids, rows }: IdsAtTime): Promise<void> {
  const all = [...ties];
  const unread = all.flatMap(({ events }) => events).filter(({ sequence }) => ids.of(sequence) === null);
  if (unread.length > 0) await ids.read(unread.map(({ ms, sequence }) => ({ sequence, day: dayOf(ms) })), rows);
  for (const { member, events } of all) keys[member] = events.reduce((a, b) => (ids.compare(a.sequence, b.sequence)! <= 0 ? a : b)).key;
}
