/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by their lists */
import { stepsOf } from "../../answer/insights/chain.js";
import { dayOf } from "../../base/time.js";
import type { FunnelPlan } from "../../plan/insights/plan.js";
import { compareKeys } from "../../segment/event-order.js";
import type { TableMoment } from "../../table/tables.js";
import type { EntityMatches, MatchPlace } from "./entity-matches.js";

/** Matches of one entity and millisecond. */
interface Moment {
  readonly from: number;
  readonly to: number;
}

/** What the order of events of one millisecond may change: nothing where neither. */
export interface OrderMatters {
  /** How far chains reach in time: where one event matches several steps. */
  readonly ofTimes: boolean;
  /** Under which values entities stand. */
  readonly ofKeys: boolean;
}

/** What it may change for a funnel. An event has one name: it cannot match two steps of different ones. */
export function orderMatters({ order, steps, breakdown }: FunnelPlan): OrderMatters {
  const names = steps.flatMap(({ scope }) => scope.eventName ?? []);
  return { ofTimes: order !== "any" && new Set(names).size < steps.length, ofKeys: breakdown !== null };
}

/** Whether ids may be asked for, by sequences. */
export function mayAskIds({ ofTimes, ofKeys }: OrderMatters): boolean {
  return ofTimes || ofKeys;
}

/**
 * Puts the matches of some entities in order: by time, and by id where it matters. Those of one subject are mostly in order in their list, so ids are
 * read only for events of one entity and millisecond that may not be, and differ in what counts. Cost: mostly a look at each entity; else the ids of
 * the days of such events.
 */
export async function inOrder(matches: EntityMatches, matters: OrderMatters, moment: TableMoment): Promise<void> {
  const undecided: Moment[] = [];
  for (let entity = 0; entity < matches.entityCount; entity += 1) {
    if (!matches.isUnsure(entity)) continue;
    const [from, to] = [matches.starts[entity]!, matches.ends[entity]!];
    matches.placed.sortByTime(from, to);
    if (mayAskIds(matters)) addUndecided(matches, from, to, matters, undecided);
  }
  if (undecided.length === 0) return;
  const places = undecided.map(({ from, to }) => Array.from({ length: to - from }, (_, at) => matches.placeOf(from + at)));
  const unknown = places.flat().filter((place) => moment.ids.of(sequenceOf(place)) === null);
  if (unknown.length > 0) await moment.ids.read(unknown.map((place) => ({ sequence: sequenceOf(place), day: dayOf(place.list.startMs + place.list.times[place.at]!) })), moment.rows);
  undecided.forEach(({ from }, at) => {
    const keys = places[at]!.map((place) => moment.ids.of(sequenceOf(place))!);
    matches.placed.reorder(from, [...keys.keys()].sort((a, b) => compareKeys(keys[a]!, keys[b]!)));
  });
}

function sequenceOf({ list, at }: MatchPlace): number {
  return list.sequences![at]!;
}

function addUndecided(matches: EntityMatches, start: number, end: number, matters: OrderMatters, undecided: Moment[]): void {
  const { ms } = matches.placed;
  for (let from = start; from + 1 < end; ) {
    let to = from + 1;
    while (to < end && ms[to] === ms[from]) to += 1;
    if (to > from + 1 && !isInOrder(matches, from, to) && doesMatter(matches, from, to, matters)) undecided.push({ from, to });
    from = to;
  }
}

function isInOrder(matches: EntityMatches, from: number, to: number): boolean {
  const { list, at } = matches.placeOf(from);
  if (!list.isInOrder) return false;
  for (let slot = from + 1; slot < to; slot += 1) {
    const place = matches.placeOf(slot);
    // Those of one subject stand one after the other.
    if (place.list !== list || place.at !== at + slot - from) return false;
  }
  return true;
}

function doesMatter(matches: EntityMatches, from: number, to: number, { ofTimes, ofKeys }: OrderMatters): boolean {
  let first: MatchPlace | null = null;
  for (let slot = from; slot < to; slot += 1) {
    const steps = stepsOf(matches.placed.masks[slot]!);
    if (steps === 0) continue;
    if (ofTimes && (steps & (steps - 1)) !== 0) return true;
    if (!ofKeys) continue;
    const place = matches.placeOf(slot);
    first ??= place;
    if (place.list.keys.some((keys, field) => keys[place.at] !== first!.list.keys[field]![first!.at])) return true;
  }
  return false;
}
