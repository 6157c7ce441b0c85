/* eslint-disable @typescript-eslint/no-non-null-assertion -- entities and places are bounded by their lists */
import type { Scratch } from "../../../core/base/scratch.js";
import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import type { MatchList } from "./match-list.js";

/** State bits of an entity. The low five: steps done by the tried chain; all set if it exceeded the window. */
const DONE = 31;
/** A chain may start, and some event is of the second step: in the bit order of `firstSteps`. */
const FIRST_STEPS_PLACE = 5;
const ENTERED = 32;
const SECOND = 64;
/** A chain may start that may still continue. */
const LATE = 128;
/** The tried chain is complete. */
const WHOLE = 256;

/** Counts of entities. */
export interface ChainEntities {
  /** Entities whose matches have to be sorted. */
  readonly count: number;
  /** Entities that get no further than the first step, and those of them that may still continue. */
  readonly firstOnlyCount: number;
  readonly pendingCount: number;
}

/**
 * Finds matches that cannot change the result, without sorting. For many matches of an entity, it tries the chain of the next event of each step.
 * If that chain completes, no chain that counts ends after it: one that starts earlier could use its events too.
 * If no event is of the second step, no chain gets beyond the first.
 */
export class ChainPruner {
  readonly #stepCount: number;
  readonly #windowMs: number;
  readonly #lateMs: number;
  readonly #countsFirstOnly: boolean;
  /** By entity: its state, the start and latest event of the tried chain, and the end of a complete one. */
  readonly #states: Uint32Array;
  readonly #entryMs: Float64Array;
  readonly #lastMs: Float64Array;
  readonly #endMs: Float64Array;

  /** @param entityCount maximum number of entities at once @param scratch must outlive this object */
  constructor(
    { steps, windowMs, nowMs, breakdown }: Pick<FunnelPlan, "steps" | "windowMs" | "nowMs" | "breakdown">,
    readonly entries: Range,
    entityCount: number,
    scratch: Scratch,
  ) {
    this.#stepCount = steps.length;
    this.#windowMs = windowMs;
    this.#lateMs = Math.max(entries.fromMs, nowMs - windowMs);
    // A breakdown needs the values of these entities too.
    this.#countsFirstOnly = breakdown === null;
    this.#states = scratch.take(entityCount);
    this.#entryMs = scratch.takeFloats(entityCount);
    this.#lastMs = scratch.takeFloats(entityCount);
    this.#endMs = scratch.takeFloats(entityCount);
  }

  /** Whether this applies to a plan: sequential steps without exclusions. */
  static holdsFor({ order, exclusions, steps }: Pick<FunnelPlan, "order" | "exclusions" | "steps">): boolean {
    return order === "sequential" && exclusions.length === 0 && steps.length > 1 && steps.length < DONE;
  }

  begin(entityCount: number): void {
    this.#states.fill(0, 0, entityCount);
  }

  /** Whether no match of a list can start a chain; matches of the first step alone are then irrelevant. */
  isBehind({ startMs }: MatchList): boolean {
    return startMs >= this.entries.toMs;
  }

  /**
   * Which match of a subject decides whether one of its matches in a list can start a chain, if all are of the first step:
   * "any" if all can, the first by time if the entry range ends in the list, the last if it starts there.
   * Null: each match has to be read, also if a chain may still continue.
   */
  decisiveOf({ startMs, endMs, isAscending }: MatchList): "any" | "first" | "last" | null {
    if (endMs > this.#lateMs && startMs < this.entries.toMs) return null;
    const [beginsInside, endsInside] = [startMs >= this.entries.fromMs, endMs <= this.entries.toMs];
    if (beginsInside && endsInside) return "any";
    if (!isAscending || beginsInside === endsInside) return null;
    return beginsInside ? "first" : "last";
  }

  /** Records the steps of a subject whose events all can start a chain, or none can. @param firstSteps as in a list */
  note(entity: number, firstSteps: number): void {
    this.#states[entity]! |= firstSteps << FIRST_STEPS_PLACE;
  }

  /** Reads the matches of a subject; lists must come in order of their start. Returns the maximum number of matches to sort. */
  look(entity: number, { startMs, starts, times, masks, isAscending }: MatchList, place: number): number {
    const [from, to] = [starts[place]!, starts[place + 1]!];
    let state = this.#states[entity]!;
    if ((state & WHOLE) !== 0) return startMs > this.#endMs[entity]! ? 0 : to - from;
    const fromMs = this.entries.fromMs - startMs;
    const toMs = this.entries.toMs - startMs;
    const lateMs = this.#lateMs - startMs;
    for (let at = from; at < to; at += 1) {
      const mask = masks[at]!;
      const ms = times[at]!;
      if ((mask & 2) !== 0) state |= SECOND;
      if ((mask & 1) !== 0 && ms >= fromMs && ms < toMs) {
        state |= ms >= lateMs ? ENTERED | LATE : ENTERED;
        if ((state & DONE) === 0) {
          this.#entryMs[entity] = this.#lastMs[entity] = startMs + ms;
          state += 1;
          continue;
        }
      }
      const done = state & DONE;
      if (done === 0 || ((mask >>> done) & 1) === 0 || startMs + ms <= this.#lastMs[entity]!) continue;
      this.#lastMs[entity] = startMs + ms;
      if (startMs + ms - this.#entryMs[entity]! > this.#windowMs) state |= DONE;
      else if (done + 1 < this.#stepCount) state += 1;
      else {
        this.#states[entity] = state | WHOLE;
        this.#endMs[entity] = startMs + ms;
        return (isAscending ? behindMoment(times, at, to) : to) - from;
      }
    }
    this.#states[entity] = state;
    return to - from;
  }

  /** Finds the entities to read, ascending. Branch-free, because the branches would be unpredictable. */
  find(entityCount: number, into: Uint32Array): ChainEntities {
    const states = this.#states;
    const isAsked = this.#countsFirstOnly ? 0 : 1;
    let [count, firstOnlyCount, pendingCount] = [0, 0, 0];
    for (let entity = 0; entity < entityCount; entity += 1) {
      const state = states[entity]!;
      const isEntered = (state >>> FIRST_STEPS_PLACE) & 1;
      const isFound = isEntered & (((state >>> (FIRST_STEPS_PLACE + 1)) & 1) | isAsked);
      into[count] = entity;
      count += isFound;
      firstOnlyCount += isEntered ^ isFound;
      pendingCount += (isEntered ^ isFound) & ((state & LATE) === 0 ? 0 : 1);
    }
    return { count, firstOnlyCount, pendingCount };
  }

  /** Time of the last match of an entity that can count; Infinity: all can. */
  endMsOf(entity: number): number {
    return (this.#states[entity]! & WHOLE) === 0 ? Infinity : this.#endMs[entity]!;
  }
}

/** The first index whose time is later than that at `at`. */
function behindMoment(times: Uint32Array, at: number, to: number): number {
  let next = at + 1;
  while (next < to && times[next] === times[at]) next += 1;
  return next;
}
