import { parameterError } from "../../../../src/core/base/errors.js";
import { DAY_MS } from "../instant.js";

const HOUR_MS = 3_600_000;

/** A stretch of time, half-open, in which a zone's clock is so many ms ahead of UTC. */
export interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
  readonly offsetMs: number;
}

/** What was found out about a zone before. */
interface Zone {
  readonly format: Intl.DateTimeFormat;
  readonly offsets: Map<number, number>;
  readonly firsts: Map<number, number>;
}

const zones = new Map<string, Zone>();

/** What a clock of the zone shows at an instant: the epoch ms at which a clock of UTC shows the same. */
export function localMs(timeZone: string, ms: number): number {
  return ms + offsetMs(timeZone, ms);
}

/** How many ms a clock of the zone is ahead of UTC. None was changed twice in six days since 1969: what both ends of a day have, all of it has. */
export function offsetMs(timeZone: string, ms: number): number {
  const dayMs = Math.floor(ms / DAY_MS) * DAY_MS;
  const atFirst = shownOffsetMs(timeZone, dayMs);
  return atFirst === shownOffsetMs(timeZone, dayMs + DAY_MS) ? atFirst : shownOffsetMs(timeZone, ms);
}

function shownOffsetMs(timeZone: string, ms: number): number {
  // Clocks change at full seconds.
  const second = Math.floor(ms / 1_000);
  const { offsets, format } = zoneOf(timeZone);
  return memoized(offsets, second, () => {
    const shown = format.format(second * 1_000).match(/\d+/g) ?? [];
    const [month = NaN, day = NaN, year = NaN, hour = NaN, minute = NaN, shownSecond = NaN] = shown.map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, shownSecond) - second * 1_000;
  });
}

/** The first instant at which the clock shows a local time or a later one. */
export function firstInstant(timeZone: string, local: number): number {
  return memoized(zoneOf(timeZone).firsts, local, () => {
    // Since 1969 no clock has been 15 hours ahead of UTC, nor behind.
    const around = stretches(timeZone, local - 15 * HOUR_MS, local + 15 * HOUR_MS);
    const reached = around.map((stretch) => ({ ...stretch, atMs: Math.max(stretch.startMs, local - stretch.offsetMs) }));
    return reached.find(({ atMs, endMs }) => atMs < endMs)?.atMs ?? NaN;
  });
}

/** The stretches of time between two instants, found by a look at every day of UTC around them. */
export function stretches(timeZone: string, fromMs: number, toMs: number): Stretch[] {
  const [first, last] = [Math.floor(fromMs / DAY_MS) * DAY_MS, Math.ceil(toMs / DAY_MS) * DAY_MS];
  const found: Stretch[] = [];
  let startMs = first;
  for (let dayMs = first; dayMs < last; dayMs += DAY_MS) {
    if (offsetMs(timeZone, dayMs) === offsetMs(timeZone, dayMs + DAY_MS)) continue;
    const changeMs = changeWithin(timeZone, dayMs, dayMs + DAY_MS);
    found.push({ startMs, endMs: changeMs, offsetMs: offsetMs(timeZone, dayMs) });
    startMs = changeMs;
  }
  const all = [...found, { startMs, endMs: last, offsetMs: offsetMs(timeZone, last) }];
  return all
    .map((stretch) => ({ ...stretch, startMs: Math.max(stretch.startMs, fromMs), endMs: Math.min(stretch.endMs, toMs) }))
    .filter((stretch) => stretch.startMs < stretch.endMs);
}

/** The first instant with the offset of `afterMs`; at `beforeMs` there is another one, and they change once. */
function changeWithin(timeZone: string, beforeMs: number, afterMs: number): number {
  if (afterMs - beforeMs === 1_000) return afterMs;
  const middleMs = Math.floor((beforeMs + afterMs) / 2_000) * 1_000;
  const isBefore = offsetMs(timeZone, middleMs) === offsetMs(timeZone, beforeMs);
  return isBefore ? changeWithin(timeZone, middleMs, afterMs) : changeWithin(timeZone, beforeMs, middleMs);
}

/** @throws invalid_parameter */
function zoneOf(timeZone: string): Zone {
  return memoized(zones, timeZone, () => {
    const format = formatOf(timeZone);
    if (format === null) throw parameterError("invalid_parameter", "timeZone", `expected the name of a zone, got ${timeZone}`);
    return { format, offsets: new Map(), firsts: new Map() };
  });
}

/** Null for what is not the name of a zone. */
function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  if (!/^[a-z]/i.test(timeZone)) return null;
  const shown = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" } as const;
  try {
    return new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", { timeZone, hourCycle: "h23", ...shown });
  } catch {
    return null;
  }
}

function memoized<Key, Value>(known: Map<Key, Value>, key: Key, compute: () => Value): Value {
  const value = known.get(key);
  if (value !== undefined) return value;
  const computed = compute();
  known.set(key, computed);
  return computed;
}
