import { selectedRows } from "../../filter/selected-rows.js";
import type { Selector } from "../../filter/predicate.js";
import { isWhole, select } from "../../filter/select.js";
import type { QueryScope } from "../../plan/plan.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { countRows } from "../events/count-rows.js";
import type { Pass } from "../form/pass.js";
import { byteLengthOfCells, cellsOf, unitedCells, type Cells } from "./cells.js";
import type { RowKeys } from "./row-keys.js";
import { columnsOfCut, eachUnit, nameOfCut, unitsWithin, type RowCut } from "./row-units.js";

/** Counts of events: `Cells` by the start of their time unit, from several segments or spans. */
export type CellsByUnit = Map<number, Cells[]>;

/** What a figure is computed from besides the number of events: an item per event, such as its actor or a value. */
export interface RowItems {
  readonly columns: readonly string[];
  /** Items with the same name are the same in every query; null: they are specific to this query. */
  readonly name: string | null;
  /** Whether there are few distinct items, regardless of the number of events. */
  readonly areFew?: boolean;
  itemsOf(rows: Rows, selected: Uint32Array): Uint32Array;
}

/** For counts of events alone. */
export const NO_ITEMS: RowItems = { columns: [], name: "", areFew: true, itemsOf: (_rows, selected) => new Uint32Array(selected.length) };

/** Counts events by time unit, key and item. Cached per span: 12 bytes per combination that occurs. */
export function cellsByUnit(scope: QueryScope, cut: RowCut, keys: RowKeys, items: RowItems): Pass<CellsByUnit, ReadonlyMap<number, Cells>> {
  // All rows of a segment then have the same key and item.
  const isCount = keys.columns.length === 0 && items.columns.length === 0;
  const name = `cells ${nameOfCut(cut)} ${keys.name} of ${items.name}`;
  const part: Pass<CellsByUnit, ReadonlyMap<number, Cells>> = {
    scopes: [scope],
    columns: [...keys.columns, ...items.columns, ...columnsOfCut(cut)],
    begin: () => new Map(),
    scan: (state, rows, [selector]) => {
      if (selector === undefined) return;
      // Counts a segment within one unit without listing its rows.
      if (isCount && columnsOfCut(cut).length === 0 && isWhole(rows, selector)) {
        const count = countRows(rows, selector);
        if (count > 0) eachUnit(rows, FIRST_ROW, cut, (unitMs, first) => add(state, unitMs, { ...cellsOf(keys.keysOf(rows, first), items.itemsOf(rows, first)), counts: Uint32Array.of(count) }));
        return;
      }
      const make = () => madeOf(rows, selector, cut, keys, items);
      const areFew = keys.columns.length === 0 && items.areFew === true && selector.key !== null;
      const key = `${name} ${selector.key}`;
      if (areFew && isWhole(rows, selector)) return addAll(state, rows.derive(key, make, byteLengthOfUnits));
      // Safe cast: only this function caches under this name.
      const known = areFew ? (rows.kept(key, []) as ReadonlyMap<number, Cells> | null) : null;
      const within = known === null ? null : unitsWithin(rows, cut, selector);
      addAll(state, known === null || within === null ? make() : [...known].filter(([unitMs]) => within.has(unitMs)));
    },
  };
  if (keys.name === null || items.name === null) return part;
  return {
    ...part,
    kept: {
      key: name,
      of: (state) => new Map([...state].map(([unitMs, lists]) => [unitMs, unitedCells(lists)])),
      add: addAll,
      byteLength: byteLengthOfUnits,
    },
  };
}

const UNIT_BYTES = 100;
const FIRST_ROW = Uint32Array.of(0);

function madeOf(rows: Rows, selector: Selector, cut: RowCut, keys: RowKeys, items: RowItems): ReadonlyMap<number, Cells> {
  const made = new Map<number, Cells>();
  // A copy: cutting rows or making keys may overwrite the shared selection.
  eachUnit(rows, selectedRows(select(rows, selector)).slice(), cut, (unitMs, selected) => made.set(unitMs, cellsOf(keys.keysOf(rows, selected), items.itemsOf(rows, selected))));
  return made;
}

function addAll(state: CellsByUnit, byUnit: Iterable<readonly [number, Cells]>): void {
  for (const [unitMs, cells] of byUnit) add(state, unitMs, cells);
}

function byteLengthOfUnits(byUnit: ReadonlyMap<number, Cells>): number {
  return [...byUnit.values()].reduce((sum, cells) => sum + byteLengthOfCells(cells) + UNIT_BYTES, 0);
}

function add(state: CellsByUnit, unitMs: number, cells: Cells): void {
  const lists = state.get(unitMs);
  if (lists === undefined) state.set(unitMs, [cells]);
  else lists.push(cells);
}
