/* eslint-disable @typescript-eslint/no-non-null-assertion -- entities and places are bounded by their lists */
import type { Scratch } from "../../base/scratch.js";
import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import type { MatchList } from "./match-list.js";

/** Bits of what is known of an entity: steps that its try has done, all bits where that went beyond the window; */
const DONE = 31;
/** that a chain may begin, and that some event is of the second step: in the order of `firstSteps`; */
const FIRST_STEPS_PLACE = 5;
const ENTERED = 32;
const SECOND = 64;
/** that a chain may begin that may still go on; */
const LATE = 128;
/** that the try is whole. */
const WHOLE = 256;

/** Numbers of entities. */
export interface ChainEntities {
  /** Entities whose matches are to be put in order. */
  readonly count: number;
  /** Those that get no further than the first step, and of them those that may still go on. */
  readonly firstOnlyCount: number;
  readonly pendingCount: number;
}

/**
 * What of the matches of some entities says nothing more, found without putting these in order. Of an entity of many matches a chain is tried that
 * takes the next event of each step. Where it is whole, no chain that counts ends behind it: one that begins earlier could take its events too. Where
 * no event is of the second step, nobody got beyond the first.
 */
export class WholeChains {
  readonly #stepCount: number;
  readonly #windowMs: number;
  readonly #lateMs: number;
  readonly #countsFirstOnly: boolean;
  /** By entity: what is known of it, when its try began and went on, and where that was whole. */
  readonly #states: Uint32Array;
  readonly #entryMs: Float64Array;
  readonly #lastMs: Float64Array;
  readonly #endMs: Float64Array;

  /** @param entityCount so many are looked at at once, at most @param scratch lives as long as this */
  constructor(
    { steps, windowMs, nowMs, breakdown }: Pick<FunnelPlan, "steps" | "windowMs" | "nowMs" | "breakdown">,
    readonly entries: Range,
    entityCount: number,
    scratch: Scratch,
  ) {
    this.#stepCount = steps.length;
    this.#windowMs = windowMs;
    this.#lateMs = Math.max(entries.fromMs, nowMs - windowMs);
    // With a breakdown somebody asks for the values of those too.
    this.#countsFirstOnly = breakdown === null;
    this.#states = scratch.take(entityCount);
    this.#entryMs = scratch.takeFloats(entityCount);
    this.#lastMs = scratch.takeFloats(entityCount);
    this.#endMs = scratch.takeFloats(entityCount);
  }

  /** Whether it holds for a plan: steps in turn, and nothing that may not lie between them. */
  static holdsFor({ order, exclusions, steps }: Pick<FunnelPlan, "order" | "exclusions" | "steps">): boolean {
    return order === "sequential" && exclusions.length === 0 && steps.length > 1 && steps.length < DONE;
  }

  begin(entityCount: number): void {
    this.#states.fill(0, 0, entityCount);
  }

  /** Whether no match of a list may begin a chain: those of the first step alone say nothing. */
  isBehind({ startMs }: MatchList): boolean {
    return startMs >= this.entries.toMs;
  }

  /**
   * By which match of a subject it is known whether one of a list may begin a chain, where all are of the first step: "any" may, the first in time
   * where the entries end within the list, the last where they begin. Null: a look at each match tells, also where a chain may still go on.
   */
  decisiveOf({ startMs, endMs, isAscending }: MatchList): "any" | "first" | "last" | null {
    if (endMs > this.#lateMs && startMs < this.entries.toMs) return null;
    const [beginsInside, endsInside] = [startMs >= this.entries.fromMs, endMs <= this.entries.toMs];
    if (beginsInside && endsInside) return "any";
    if (!isAscending || beginsInside === endsInside) return null;
    return beginsInside ? "first" : "last";
  }

  /** Notes of which steps an entity has events, all of which may begin a chain, or none. @param firstSteps as of a list */
  note(entity: number, firstSteps: number): void {
    this.#states[entity]! |= firstSteps << FIRST_STEPS_PLACE;
  }

  /** Looks at the matches of a subject, those of lists that begin earlier first. Answers how many at most are to be put in order. */
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

  /** Finds which of the first entities are to be looked at, ascending. No branch depends on one of them: it would be a guess. */
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

  /** When the last match of the entity is that counts; Infinity: all may. */
  endMsOf(entity: number): number {
    return (this.#states[entity]! & WHOLE) === 0 ? Infinity : this.#endMs[entity]!;
  }
}

/** The first place that is later than one. */
function behindMoment(times: Uint32Array, at: number, to: number): number {
  let next = at + 1;
  while (next < to && times[next] === times[at]) next += 1;
  return next;
}
