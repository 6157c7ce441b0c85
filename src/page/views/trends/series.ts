import { fieldValue } from "../../format/value.js";

/** What a series is called: its value, or what is counted. */
export function seriesName(values: readonly string[], by: string): string {
  const [value] = values;
  return value === undefined ? "All" : fieldValue(by, value);
}
