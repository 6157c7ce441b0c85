const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;

/** Milliseconds of one day. */
export const DAY_MS = 86_400_000;

/** A half-open span of epoch ms: a date covers its day, a timestamp one millisecond. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The span that a date or an RFC 3339 timestamp with a zone covers; null for any other text and for impossible dates. */
export function spanOf(text: string): Span | null {
  const dayMs = dayMsOf(text);
  if (dayMs !== null) return { fromMs: dayMs, toMs: dayMs + DAY_MS };
  const instantMs = instantMsOf(text);
  return instantMs === null ? null : { fromMs: instantMs, toMs: instantMs + 1 };
}

/** Epoch ms of an RFC 3339 timestamp with a zone, digits below the millisecond cut off; null for any other text. */
export function instantMsOf(text: string): number | null {
  const [, date = "", hour, minute, second, fraction = ".", zone = "Z"] = TIMESTAMP.exec(text) ?? [];
  const dayMs = dayMsOf(date);
  if (dayMs === null || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const [zoneHours, zoneMinutes] = zone.length === 1 ? [0, 0] : [Number(zone.slice(1, 3)), Number(zone.slice(4))];
  if (zoneHours > 23 || zoneMinutes > 59) return null;
  const zoneMs = (zoneHours * 60 + zoneMinutes) * 60_000 * (zone.startsWith("-") ? -1 : 1);
  const wholeMs = dayMs + Number(hour) * 3_600_000 + Number(minute) * 60_000 + Number(second) * 1_000;
  const ms = wholeMs + Number(fraction.slice(1, 4).padEnd(3, "0")) - zoneMs;
  return ms >= 0 && ms < Date.UTC(10_000, 0, 1) ? ms : null;
}

function dayMsOf(text: string): number | null {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined || Number(year) < 1970) return null;
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day));
  return new Date(ms).toISOString().startsWith(text) ? ms : null;
}
