import { DaybookError, shown } from "../../core/base/errors.js";

/** Checks the application's rate for a currency on a day; undefined when it has none. @throws invalid_parameter (no number above 0) */
export function checkedRate(rate: number | undefined, from: string, to: string, day: string): number | undefined {
  if (rate === undefined || (typeof rate === "number" && Number.isFinite(rate) && rate > 0)) return rate;
  const reason = `expected a number above 0 for ${from} to ${to} on ${day}, got ${shown(rate)}`;
  throw new DaybookError("invalid_parameter", `rates: ${reason}`, { param: "rates", reason });
}
