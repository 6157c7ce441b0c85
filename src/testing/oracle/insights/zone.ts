import { parameterError } from "../../../base/errors.js";

const HOUR_MS = 3_600_000;

/** A stretch of time, half-open, in which a zone's clock is so many ms ahead of UTC. */
export interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
  readonly offsetMs: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, number>();
const firsts = new Map<string, number>();

/** What a clock of the zone shows at an instant: the epoch ms at which a clock of UTC shows the same. */
export function localMs(timeZone: string, ms: number): number {
  return ms + offsetMs(timeZone, ms);
}

/** How many ms a clock of the zone is ahead of UTC. */
export function offsetMs(timeZone: string, ms: number): number {
  // Clocks change at full seconds.
  const second = Math.floor(ms / 1_000);
  return memoized(offsets, `${timeZone} ${second}`, () => {
    const parts = formatOf(timeZone).formatToParts(second * 1_000);
    const [year = 0, month = 0, ...rest] = ["year", "month", "day", "hour", "minute", "second"].map((type) => {
      return Number(parts.find((part) => part.type === type)?.value);
    });
    const [day = 0, hour = 0, minute = 0, shownSecond = 0] = rest;
    return Date.UTC(year, month - 1, day, hour, minute, shownSecond) - second * 1_000;
  });
}

/** The first instant at which the clock shows a local time or a later one. */
export function firstInstant(timeZone: string, local: number): number {
  return memoized(firsts, `${timeZone} ${local}`, () => {
    // No clock is a day ahead of UTC, nor behind.
    const around = stretches(timeZone, local - 24 * HOUR_MS, local + 24 * HOUR_MS);
    const reached = around.map((stretch) => ({ ...stretch, atMs: Math.max(stretch.startMs, local - stretch.offsetMs) }));
    return reached.find(({ atMs, endMs }) => atMs < endMs)?.atMs ?? NaN;
  });
}

/** The stretches of time between two instants, cut at full hours of UTC around them: every hour is looked at. */
export function stretches(timeZone: string, fromMs: number, toMs: number): Stretch[] {
  const [first, last] = [Math.floor(fromMs / HOUR_MS) * HOUR_MS, Math.ceil(toMs / HOUR_MS) * HOUR_MS];
  const found: Stretch[] = [];
  let startMs = first;
  for (let hourMs = first; hourMs < last; hourMs += HOUR_MS) {
    if (offsetMs(timeZone, hourMs) === offsetMs(timeZone, hourMs + HOUR_MS)) continue;
    const changeMs = changeWithin(timeZone, hourMs, hourMs + HOUR_MS);
    found.push({ startMs, endMs: changeMs, offsetMs: offsetMs(timeZone, hourMs) });
    startMs = changeMs;
  }
  return [...found, { startMs, endMs: last, offsetMs: offsetMs(timeZone, last) }].filter((stretch) => stretch.startMs < stretch.endMs);
}

/** The first instant with the offset of `afterMs`; at `beforeMs` there is another one, and they change once. */
function changeWithin(timeZone: string, beforeMs: number, afterMs: number): number {
  if (afterMs - beforeMs === 1_000) return afterMs;
  const middleMs = Math.floor((beforeMs + afterMs) / 2_000) * 1_000;
  const isBefore = offsetMs(timeZone, middleMs) === offsetMs(timeZone, beforeMs);
  return isBefore ? changeWithin(timeZone, middleMs, afterMs) : changeWithin(timeZone, beforeMs, middleMs);
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  return memoized(formats, timeZone, () => {
    if (!isZone(timeZone)) throw parameterError("invalid_parameter", "timeZone", `expected the name of a zone, got ${timeZone}`);
    const shown = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" } as const;
    return new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", { timeZone, hourCycle: "h23", ...shown });
  });
}

function isZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone });
    return /^[a-z]/i.test(timeZone);
  } catch {
    return false;
  }
}

function memoized<T>(known: Map<string, T>, key: string, compute: () => T): T {
  const value = known.get(key) ?? compute();
  known.set(key, value);
  return value;
}
