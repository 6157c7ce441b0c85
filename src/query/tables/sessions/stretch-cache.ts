import { DerivedCache, type MemoryBudget } from "../../../storage/segment/memory-budget.js";
import { dayOf, MS_PER_DAY } from "../../../core/base/time.js";
import type { Range, SessionRule } from "../../plan/plan.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { Midnight } from "./carried-events.js";

/* eslint-disable @typescript-eslint/no-non-null-assertion -- blocks are bounded by the sessions */
/** Sessions per block, as a power of two. Replacements are tracked by block, so results for the neighbours of a replaced session are rebuilt too. */
const BLOCK_BITS = 10;

/** Consecutive ordered sessions: `[first, end)`. */
export interface SessionRange {
  readonly first: number;
  readonly end: number;
}

interface CachedStretch {
  readonly lastReplacement: number;
  readonly value: unknown;
}

/** Caches results for stretches of ordered sessions from one snapshot to the next, until one of the sessions is replaced. */
export class StretchCache {
  readonly #held: DerivedCache;
  /** By block: the first session of the latest replacement of one of its sessions; 0 for none since the full build. */
  readonly #lastReplacements: Uint32Array;

  constructor(budget: MemoryBudget, orderedCount: number) {
    this.#held = new DerivedCache(budget);
    this.#lastReplacements = new Uint32Array((orderedCount >>> BLOCK_BITS) + 1);
  }

  /** Notes that sessions from `replacement` on replace an ordered one. */
  replaced(session: number, replacement: number): void {
    this.#lastReplacements[session >>> BLOCK_BITS] = replacement;
  }

  /** The result of `make` for a stretch, cached. @param name the same for results made in the same way @param count of the snapshot's sessions */
  derive<T>(name: string, { first, end }: SessionRange, count: number, make: () => T, byteLength: (made: T) => number): T {
    const lastReplacement = this.#lastReplacementIn(first, end);
    // An earlier snapshot still has sessions that a later one replaced, so its results are not cached.
    if (lastReplacement >= count) return make();
    const key = `${name} ${first} ${end}`;
    // Each name has one caller, so the entry is of its type.
    const known = this.#held.get(key) as CachedStretch | null;
    if (known?.lastReplacement === lastReplacement) return known.value as T;
    const value = make();
    this.#held.set(key, { lastReplacement, value } satisfies CachedStretch, byteLength(value));
    return value;
  }

  /** The result of `make` for all sessions, cached as long as they are. @param byteLength current size of the result */
  lasting<T>(name: string, make: () => T, byteLength: number): T {
    // Each name has one caller, so the entry is of its type.
    const known = this.#held.get(name) as { readonly value: T; readonly byteLength: number } | null;
    if (known?.byteLength === byteLength) return known.value;
    const value = known === null ? make() : known.value;
    this.#held.set(name, { value, byteLength }, byteLength);
    return value;
  }

  /** Drops all entries; running queries keep what they read. */
  release(): void {
    this.#held.release();
  }

  #lastReplacementIn(first: number, end: number): number {
    let last = 0;
    for (let block = first >>> BLOCK_BITS; block <= (end - 1) >>> BLOCK_BITS; block += 1) last = Math.max(last, this.#lastReplacements[block]!);
    return last;
  }
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/** Days since 1970, both included; infinite without a bound. */
export interface DaySpan {
  readonly firstDay: number;
  readonly lastDay: number;
}

export const NO_DAYS: DaySpan = { firstDay: Infinity, lastDay: -Infinity };
const ALL_DAYS: DaySpan = { firstDay: -Infinity, lastDay: Infinity };

/** The days for which sessions are built. */
export interface CoveredDays {
  /** All rows of these days are read: every session that begins in one of them exists, with all its events on these days. */
  readonly whole: DaySpan;
  /** The earliest day of which some rows are read; -Infinity when `whole` has no first day. */
  readonly earliestDay: number;
  /** The midnight at which the first day of `whole` begins; null when it has none. */
  readonly midnight: Midnight | null;
}

/**
 * Sessions are cached for whole calendar days: a range that begins or ends within a day needs all sessions of that day. A day has up to 24 hours in
 * each time zone, except when clocks are set back, or a country changes its side of the date line.
 */
const CALENDAR_REACH_MS = 2 * MS_PER_DAY;

/** The days of all sessions that a query for a range reads: with gaps of a day or more all days, as whole days may be pauses. */
export function daysFor({ fromMs, toMs }: Range, { gapMs, maxMs }: SessionRule): DaySpan {
  if (gapMs >= MS_PER_DAY) return ALL_DAYS;
  const reachMs = Math.max(maxMs, CALENDAR_REACH_MS);
  return { firstDay: dayOf(fromMs - reachMs), lastDay: dayOf(toMs + reachMs) };
}

export function includesDays(all: DaySpan, some: DaySpan): boolean {
  return all.firstDay <= some.firstDay && all.lastDay >= some.lastDay;
}

/** Days that include both. Widening at least doubles the span: otherwise queries that reach further and further back would each repeat all work. */
export function widenedDays(known: DaySpan, needed: DaySpan): DaySpan {
  if (known === NO_DAYS) return needed;
  const dayCount = known.lastDay - known.firstDay + 1;
  return {
    firstDay: needed.firstDay < known.firstDay ? Math.min(needed.firstDay, known.firstDay - dayCount) : known.firstDay,
    lastDay: needed.lastDay > known.lastDay ? Math.max(needed.lastDay, known.lastDay + dayCount) : known.lastDay,
  };
}

export function rowsOfDays(rows: readonly Rows[], { firstDay, lastDay }: DaySpan): readonly Rows[] {
  return rows.filter(({ day }) => day >= firstDay && day <= lastDay);
}
