/* Days as `YYYY-MM-DD`, which sort as text. */

const DAY_MS = 86_400_000;

export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < "1970") return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

export function addDays(day: string, count: number): string {
  return dayOfMs(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS);
}

/** Number of days between two days, including both. */
export function dayCount(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS) + 1;
}

function dayOfMs(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function dayIn(zone: string, nowMs: number): string {
  return dayOfMs(nowMs + offsetMs(zone, nowMs));
}

/** The offset of a zone from UTC at an instant; positive if its clocks are ahead. */
export function offsetMs(zone: string, nowMs: number): number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const parts = Object.fromEntries(format.formatToParts(nowMs).map(({ type, value }) => [type, Number(value)]));
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(nowMs / 1000) * 1000;
}

export function isZone(name: string): boolean {
  if (name === "" || /^[+-]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}
