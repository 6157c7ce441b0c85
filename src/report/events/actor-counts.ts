/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows, actors and places are bounded by their columns */
import { piecesOf, type Steps } from "../../base/steps.js";
import { maxOf, narrowCodes, type Codes } from "../../column/codes.js";
import { denseCodes } from "../../column/column.js";
import type { Selector } from "../../filter/predicate.js";
import { isWhole, select } from "../../filter/select.js";
import { selectedRows } from "../../filter/selected-rows.js";
import type { Rows } from "../../segment/rows.js";
import { actorOf } from "../../segment/who.js";

/** How many events actors did: each actor once, ascending. 5 to 8 bytes an actor. */
export interface ActorCounts {
  readonly actors: Uint32Array;
  readonly counts: Codes;
}

/** The selected rows by actor; events of nobody are left out. Kept for whole sealed segments. */
export function actorCounts(rows: Rows, selector: Selector): ActorCounts {
  if (selector.key === null || !isWhole(rows, selector)) return collect(rows, selector);
  return rows.derive(`counts by actor ${selector.key}`, () => collect(rows, selector), byteLengthOf);
}

export function byteLengthOf({ actors, counts }: ActorCounts): number {
  return actors.byteLength + counts.byteLength;
}

/** Actors whose counts are added up, or taken, in one step: some milliseconds. */
const ACTORS_PER_STEP = 32_768;

/** All of some counts at once. Cost: their actors, and a sort of the distinct ones. */
export function* addedCounts(parts: readonly ActorCounts[]): Steps<ActorCounts> {
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return only;
  const sums = yield* added(parts, (actor) => actor);
  return sums.take();
}

/** How many events each did for whom some actors stand, in no order. Cost: the actors. */
export function* eachAddedCount(
  parts: readonly ActorCounts[],
  standsFor: (actor: number) => number,
  visit: (who: number, count: number) => void,
): Steps<void> {
  const sums = yield* added(parts, standsFor);
  yield* piecesOf(sums.size, ACTORS_PER_STEP, (from, to) => sums.takeEach(from, to, visit));
  sums.end();
}

function* added(parts: readonly ActorCounts[], standsFor: (actor: number) => number): Steps<Sums> {
  const sums = new Sums(parts.reduce((sum, { actors }) => sum + actors.length, 0));
  for (const { actors, counts } of parts)
    yield* piecesOf(actors.length, ACTORS_PER_STEP, (from, to) => sums.addAll(actors.subarray(from, to), counts.subarray(from, to), standsFor));
  return sums;
}

function collect(rows: Rows, selector: Selector): ActorCounts {
  const selected = selectedRows(select(rows, selector));
  const [users, anonymous] = [denseCodes(rows.column("userId")), denseCodes(rows.column("anonymousId"))];
  const sums = new Sums(selected.length);
  for (let at = 0; at < selected.length; at += 1) {
    const row = selected[at]!;
    const actor = actorOf(users[row]!, anonymous[row]!);
    if (actor !== 0) sums.add(actor, 1);
  }
  return sums.take();
}

// One scratch, zeroed, for the next sums; null while some have it: others meanwhile make their own.
let spare: Uint32Array | null = null;

/** Counts that are added up. */
class Sums {
  #counts: Uint32Array = spare ?? new Uint32Array(4_096);
  /** Who has a count. */
  readonly #met: Uint32Array;
  #size = 0;

  /** @param sizeMax so many have a count, at most */
  constructor(sizeMax: number) {
    spare = null;
    this.#met = new Uint32Array(sizeMax);
  }

  get size(): number {
    return this.#size;
  }

  /** @param added above 0 */
  addAll(actors: Uint32Array, added: Codes, standsFor: (actor: number) => number): void {
    const met = this.#met;
    let [size, counts] = [this.#size, this.#counts];
    for (let at = 0; at < actors.length; at += 1) {
      const who = standsFor(actors[at]!);
      if (who >= counts.length) {
        this.#reserve(who);
        counts = this.#counts;
      }
      if (counts[who] === 0) {
        met[size] = who;
        size += 1;
      }
      counts[who]! += added[at]!;
    }
    this.#size = size;
  }

  /** @param count above 0 */
  add(who: number, count: number): void {
    if (who >= this.#counts.length) this.#reserve(who);
    const counts = this.#counts;
    if (counts[who] === 0) {
      this.#met[this.#size] = who;
      this.#size += 1;
    }
    counts[who]! += count;
  }

  /** All of them, ascending. Ends the sums. */
  take(): ActorCounts {
    const actors = this.#met.slice(0, this.#size).sort();
    const counts = new Uint32Array(actors.length);
    for (let at = 0; at < actors.length; at += 1) {
      const actor = actors[at]!;
      counts[at] = this.#counts[actor]!;
      this.#counts[actor] = 0;
    }
    this.end();
    return { actors, counts: narrowCodes(counts, maxOf(counts)) };
  }

  /** Takes those that were met from one place to another, each once. */
  takeEach(from: number, to: number, visit: (who: number, count: number) => void): void {
    const [met, counts] = [this.#met, this.#counts];
    for (let at = from; at < to; at += 1) {
      const who = met[at]!;
      const count = counts[who]!;
      counts[who] = 0;
      visit(who, count);
    }
  }

  /** All counts were taken. */
  end(): void {
    spare = this.#counts;
  }

  #reserve(who: number): void {
    const longer = new Uint32Array(2 ** Math.ceil(Math.log2(who + 1)));
    longer.set(this.#counts);
    this.#counts = longer;
  }
}
