import { expect, test } from "vitest";
import { zoneOf } from "../../../src/core/calendar/zone.js";
import { caseCount } from "../../oracle/settings.js";

const DAY_MS = 86_400_000;
/** Zones with half hours, seconds, skipped days, clocks put back for a week, and clocks that change at midnight. */
const PECULIAR = [
  "UTC", "Europe/Berlin", "America/New_York", "America/St_Johns", "America/Havana", "America/Noronha", "America/Recife", "Africa/Monrovia", "Africa/Casablanca", "Africa/Cairo",
  "Asia/Gaza", "Asia/Kathmandu", "Asia/Tehran", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Kwajalein", "Pacific/Kiritimati", "Antarctica/Troll",
];

/** What a clock shows, asked of the runtime for each instant. */
function offsetMs(format: Intl.DateTimeFormat, ms: number): number {
  const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const shownMs = Date.UTC(part["year"] ?? 0, (part["month"] ?? 1) - 1, part["day"], part["hour"], part["minute"], part["second"]);
  return shownMs - Math.floor(ms / 1000) * 1000;
}

test("Offsets are those of the runtime at every fifth hour, and a local time is found at the first instant that shows it.", () => {
  const fields = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" } as const;
  const wrong: unknown[] = [];
  for (const name of caseCount(0, 1) === 1 ? Intl.supportedValuesOf("timeZone") : PECULIAR) {
    const zone = zoneOf(name);
    if (zone === null) throw new Error(`there is no zone ${name}`);
    const format = new Intl.DateTimeFormat("en-US", { timeZone: name, hourCycle: "h23", ...fields });
    for (let round = 0; round < caseCount(2, 6); round += 1) {
      const start = Date.UTC(1970 + ((round * 37 + name.length) % 70), (round * 5) % 12, 1);
      for (const { fromMs, toMs, offsetMs: spanOffsetMs } of zone.spansIn(start, start + 40 * DAY_MS))
        for (const ms of [fromMs, toMs - 1, Math.floor((fromMs + toMs) / 2)]) if (offsetMs(format, ms) !== spanOffsetMs) wrong.push([name, "span", ms]);
      for (let hour = 0; hour < 40 * 24; hour += 5) {
        const ms = start + hour * 3_600_000;
        const own = offsetMs(format, ms);
        if (zone.offsetMsAt(ms) !== own) wrong.push([name, "offset", ms]);
        const first = zone.firstAt(ms + own);
        const shows = (at: number) => at + offsetMs(format, at) >= ms + own;
        if (first > ms || !shows(first) || shows(first - 1)) wrong.push([name, "first", ms]);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test("A name that is none, or an offset, is no zone.", () => {
  for (const name of ["", "Europe/Nowhere", "+01:00", "-0100", "Berlin", "europe berlin", "\u0000UTC"]) expect([name, zoneOf(name)]).toEqual([name, null]);
  expect(zoneOf("Europe/Berlin")).toBe(zoneOf("Europe/Berlin"));
});
