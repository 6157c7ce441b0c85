import { dayOf, dayStartMs } from "../base/time.js";

/** A span of time in which a zone's clocks are `offsetMs` ahead of UTC. */
interface OffsetSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly offsetMs: number;
}

/** UTC days whose offsets a zone caches: 27 years, 2 MB in a map. Recomputing an evicted day takes 3 µs. */
const KNOWN_DAY_COUNT_MAX = 10_000;
/** Cached zones, each with a formatter of about 50 kB. */
const KNOWN_ZONE_COUNT_MAX = 64;

const known = new Map<string, Zone>();

/** The zone with an IANA name, from the runtime's tz data; null for any other text, including offsets such as `+01:00`. */
export function zoneOf(name: string): Zone | null {
  const before = known.get(name);
  if (before !== undefined) return before;
  if (!/^[A-Za-z]/.test(name)) return null;
  let format: Intl.DateTimeFormat | null;
  try {
    // The first formatter of a process takes about 25 ms.
    format = name === "UTC" ? null : formatOf(name);
  } catch {
    return null;
  }
  for (const oldest of known.keys()) {
    if (known.size < KNOWN_ZONE_COUNT_MAX) break;
    known.delete(oldest);
  }
  const zone = new Zone(name, format);
  known.set(name, zone);
  return zone;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
}

/** Local time is the epoch ms at which a UTC clock shows the same. Sampled once per UTC day: no zone had two changes in one that cancel out. */
export class Zone {
  readonly #format: Intl.DateTimeFormat | null;
  /** The offset at the first instant of each UTC day. */
  readonly #offsets = new Map<number, number>();
  readonly #isUtc: boolean;
  /** The same for all names of a zone. */
  readonly id: string;

  /** @param format null for UTC */
  constructor(
    readonly name: string,
    format: Intl.DateTimeFormat | null,
  ) {
    this.#format = format;
    this.id = format?.resolvedOptions().timeZone ?? "UTC";
    this.#isUtc = this.id === "UTC";
  }

  /** The offset from UTC at an instant, in ms; positive if the zone's clocks are ahead. */
  offsetMsAt(ms: number): number {
    if (this.#isUtc) return 0;
    const day = dayOf(ms);
    const first = this.#offsetOf(day);
    return first === this.#offsetOf(day + 1) ? first : this.#computed(ms);
  }

  /** The first instant at which a clock shows `localMs` or later. */
  firstAt(localMs: number): number {
    if (this.#isUtc) return localMs;
    const day = dayOf(localMs);
    for (const { fromMs, toMs, offsetMs } of this.spansIn(dayStartMs(day - 1), dayStartMs(day + 3))) {
      const ms = Math.max(fromMs, localMs - offsetMs);
      if (ms < toMs) return ms;
    }
    throw new RangeError("a clock is at most a day ahead of UTC, or behind it");
  }

  /** The offset spans of `[fromMs, toMs)`, in order. Cost: one step per day. */
  spansIn(fromMs: number, toMs: number): OffsetSpan[] {
    if (this.#isUtc) return [{ fromMs, toMs, offsetMs: 0 }];
    const spans: OffsetSpan[] = [];
    let offsetMs = this.offsetMsAt(fromMs);
    let startMs = fromMs;
    for (let day = dayOf(fromMs); dayStartMs(day) < toMs; day += 1) {
      const endMs = Math.min(dayStartMs(day + 1), toMs);
      const last = endMs === toMs ? this.offsetMsAt(toMs - 1) : this.#offsetOf(day + 1);
      let atMs = Math.max(dayStartMs(day), fromMs);
      while (offsetMs !== last) {
        atMs = this.#changeAfter(atMs, endMs, offsetMs);
        if (atMs >= toMs) break;
        spans.push({ fromMs: startMs, toMs: atMs, offsetMs });
        startMs = atMs;
        offsetMs = this.#computed(atMs);
      }
    }
    spans.push({ fromMs: startMs, toMs, offsetMs });
    return spans;
  }

  /** The first full second in `(fromMs, toMs]` whose offset differs from `offsetMs`. */
  #changeAfter(fromMs: number, toMs: number, offsetMs: number): number {
    let [before, after] = [Math.floor(fromMs / 1000), Math.ceil(toMs / 1000)];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.#computed(middle * 1000) === offsetMs) before = middle;
      else after = middle;
    }
    return after * 1000;
  }

  #offsetOf(day: number): number {
    let offsetMs = this.#offsets.get(day);
    if (offsetMs === undefined) {
      if (this.#offsets.size >= KNOWN_DAY_COUNT_MAX) this.#offsets.clear();
      this.#offsets.set(day, (offsetMs = this.#computed(dayStartMs(day))));
    }
    return offsetMs;
  }

  #computed(ms: number): number {
    const seconds = Math.floor(ms / 1000) * 1000;
    const [month = 1, day = 1, year = 0, hour = 0, minute = 0, second = 0] = this.#format?.format(seconds).match(/\d+/g)?.map(Number) ?? [];
    return Date.UTC(year, month - 1, day, hour, minute, second) - seconds;
  }
}
