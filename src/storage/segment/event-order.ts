import { compareCodePoints } from "../../core/base/order.js";
import { compareIds } from "../../core/base/uuid.js";
import type { Rows } from "./rows.js";

/** The parts of rows that order those of one millisecond; ids must be loaded. */
type KeyedRows = Pick<Rows, "ids" | "projectOf">;

/** Orders events of one millisecond: by id, then by project, as an id is unique only within its project. */
export interface EventKey {
  /** 16 bytes. */
  readonly id: Uint8Array;
  readonly project: string;
}

/** A placeholder for when no event shares the millisecond, so that any key will do. */
export const NO_KEY: EventKey = { id: new Uint8Array(16), project: "" };

/** The key of a row, as a copy that outlives its rows. */
export function eventKeyOf(rows: KeyedRows, row: number): EventKey {
  return { id: rows.ids().slice(row * 16, row * 16 + 16), project: rows.projectOf(row) };
}

export function compareKeys(a: EventKey, b: EventKey): number {
  return compareIds(a.id, 0, b.id, 0) || compareCodePoints(a.project, b.project);
}

/** Compares a row with a key. */
export function compareWithKey(rows: KeyedRows, row: number, key: EventKey): number {
  return compareIds(rows.ids(), row * 16, key.id, 0) || compareCodePoints(rows.projectOf(row), key.project);
}

/** Compares two rows of one millisecond. */
export function compareEvents(a: KeyedRows, aRow: number, b: KeyedRows, bRow: number): number {
  return compareIds(a.ids(), aRow * 16, b.ids(), bRow * 16) || compareCodePoints(a.projectOf(aRow), b.projectOf(bRow));
}

/** Like `compareEvents` for two rows of the same segment or head. */
export function orderWithin(rows: KeyedRows): (a: number, b: number) => number {
  const ids = rows.ids();
  return (a, b) => compareIds(ids, a * 16, ids, b * 16) || compareCodePoints(rows.projectOf(a), rows.projectOf(b));
}
