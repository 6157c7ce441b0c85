/* eslint-disable @typescript-eslint/no-non-null-assertion -- keys, groups and visits are bounded by their lists */
import { compareCodePoints } from "../../base/order.js";
import type { Scratch } from "../../base/scratch.js";
import type { KeyGroups } from "../insights/combinations.js";
import type { WebVisits } from "../../plan/insights/answers.js";
import { inPieces } from "../../base/in-pieces.js";
import type { Visits } from "./visits.js";

/** Some visits, those of each identity together. 8 bytes a visit. */
export interface VisitsByIdentity {
  readonly places: Uint32Array;
  /** By place in `places`. */
  readonly identities: Uint32Array;
}

export async function byIdentity({ view, sessions }: Visits, scratch: Scratch, pause: () => Promise<void>): Promise<VisitsByIdentity> {
  const { identities } = view.facts;
  const starts = await scratch.zerosInTurns(view.identityEnd + 1, pause);
  const ofVisits = scratch.take(sessions.length);
  await inPieces(sessions.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const identity = identities[sessions[at]!]!;
      ofVisits[at] = identity;
      starts[identity + 1]! += 1;
    }
  });
  await inPieces(view.identityEnd, pause, (from, to) => {
    for (let identity = from; identity < to; identity += 1) starts[identity + 1]! += starts[identity]!;
  });
  const found = { places: await scratch.takeTouched(sessions.length, pause), identities: await scratch.takeTouched(sessions.length, pause) };
  await inPieces(sessions.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const identity = ofVisits[at]!;
      const place = starts[identity]!;
      found.places[place] = at;
      found.identities[place] = identity;
      starts[identity] = place + 1;
    }
  });
  return found;
}

/** Visits by what their keys stand for: visitors, then visits, both descending, then value. Cost: some 5 ns a visit. */
export async function visitList(
  { places, identities }: VisitsByIdentity,
  keyOfVisit: Uint32Array,
  groups: KeyGroups,
  limit: number,
  pause: () => Promise<void>,
): Promise<WebVisits[]> {
  const { groupOfKey, numbers } = groupsOfKeys(keyOfVisit, groups);
  await pause();
  const [visits, visitors, last] = [new Uint32Array(numbers.length), new Uint32Array(numbers.length), new Uint32Array(numbers.length)];
  await inPieces(places.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const group = groupOfKey[keyOfVisit[places[at]!]!]!;
      visits[group]! += 1;
      if (last[group] === identities[at]) continue;
      last[group] = identities[at]!;
      visitors[group]! += 1;
    }
  });
  const shown = greatest(visitors, visits, (group) => groups.valuesOfGroup(numbers[group]!)[0]!, limit);
  return shown.map(({ place, value }) => ({ value, visitors: visitors[place]!, visits: visits[place]! }));
}

/** The groups of some keys, each of which has one, numbered anew from 0. */
export function groupsOfKeys(keys: Uint32Array, { groupsOf }: KeyGroups): { readonly groupOfKey: Uint32Array; readonly numbers: readonly number[] } {
  let end = 0;
  for (let at = 0; at < keys.length; at += 1) if (keys[at]! >= end) end = keys[at]! + 1;
  const isThere = new Uint8Array(end);
  for (let at = 0; at < keys.length; at += 1) isThere[keys[at]!] = 1;
  const groupOfKey = new Uint32Array(end);
  const places = new Map<number, number>();
  const numbers: number[] = [];
  for (let key = 0; key < end; key += 1) {
    if (isThere[key] === 0) continue;
    const [group = 0] = groupsOf(key);
    let place = places.get(group);
    if (place === undefined) places.set(group, (place = numbers.push(group) - 1));
    groupOfKey[key] = place;
  }
  return { groupOfKey, numbers };
}

/** A place of a list, and what stands there. */
export interface Shown {
  readonly place: number;
  readonly value: string;
}

/** The places with the greatest figures; seconds decide among equal ones, and then values. Texts are looked at only of those that may be shown. */
export function greatest(figures: Uint32Array, seconds: Uint32Array, valueOf: (place: number) => string, limit: number): Shown[] {
  const descending = (a: number, b: number) => figures[b]! - figures[a]! || seconds[b]! - seconds[a]!;
  const least = figures.length > limit ? figures.slice().sort()[figures.length - limit]! : 0;
  const places: number[] = [];
  for (let place = 0; place < figures.length; place += 1) if (figures[place]! >= least) places.push(place);
  const last = places.length > limit ? places.sort(descending)[limit - 1]! : null;
  const mayBeShown = last === null ? places : places.filter((place) => descending(place, last) <= 0);
  return mayBeShown
    .map((place) => ({ place, value: valueOf(place) }))
    .sort((a, b) => descending(a.place, b.place) || compareCodePoints(a.value, b.value))
    .slice(0, limit);
}
