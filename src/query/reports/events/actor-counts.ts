/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { grown } from "../../../core/base/arrays.js";
import { piecesOf, runYielding, type Steps } from "../../../core/base/yield.js";
import { maxOf, narrowCodes, type Codes } from "../../../storage/column/codes.js";
import { denseCodes } from "../../../storage/column/column.js";
import { isWhole, select, selectedRows, type Selector } from "../../filter/select.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { actorOf, ACTOR_COLUMNS } from "../../../storage/segment/summaries.js";
import type { QueryScope } from "../../plan/plan.js";
import type { Pass } from "../form/report.js";

/** Number of events by actor: each actor once, ascending. 5 to 8 bytes per actor. */
export interface ActorCounts {
  readonly actors: Uint32Array;
  readonly counts: Codes;
}

/** Counts the selected rows by actor, without events that have none. Cached for whole sealed segments. */
function actorCounts(rows: Rows, selector: Selector): ActorCounts {
  if (selector.key === null || !isWhole(rows, selector)) return collect(rows, selector);
  return rows.derive(`counts by actor ${selector.key}`, () => collect(rows, selector), byteLengthOfCounts);
}

function byteLengthOfCounts({ actors, counts }: ActorCounts): number {
  return actors.byteLength + counts.byteLength;
}

/** Actors summed up or read per step: a few milliseconds. */
const ACTORS_PER_STEP = 32_768;

/** The sum of several counts. Cost: their actors, and a sort of the distinct ones. */
export function* addedCounts(parts: readonly ActorCounts[]): Steps<ActorCounts> {
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return only;
  const sums = yield* added(parts, (actor) => actor);
  return sums.take();
}

/** Visits the summed count of each entity that the actors stand for, in no order. Cost: the actors. */
export function* eachAddedCount(
  parts: readonly ActorCounts[],
  standsFor: (actor: number) => number,
  visit: (actor: number, count: number) => void,
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

// One shared, zeroed scratch array; null while some sums use it, so that others allocate their own.
let spare: Uint32Array | null = null;

class Sums {
  #counts: Uint32Array = spare ?? new Uint32Array(4_096);
  /** Numbers with a count. */
  readonly #met: Uint32Array;
  #size = 0;

  /** @param sizeMax maximum number of distinct entries */
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
      const actor = standsFor(actors[at]!);
      if (actor >= counts.length) {
        this.#reserve(actor);
        counts = this.#counts;
      }
      if (counts[actor] === 0) {
        met[size] = actor;
        size += 1;
      }
      counts[actor]! += added[at]!;
    }
    this.#size = size;
  }

  /** @param count above 0 */
  add(actor: number, count: number): void {
    if (actor >= this.#counts.length) this.#reserve(actor);
    const counts = this.#counts;
    if (counts[actor] === 0) {
      this.#met[this.#size] = actor;
      this.#size += 1;
    }
    counts[actor]! += count;
  }

  /** All counts, ascending by actor. Do not use the sums afterwards. */
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

  /** Visits the entries of an index range once and resets their counts. */
  takeEach(from: number, to: number, visit: (actor: number, count: number) => void): void {
    const [met, counts] = [this.#met, this.#counts];
    for (let at = from; at < to; at += 1) {
      const actor = met[at]!;
      const count = counts[actor]!;
      counts[actor] = 0;
      visit(actor, count);
    }
  }

  /** Releases the scratch array; all counts must have been read and reset. */
  end(): void {
    spare = this.#counts;
  }

  #reserve(actor: number): void {
    this.#counts = grown(this.#counts, 2 ** Math.ceil(Math.log2(actor + 1)));
  }
}

export function actorCountsPass(scope: QueryScope): Pass<ActorCounts[], ActorCounts> {
  return {
    scopes: [scope],
    columns: ACTOR_COLUMNS,
    begin: () => [],
    scan: (state, rows, [selector]) => void state.push(actorCounts(rows, selector)),
    cached: { key: "counts by actor", of: (state, pause) => runYielding(addedCounts(state), pause), add: (state, added) => void state.push(added), byteLength: (added) => byteLengthOfCounts(added) },
  };
}
