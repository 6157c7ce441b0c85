import { LOCALES } from "./value.js";

const NONE = "–";

/** A number in two forms: short for display, exact for tooltips and screen readers. */
export interface FormattedNumber {
  readonly short: string;
  readonly exact: string;
}

export const NOTHING: FormattedNumber = { short: NONE, exact: "no value" };

const whole = new Intl.NumberFormat([...LOCALES], { maximumFractionDigits: 20 });
const small = new Intl.NumberFormat([...LOCALES], { maximumFractionDigits: 2 });
const compact = new Intl.NumberFormat([...LOCALES], { notation: "compact", maximumSignificantDigits: 3 });
const percents = new Intl.NumberFormat([...LOCALES], { style: "percent", maximumFractionDigits: 1 });
const exactPercents = new Intl.NumberFormat([...LOCALES], { style: "percent", maximumFractionDigits: 4 });

const far = new Intl.NumberFormat([...LOCALES], { notation: "scientific", maximumSignificantDigits: 3 });
const tiny = new Intl.NumberFormat([...LOCALES], { notation: "scientific", maximumSignificantDigits: 17 });

/** Numbers from `LONG` are abbreviated, numbers from `FAR` are in scientific notation. */
const LONG = 10_000;
const FAR = 1e15;
/** Below this, the exact form is in scientific notation. */
const TINY = 1e-3;

export function number(value: number | null): FormattedNumber {
  if (value === null) return NOTHING;
  const size = Math.abs(value);
  const short = size >= FAR ? far.format(value) : size >= LONG ? compact.format(value) : small.format(value);
  return { short, exact: size > 0 && size < TINY ? tiny.format(value) : whole.format(value) };
}

/** A share, where 1 is 100 %. */
export function percent(value: number | null): FormattedNumber {
  return value === null ? NOTHING : { short: percents.format(value), exact: exactPercents.format(value) };
}

/** Money in major units, with its currency; as a plain number if there is none. */
export function money(value: number | null, currency: string | null): FormattedNumber {
  if (value === null) return NOTHING;
  if (currency === null) return number(value);
  const style = { style: "currency", currency } as const;
  const size = Math.abs(value);
  const notation = size >= FAR ? "scientific" : "compact";
  const length = size >= LONG ? ({ notation, maximumSignificantDigits: 3 } as const) : size >= 100 || size === 0 ? { maximumFractionDigits: 0 } : {};
  const short = new Intl.NumberFormat([...LOCALES], { ...style, ...length });
  return { short: short.format(value), exact: new Intl.NumberFormat([...LOCALES], style).format(value) };
}

/** Seconds as `1 min 5 s`, `2 h 3 min`, `4 d 1 h`. */
export function duration(seconds: number | null): FormattedNumber {
  if (seconds === null) return NOTHING;
  const exact = `${whole.format(seconds)} s`;
  if (seconds < 10) return { short: `${small.format(Math.round(seconds * 10) / 10)} s`, exact };
  const total = Math.round(seconds);
  const [days, hours, minutes] = [Math.floor(total / 86_400), Math.floor(total / 3_600) % 24, Math.floor(total / 60) % 60];
  if (days > 0) return { short: `${whole.format(days)} d ${hours} h`, exact };
  if (hours > 0) return { short: `${hours} h ${minutes} min`, exact };
  return { short: minutes > 0 ? `${minutes} min ${total % 60} s` : `${total} s`, exact };
}

/** The change of a number from an earlier one. */
export interface NumberChange extends FormattedNumber {
  readonly direction: "up" | "down" | "same";
}

/** The change of a number as a share of the earlier one; null if either is missing or the earlier one is not positive. */
export function change(now: number | null, before: number | null): NumberChange | null {
  if (now === null || before === null || before <= 0) return null;
  const share = (now - before) / before;
  const direction = share > 0 ? "up" : share < 0 ? "down" : "same";
  const size = Math.abs(share);
  const short = size >= 10 ? `×${small.format(Math.round(now / before))}` : percents.format(size);
  return { short, exact: `${exactPercents.format(share)}, was ${whole.format(before)}`, direction };
}
