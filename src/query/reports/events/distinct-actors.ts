/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and actors are bounded by their columns */
import { BitSet, countBits } from "../../../storage/column/bitmap.js";
import { denseCodes } from "../../../storage/column/column.js";
import type { ActorTest } from "../../filter/predicate.js";
import { isWhole, select, selectedRows, type Selector } from "../../filter/select.js";
import type { IdentityView } from "../../../identity/identity-view.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { ACTOR_COLUMNS, actorOf, type BothActors } from "../../../storage/segment/summaries.js";
import type { QueryScope } from "../../plan/plan.js";
import type { Pass } from "../form/report.js";

/** Distinct actors of some rows: a list if there are few, else one bit per code and role. */
export type DistinctActors =
  | { readonly kind: "list"; readonly actors: Uint32Array }
  | { readonly kind: "bits"; readonly users: Uint32Array; readonly anonymous: Uint32Array };

// One shared scratch set for all scans: each clears it before it returns.
const seen = new BitSet();

/** Distinct actors of the selected rows. Events with neither id have none. Cached for whole sealed segments. */
export function distinctActors(rows: Rows, selector: Selector): DistinctActors {
  if (selector.key === null || !isWhole(rows, selector)) return collect(rows, selector);
  return rows.derive(`actors ${selector.key}`, () => collect(rows, selector), byteLengthOf);
}

/** Distinct actors of all rows of a segment, cached with it. */
export function actorsOfAll(rows: Rows, { plain, members }: BothActors): DistinctActors {
  return rows.derive("actors of all", () => compact(plain, members), byteLengthOf);
}

export function byteLengthOf(distinct: DistinctActors): number {
  return distinct.kind === "list" ? distinct.actors.byteLength : distinct.users.byteLength + distinct.anonymous.byteLength;
}

/** The actor of each selected row, in order; 0 for none. The actor columns must be loaded. */
export function actorsOfRows(rows: Rows, selected: Uint32Array): Uint32Array {
  const users = denseCodes(rows.column("userId"));
  const anonymousColumn = rows.column("anonymousId");
  const actors = new Uint32Array(selected.length);
  if (anonymousColumn.codes.length === 0) {
    for (let at = 0; at < selected.length; at += 1) actors[at] = actorOf(users[selected[at]!]!, 0);
    return actors;
  }
  const anonymous = denseCodes(anonymousColumn);
  for (let at = 0; at < selected.length; at += 1) {
    const row = selected[at]!;
    actors[at] = actorOf(users[row]!, anonymous[row]!);
  }
  return actors;
}

/** Collects the actors of events: of countUniqueUsers and of segments, which share its cache entries. */
export function actorsPass(scope: QueryScope): Pass<DistinctActors[], DistinctActors> {
  return {
    scopes: [scope],
    columns: ACTOR_COLUMNS,
    begin: () => [],
    scan: (state, rows, [selector]) => void state.push(distinctActors(rows, selector)),
    scanActors: (state, rows, actors) => void state.push(actorsOfAll(rows, actors)),
    cached: { key: "countUniqueUsers ", of: unitedActors, add: (state, united) => void state.push(united), byteLength: byteLengthOf },
  };
}

/** Distinct actors of a list, without 0. */
export function distinctOf(actors: Uint32Array): DistinctActors {
  return compact(withoutRepeats(actors));
}

function withoutRepeats(...lists: readonly Uint32Array[]): Uint32Array {
  const found = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  for (const actors of lists)
    for (let at = 0; at < actors.length; at += 1) {
      if (actors[at] === 0 || !seen.add(actors[at]!)) continue;
      found[count] = actors[at]!;
      count += 1;
    }
  const distinct = found.slice(0, count);
  seen.clear(distinct);
  return distinct;
}

function collect(rows: Rows, selector: Selector): DistinctActors {
  return distinctOf(actorsOfRows(rows, selectedRows(select(rows, selector))));
}

/** Adding an actor of a list costs about as much as adding four words of bits. */
const WORDS_PER_ACTOR = 4;

