import type { Rows } from "./rows.js";

/** Whether any row may have a code, judged by the zone map alone. */
export function mayHold(rows: Rows, column: string, code: number): boolean {
  const zone = rows.zone(column);
  if (zone === null) return code === 0;
  return code === 0 ? zone.hasZero : code >= zone.min && code <= zone.max;
}
