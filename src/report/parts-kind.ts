import type { Rows } from "../segment/rows.js";

/** Parts that change at different times: the more rows, the more seldom. */
export type PartsKind = "segments" | "full heads" | "heads";

/** The parts of a kind, from old to new. */
export function partsOf(kind: PartsKind, parts: readonly Rows[]): Rows[] {
  const kindOf = ({ sealed, settled }: Rows): PartsKind => (sealed ? "segments" : settled ? "full heads" : "heads");
  return parts.filter((rows) => kindOf(rows) === kind).sort((a, b) => a.day - b.day);
}
