import { count, plain } from "./format.js";

const TEXT_WIDTH = 56;

/** A value of an answer as a person reads it. @param name of its member, which tells its unit */
export function cell(name: string, value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "number") return name.endsWith("Rate") || name === "rate" ? percent(value) : name.endsWith("Sec") ? seconds(value) : figure(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value === "" ? "(not set)" : plain(name === "day" ? value.slice(0, 10) : value, TEXT_WIDTH);
  return plain(JSON.stringify(value), TEXT_WIDTH);
}

/** The values that a row stands under; none: of all. */
export function valuesText(values: readonly string[], separator = ", "): string {
  return values.length === 0 ? "all" : values.map((value) => cell("", value)).join(separator);
}

/** A name of a member as words: `entryPages` is `entry pages`, `durationAvgSec` is `duration avg`. */
export function words(name: string): string {
  return name.replace(/(?<=.)Sec$/, "").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** A number that need not be whole. */
export function figure(value: number | null): string {
  if (value === null) return "-";
  return Number.isInteger(value) ? count(value) : value.toLocaleString("en-US", { maximumFractionDigits: 4 });
}

/** A share as percent, with one decimal. */
export function percent(share: number | null): string {
  return share === null ? "-" : `${(share * 100).toFixed(1)} %`;
}

/** How long something took, in the unit that reads best. */
export function seconds(value: number | null): string {
  if (value === null) return "-";
  const [unit, divisor] = value < 120 ? ["s", 1] : value < 7_200 ? ["min", 60] : value < 172_800 ? ["h", 3_600] : ["days", 86_400];
  const inUnit = value / divisor;
  return `${Number.isInteger(inUnit) ? count(inUnit) : inUnit.toFixed(1)} ${unit}`;
}