/** @param lists one without repeats, or several in which equal actors are next to each other */
function compact(...lists: readonly [Uint32Array, ...Uint32Array[]]): DistinctActors {
  const [first, ...others] = lists;
  let [count, maxUser, maxAnonymous] = [0, 0, 0];
  for (const actors of lists) {
    for (let at = 0; at < actors.length; at += 1) {
      const code = actors[at]! >>> 1;
      if (actors[at] !== actors[at - 1]) count += 1;
      if ((actors[at]! & 1) === 0) maxUser = Math.max(maxUser, code);
      else maxAnonymous = Math.max(maxAnonymous, code);
    }
  }
  if (isFew(count, maxUser, maxAnonymous)) return { kind: "list", actors: others.length === 0 ? first : withoutRepeats(...lists) };
  const users = new Uint32Array((maxUser >>> 5) + 1);
  const anonymous = new Uint32Array(maxAnonymous === 0 ? 0 : (maxAnonymous >>> 5) + 1);
  for (const actors of lists)
    for (let at = 0; at < actors.length; at += 1) {
      const code = actors[at]! >>> 1;
      const words = (actors[at]! & 1) === 0 ? users : anonymous;
      words[code >>> 5]! |= 1 << (code & 31);
    }
  return { kind: "bits", users, anonymous };
}

function isFew(count: number, maxUser: number, maxAnonymous: number): boolean {
  return count * WORDS_PER_ACTOR <= (maxUser + maxAnonymous) / 32 + 2;
}

/** The union of several sets. Cost: a word per 32 codes below the greatest, and the entries of lists. */
export function unitedActors(parts: readonly DistinctActors[]): DistinctActors {
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return only;
  const { users, anonymous } = bitsOf(parts);
  const [userWords, anonymousWords] = [usedWords(users), usedWords(anonymous)];
  const count = countBits(userWords) + countBits(anonymousWords);
  if (!isFew(count, userWords.length * 32, anonymousWords.length * 32)) return { kind: "bits", users: userWords.slice(), anonymous: anonymousWords.slice() };
  const actors = new Uint32Array(count);
  let at = 0;
  const list = (actor: number) => {
    actors[at] = actor;
    at += 1;
  };
  users.forEach((code) => list(code * 2));
  anonymous.forEach((code) => list(code * 2 + 1));
  return { kind: "list", actors };
}

/** The actors that pass a test. Cost: one test per distinct actor. */
export function passingActors(parts: readonly DistinctActors[], passes: ActorTest): DistinctActors[] {
  const all = unitedActors(parts);
  if (all.kind === "list") return [{ kind: "list", actors: all.actors.filter((actor) => passes(actor)) }];
  return [{ kind: "bits", users: passingBits(all.users, 0, passes), anonymous: passingBits(all.anonymous, 1, passes) }];
}

/** @param role 1 for anonymous ids */
function passingBits(words: Uint32Array, role: 0 | 1, passes: ActorTest): Uint32Array {
  const passing = new Uint32Array(words.length);
  for (let word = 0; word < words.length; word += 1) {
    let left = words[word]!;
    for (let rest = left; rest !== 0; rest &= rest - 1) if (!passes((word * 32 + 31 - Math.clz32(rest & -rest)) * 2 + role)) left ^= rest & -rest;
    passing[word] = left;
  }
  return passing;
}

/** Distinct actors by day or another unit of time, from several segments or spans. */
export type ActorsByUnit = Map<number, DistinctActors[]>;

export interface UnitedByUnit {
  readonly byUnit: ReadonlyMap<number, DistinctActors>;
  /** Size of the unions made for this span; other units share their actors with a shorter span or a segment. */
  readonly ownByteLength: number;
}

export function unitedByUnit(state: ActorsByUnit): UnitedByUnit {
  const byUnit = new Map<number, DistinctActors>();
  let ownByteLength = 0;
  for (const [unit, parts] of state) {
    const united = unitedActors(parts);
    byUnit.set(unit, united);
    if (parts.length > 1) ownByteLength += byteLengthOf(united);
  }
  return { byUnit, ownByteLength };
}

/** The actors that pass a test, without units that have none. */
export function passingByUnit(state: ActorsByUnit, passes: ActorTest): ActorsByUnit {
  const passing: ActorsByUnit = new Map();
  for (const [unit, parts] of state) {
    const all = passingActors(parts, passes);
    if (countActors(all) > 0) passing.set(unit, all);
  }
  return passing;
}

export function eachActor(distinct: DistinctActors, visit: (actor: number) => void): void {
  if (distinct.kind === "list") for (let at = 0; at < distinct.actors.length; at += 1) visit(distinct.actors[at]!);
  else {
    eachBit(distinct.users, (code) => visit(code * 2));
    eachBit(distinct.anonymous, (code) => visit(code * 2 + 1));
  }
}

