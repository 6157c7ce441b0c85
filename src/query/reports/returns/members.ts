/* eslint-disable @typescript-eslint/no-non-null-assertion -- places and entities are bounded by their lists */
import { inChunks } from "../../../core/base/in-chunks.js";
import { dayOf } from "../../../core/base/time.js";
import type { EventIds } from "../../../storage/derived/event-ids.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { CountedEntities } from "../insights/counted-entities.js";
import { joinedFirstRows, type FirstRows, type FirstsByUnit } from "./first-rows.js";

/** The members and their first event, by index, units ascending. */
export interface MembersSince {
  readonly entities: Uint32Array;
  /** Epoch ms of the first event in the unit. */
  readonly times: Float64Array;
  /** Key of that event. */
  readonly keys: Uint32Array;
}

/** Where to read the ids that decide between events of one millisecond. */
export interface IdsAtTime {
  readonly ids: EventIds;
  readonly rows: readonly Rows[];
}

/** Events of one millisecond, one of which is the first event of a member. */
interface FirstEventTie {
  readonly member: number;
  readonly events: { readonly ms: number; readonly sequence: number; readonly key: number }[];
}

/**
 * The entities of the subjects' first rows, unit by unit, each with its first event.
 * Cost: three reads per row; if events of one millisecond have different values, their ids.
 */
export async function membersOf(firsts: FirstsByUnit, subjects: CountedEntities, moment: IdsAtTime, pause: () => Promise<void>): Promise<MembersSince> {
  const count = [...firsts.values()].flat().reduce((sum, { subjects: own }) => sum + own.length, 0);
  const made = { entities: new Uint32Array(count), times: new Float64Array(count), keys: new Uint32Array(count) };
  /** By entity: index + 1 of its member in the current unit. */
  const memberOf = new Uint32Array(subjects.end);
  const ties = new Map<number, FirstEventTie>();
  let end = 0;
  for (const [, lists] of [...firsts].sort(([a], [b]) => a - b)) {
    const rows = joinedFirstRows(lists);
    const start = end;
    await inChunks(rows.subjects.length, pause, (fromRow, toRow) => {
      end = addFirst(made, end, memberOf, rows, fromRow, toRow, subjects);
    });
    await addTies(ties, made, memberOf, rows, subjects, pause);
    for (let place = start; place < end; place += 1) memberOf[made.entities[place]!] = 0;
    await pause();
  }
  await decide(ties.values(), made.keys, moment);
  return { entities: made.entities.subarray(0, end), times: made.times.subarray(0, end), keys: made.keys.subarray(0, end) };
}

/** Adds a chunk of rows to the members of their unit; returns the new number of members. */
function addFirst(made: MembersSince, from: number, memberOf: Uint32Array, rows: FirstRows, fromRow: number, toRow: number, subjects: CountedEntities): number {
  let end = from;
  for (let row = fromRow; row < toRow; row += 1) {
    const entity = subjects.entityOf(rows.subjects[row]!);
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
async function addTies(ties: Map<number, FirstEventTie>, made: MembersSince, memberOf: Uint32Array, rows: FirstRows, subjects: CountedEntities, pause: () => Promise<void>): Promise<void> {
  const isTied = (row: number, member: number) => rows.times[row] === made.times[member];
  const eachRow = (act: (row: number, member: number) => void) =>
    inChunks(rows.subjects.length, pause, (from, to) => {
      for (let row = from; row < to; row += 1) act(row, memberOf[subjects.entityOf(rows.subjects[row]!)]! - 1);
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
