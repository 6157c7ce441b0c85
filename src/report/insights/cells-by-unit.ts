import { selectedRows } from "../../filter/selected-rows.js";
import type { Selector } from "../../filter/predicate.js";
import { isWhole, select } from "../../filter/select.js";
import type { QueryScope } from "../../plan/plan.js";
import type { Rows } from "../../segment/rows.js";
import { countRows } from "../events/count-rows.js";
import type { Pass } from "../form/part.js";
import { byteLengthOfCells, cellsOf, unitedCells, type Cells } from "./cells.js";
import type { RowKeys } from "./row-keys.js";
import { columnsOfCut, eachUnit, nameOfCut, unitsWithin, type RowCut } from "./row-units.js";

/** What is counted of events: `Cells` by the start of their unit of time, of several segments or spans. */
export type CellsByUnit = Map<number, Cells[]>;

/** What a figure is made of besides the number of events: an item of each event, such as who did it or a value. */
export interface RowItems {
  readonly columns: readonly string[];
  /** Items of the same name are the same ones in every question; null: they are this question's own. */
  readonly name: string | null;
  /** Whether there are a few of them, however many events. */
  readonly areFew?: boolean;
  itemsOf(rows: Rows, selected: Uint32Array): Uint32Array;
}

/** Events alone. */
export const NO_ITEMS: RowItems = { columns: [], name: "", areFew: true, itemsOf: (_rows, selected) => new Uint32Array(selected.length) };

/** Events by unit of time, key and item. Kept per span: 12 bytes for each that there is. */
export function cellsByUnit(scope: QueryScope, cut: RowCut, keys: RowKeys, items: RowItems): Pass<CellsByUnit, ReadonlyMap<number, Cells>> {
  // Then all rows of a segment are alike.
  const isCount = keys.columns.length === 0 && items.columns.length === 0;
  const name = `cells ${nameOfCut(cut)} ${keys.name} of ${items.name}`;
  const part: Pass<CellsByUnit, ReadonlyMap<number, Cells>> = {
    scopes: [scope],
    columns: [...keys.columns, ...items.columns, ...columnsOfCut(cut)],
    begin: () => new Map(),
    scan: (state, rows, [selector]) => {
      if (selector === undefined) return;
      // Where a segment lies in one unit, no list of its rows is made to count them.
      if (isCount && columnsOfCut(cut).length === 0 && isWhole(rows, selector)) {
        const count = countRows(rows, selector);
        if (count > 0) eachUnit(rows, FIRST_ROW, cut, (unitMs, first) => add(state, unitMs, { ...cellsOf(keys.keysOf(rows, first), items.itemsOf(rows, first)), counts: Uint32Array.of(count) }));
        return;
      }
      const make = () => madeOf(rows, selector, cut, keys, items);
      const areFew = keys.columns.length === 0 && items.areFew === true && selector.key !== null;
      const key = `${name} ${selector.key}`;
      if (areFew && isWhole(rows, selector)) return addAll(state, rows.derive(key, make, byteLengthOfUnits));
      // What a segment keeps under the name was kept here.
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
  // A copy: whoever cuts rows, or makes keys of them, may select rows meanwhile.
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
