/** A number that an answer owes to the page, and in which form. */
export type Owed =
  | { readonly of: string; readonly as: "number" | "percent" | "seconds" | "bytes"; readonly value: number | null }
  | { readonly of: string; readonly as: "money"; readonly value: number | null; readonly currency: string | null }
  | { readonly of: string; readonly as: "change"; readonly now: number; readonly before: number }
  /** Numbers within a sentence, in their order. */
  | { readonly of: string; readonly as: "told"; readonly short: Owed; readonly values: readonly Owed[] }
  /** A text, which is no number. */
  | { readonly of: string; readonly as: "any" };

export const count = (of: string, value: number | null): Owed => ({ of, as: "number", value });
export const share = (of: string, value: number | null): Owed => ({ of, as: "percent", value });
export const seconds = (of: string, value: number | null): Owed => ({ of, as: "seconds", value });
export const cash = (of: string, value: number | null, currency: string | null): Owed => ({ of, as: "money", value, currency });

/** A change is shown only where there was something before. */
export function change(of: string, now: number | null, before: number | null): Owed[] {
  return now === null || before === null || before <= 0 ? [] : [{ of, as: "change", now, before }];
}

const NUMBER = /-?[\d,]*\.?\d+(?:E[-+]?\d+)?/g;

function numbersIn(text: string): number[] {
  return (text.replace(/^-\D+/, "-").match(NUMBER) ?? []).map((found) => Number(found.replaceAll(",", "")));
}

/** What is wrong with the exact form of a number; null: nothing. */
export function exactFault(owed: Owed, exact: string): string | null {
  const told = numbersIn(exact);
  if (owed.as === "any") return null;
  if (owed.as === "told") {
    const isTold = (each: Owed, at: number) => "value" in each && isNear(told[at] ?? NaN, each.value ?? NaN, each.as);
    const parts = owed.values.map((each, at) => (isTold(each, at) ? null : `${each.of} ${String(told[at])}`));
    return parts.find((part) => part !== null) ?? (told.length === parts.length ? null : "other numbers");
  }
  if (owed.as === "change") {
    const { now, before } = owed;
    const isRight = isNear(told[0] ?? NaN, (now - before) / before, "percent") && told[1] === before;
    return isRight ? null : `expected ${now} after ${before}`;
  }
  if (owed.value === null) return exact === "no value" || exact === "–" ? null : "expected no value";
  return isNear(told[0] ?? NaN, owed.value, owed.as) ? null : `expected ${owed.value}`;
}

/** Numbers are told whole, shares to the millionth. */
function isNear(told: number, value: number, as: Owed["as"]): boolean {
  return as === "percent" ? Math.abs(told / 100 - value) <= 5.1e-7 * Math.max(1, Math.abs(value) * 1e-6) : told === value;
}

const UNITS: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, B: 1e9, T: 1e12, k: 1e3, m: 1e6, bn: 1e9, tn: 1e12 };
const CLOCK: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3_600, d: 86_400 };
const SIZES: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

/** What is wrong with the short form of a number, which is rounded; null: nothing. */
export function shortFault(owed: Owed, short: string): string | null {
  if (owed.as === "any") return null;
  if (owed.as === "told") return shortFault(owed.short, short);
  if (owed.as === "change") return changeFault(owed.now, owed.before, short);
  const { value } = owed;
  if (value === null) return short === "–" ? null : "expected no value";
  const [told = NaN] = numbersIn(short);
  if (owed.as === "percent") return within(told / 100, value, 5.1e-4 * Math.max(1, Math.abs(value) * 1e-9));
  if (owed.as === "seconds") return secondsFault(value, short);
  if (owed.as === "bytes") return within(told * (SIZES[/[KMGT]?i?B$/.exec(short)?.[0] ?? "B"] ?? NaN), value, Math.abs(value) * 0.005);
  const unit = UNITS[/\d([A-Za-z]+)$/.exec(short)?.[1] ?? ""] ?? 1;
  const isMoney = owed.as === "money" && owed.currency !== null;
  const size = Math.abs(value);
  return within(told * unit, value, size >= 10_000 ? size * 0.005001 : isMoney && size >= 100 ? 0.501 : 0.005001);
}

function within(told: number, value: number, tolerance: number): string | null {
  // What is rounded up may be no number any more.
  return Math.abs(told - value) <= tolerance || (told === Infinity && value > 1.79e308) ? null : `expected about ${value}, ${told} is told`;
}

function secondsFault(value: number, short: string): string | null {
  const found = [...short.matchAll(/([\d.,]+) (s|min|h|d)\b/g)];
  const parts = found.map(([, number = "", unit = ""]) => [Number(number.replaceAll(",", "")), CLOCK[unit] ?? NaN] as const);
  const told = parts.reduce((sum, [number, unit]) => sum + number * unit, 0);
  const finest = parts.at(-1)?.[1] ?? NaN;
  return within(told, value, finest === 1 ? 0.501 : finest);
}

function changeFault(now: number, before: number, short: string): string | null {
  const [told = NaN] = numbersIn(short);
  const direction = now > before ? "up" : now < before ? "down" : "unchanged";
  if (!short.startsWith(direction)) return `expected ${direction}`;
  const moved = Math.abs((now - before) / before);
  return short.includes("×") ? within(told, now / before, 0.5 + (now / before) * 1e-9) : within(told / 100, moved, 5.1e-4);
}
