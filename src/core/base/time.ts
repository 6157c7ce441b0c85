import { LIMITS } from "./limits.js";

export const MS_PER_DAY = 86_400_000;

/** Days since 1970-01-01 (UTC) of an instant. */
export function dayOf(ms: number): number {
  return Math.floor(ms / MS_PER_DAY);
}

/** Epoch ms of 00:00Z of a day. */
export function dayStartMs(day: number): number {
  return day * MS_PER_DAY;
}

const CACHED_DAY_COUNT = 1_024;
const cachedDayTexts = new Map<number, string>();

function dayText(day: number): string {
  const cached = cachedDayTexts.get(day);
  if (cached !== undefined) return cached;
  if (cachedDayTexts.size === CACHED_DAY_COUNT) cachedDayTexts.clear();
  const text = new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
  cachedDayTexts.set(day, text);
  return text;
}

const two = (value: number) => (value < 10 ? `0${value}` : `${value}`);
const three = (value: number) => (value < 10 ? `00${value}` : value < 100 ? `0${value}` : `${value}`);

/** `2026-03-01T09:30:00.000Z` of epoch ms within the years 1970 to 9999. */
export function isoOf(ms: number): string {
  const day = dayOf(ms);
  const rest = ms - day * MS_PER_DAY;
  const hour = Math.floor(rest / 3_600_000);
  const minute = Math.floor(rest / 60_000) % 60;
  const second = Math.floor(rest / 1_000) % 60;
  return `${dayText(day)}T${two(hour)}:${two(minute)}:${two(second)}.${three(rest % 1_000)}Z`;
}

/** 00:00Z of a day as ISO text with milliseconds. */
export function isoOfDay(day: number): string {
  return `${dayText(day)}T00:00:00.000Z`;
}

const dateOnly = /^(\d{4})-(\d{2})-(\d{2})$/;
const timestamp = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/;

let parsedDateText = "";
let parsedDateMs: number | null = null;

/** Epoch ms of 00:00Z of `YYYY-MM-DD`; null for anything else, including impossible dates and years before 1970. */
export function parseDateOnly(text: string): number | null {
  if (text === parsedDateText) return parsedDateMs;
  const match = dateOnly.exec(text);
  if (match === null) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const ms = Date.UTC(year, month - 1, day);
  const valid = year >= 1970 && month >= 1 && month <= 12 && day >= 1 && new Date(ms).getUTCDate() === day;
  parsedDateText = text;
  parsedDateMs = valid ? ms : null;
  return parsedDateMs;
}

/** Epoch ms of an RFC 3339 timestamp with a zone, cut to milliseconds; null for anything else. */
export function parseTimestamp(text: string): number | null {
  const plain = parsePlainUtc(text);
  if (plain !== -1) return plain;
  const match = timestamp.exec(text);
  if (match === null) return null;
  const dateMs = parseDateOnly(match[1] ?? "");
  const [hour, minute, second] = [Number(match[2]), Number(match[3]), Number(match[4])];
  if (dateMs === null || hour > 23 || minute > 59 || second > 59) return null;
  const fraction = Number((match[5] ?? "0").slice(0, 3).padEnd(3, "0"));
  let offsetMinutes = 0;
  if (match[7] !== undefined) {
    const [offsetHour, offsetMinute] = [Number(match[8]), Number(match[9])];
    if (offsetHour > 23 || offsetMinute > 59) return null;
    offsetMinutes = (offsetHour * 60 + offsetMinute) * (match[7] === "-" ? -1 : 1);
  }
  const ms = dateMs + hour * 3_600_000 + (minute - offsetMinutes) * 60_000 + second * 1_000 + fraction;
  return ms >= 0 && ms < LIMITS.instantMaxMs ? ms : null;
}

/** Parses the form of our own results, `YYYY-MM-DDTHH:MM:SS.mmmZ`, without a regular expression; -1 for any other text. */
function parsePlainUtc(text: string): number {
  if (text.length !== 24 || text[10] !== "T" || text[19] !== "." || text[23] !== "Z") return -1;
  if (text[13] !== ":" || text[16] !== ":") return -1;
  const hour = digits(text, 11, 2);
  const minute = digits(text, 14, 2);
  const second = digits(text, 17, 2);
  const fraction = digits(text, 20, 3);
  if (hour < 0 || minute < 0 || second < 0 || fraction < 0 || hour > 23 || minute > 59 || second > 59) return -1;
  const dateMs = parseDateOnly(text.slice(0, 10));
  return dateMs === null ? -1 : dateMs + hour * 3_600_000 + minute * 60_000 + second * 1_000 + fraction;
}

function digits(text: string, start: number, count: number): number {
  let value = 0;
  for (let at = start; at < start + count; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** The source of `now`, injected everywhere so that every result is a function of its input. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}

/** The system clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** The same clock in whole milliseconds, the unit in which instants are stored. */
export function wholeClock(clock: Clock): Clock {
  return { now: () => Math.floor(clock.now()) };
}

/** A clock that stands still until it is set. */
export function fixedClock(nowMs: number): Clock & { set(nowMs: number): void } {
  let current = nowMs;
  return {
    now: () => current,
    set: (next) => {
      current = next;
    },
  };
}

/** Waits; ends early when the signal is aborted. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** A system timer, which does not keep the process alive. */
export const timer: Wait = (ms, signal) => waitFor(ms, signal, (handle) => handle.unref?.());

/** A system timer, which keeps the process alive. */
export const keepingTimer: Wait = (ms, signal) => waitFor(ms, signal, () => undefined);

function waitFor(ms: number, signal: AbortSignal, started: (handle: { unref?(): void }) => void): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(handle);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const handle = setTimeout(end, ms);
    started(handle as { unref?(): void });
    signal.addEventListener("abort", end);
  });
}