function eachBit(words: Uint32Array, visit: (code: number) => void): void {
  for (let word = 0; word < words.length; word += 1)
    for (let rest = words[word]!; rest !== 0; rest &= rest - 1) visit(word * 32 + 31 - Math.clz32(rest & -rest));
}

/** The words up to the last nonzero one. */
function usedWords({ words }: BitSet): Uint32Array {
  let end = words.length;
  while (end > 0 && words[end - 1] === 0) end -= 1;
  return words.subarray(0, end);
}

function bitsOf(parts: readonly DistinctActors[]): { users: BitSet; anonymous: BitSet } {
  const [users, anonymous] = [new BitSet(), new BitSet()];
  for (const part of parts) {
    if (part.kind === "list") for (const actor of part.actors) ((actor & 1) === 0 ? users : anonymous).add(actor >>> 1);
    else {
      users.unite(part.users);
      anonymous.unite(part.anonymous);
    }
  }
  return { users, anonymous };
}

/** The last count of a set, and the identities it was based on. */
const lastCounts = new WeakMap<DistinctActors, { readonly view: IdentityView; readonly count: number }>();

/** Number of identities that actors stand for. Resolves each linked id once. */
export function countIdentities(parts: readonly DistinctActors[], view: IdentityView): number {
  const [only, ...others] = parts;
  if (only === undefined) return 0;
  if (others.length > 0) return countResolved(parts, view);
  const last = lastCounts.get(only);
  if (last !== undefined && (last.view === view || isUntouched(only, view.changesSince(last.view)))) {
    lastCounts.set(only, { view, count: last.count });
    return last.count;
  }
  const count = view.linkCount > 0 ? countResolved(parts, view) : countDistinct(only);
  lastCounts.set(only, { view, count });
  return count;
}

/** Moved ids that are checked one by one; beyond this, recounting costs no more. */
const FEW_MOVES = 256;

/** Whether none of the actors changed its identity. */
function isUntouched(distinct: DistinctActors, moved: ReadonlySet<number> | null): boolean {
  if (moved === null || moved.size > FEW_MOVES) return false;
  if (distinct.kind === "list") return moved.size === 0 || !distinct.actors.some((actor) => moved.has(actor));
  for (const actor of moved) {
    const words = (actor & 1) === 0 ? distinct.users : distinct.anonymous;
    if (((words[actor >>> 6] ?? 0) >>> ((actor >>> 1) & 31)) & 1) return false;
  }
  return true;
}

/** Number of distinct actors, without resolving identities. Cost: a word per 32 codes below the greatest, and the entries of lists. */
export function countActors(parts: readonly DistinctActors[]): number {
  const [only, ...others] = parts;
  if (only === undefined) return 0;
  if (others.length === 0) return countDistinct(only);
  const { users, anonymous } = bitsOf(parts);
  return users.count + anonymous.count;
}

/** Number of distinct actors of a short list that are not in a set. Cost: one lookup per actor. */
export function countOthers(few: Uint32Array, { users, anonymous }: Extract<DistinctActors, { kind: "bits" }>): number {
  const others = new Set<number>();
  for (let at = 0; at < few.length; at += 1) {
    const actor = few[at]!;
    const words = (actor & 1) === 0 ? users : anonymous;
    if ((((words[actor >>> 6] ?? 0) >>> ((actor >>> 1) & 31)) & 1) === 0) others.add(actor);
  }
  return others.size;
}

function countResolved(parts: readonly DistinctActors[], view: IdentityView): number {
  const { users, anonymous } = bitsOf(parts);
  if (view.linkCount > 0) resolveToSurvivors(users, anonymous, view);
  return users.count + anonymous.count;
}

function countDistinct(distinct: DistinctActors): number {
  return distinct.kind === "list" ? distinct.actors.length : countBits(distinct.users) + countBits(distinct.anonymous);
}

/** Users first: the user that an anonymous id resolves to is a survivor already. */
function resolveToSurvivors(users: BitSet, anonymous: BitSet, view: IdentityView): void {
  const absorbed: number[] = [];
  if (view.hasMerges)
    users.forEach((code) => {
      if (view.identityOf(code * 2) !== code * 2) absorbed.push(code);
    });
  for (const code of absorbed) {
    users.remove(code);
    users.add(view.identityOf(code * 2) >>> 1);
  }
  anonymous.forEach((code) => {
    const identity = view.identityOf(code * 2 + 1);
    if ((identity & 1) === 1) return;
    anonymous.remove(code);
    users.add(identity >>> 1);
  });
}
