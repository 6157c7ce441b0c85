import { isWhole, select } from "../../filter/select.js";
import { selectedRows } from "../../filter/selected-rows.js";
import type { Selector } from "../../filter/predicate.js";
import type { QueryScope } from "../../plan/plan.js";
import { SEQUENCE_COLUMN, TIME_COLUMN } from "../../../core/schema/fields.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { Pass } from "../form/pass.js";
import type { RowKeys } from "../insights/row-keys.js";
import { eachUnit, nameOfCut, type RowCut } from "../insights/row-units.js";
import type { CountedEntities } from "../insights/counted-entities.js";
import { byteLengthOfFirstRows, firstRowsOf, unitedFirstRows, type FirstRows } from "./first-rows.js";

/** First rows of subjects by the start of their time unit, from several segments or spans. */
export type FirstsByUnit = Map<number, FirstRows[]>;

type UnitedFirsts = ReadonlyMap<number, FirstRows>;

const UNIT_BYTES = 64;

/** Collects the first row of each subject per unit. Cached per span if subjects and keys have names: 20 bytes per subject and unit. */
export function firstsByUnit(scope: QueryScope, cut: RowCut, subjects: CountedEntities, keys: RowKeys): Pass<FirstsByUnit, UnitedFirsts> {
  const isLasting = subjects.name !== null && keys.name !== null;
  const name = `firsts ${nameOfCut(cut)} ${keys.name}`;
  const make = (rows: Rows, selector: Selector) => madeOf(rows, selector, cut, subjects, keys);
  const part: Pass<FirstsByUnit, UnitedFirsts> = {
    scopes: [scope],
    columns: [...subjects.columns, ...keys.columns, TIME_COLUMN, SEQUENCE_COLUMN],
    begin: () => new Map(),
    scan: (state, rows, [selector]) => {
      if (selector === undefined) return;
      const isKept = isLasting && selector.key !== null && isWhole(rows, selector);
      addAll(state, isKept ? rows.derive(`${name} ${selector.key}`, () => make(rows, selector), byteLengthOfUnits) : make(rows, selector));
    },
  };
  if (!isLasting) return part;
  return {
    ...part,
    kept: {
      key: name,
      of: async (state, pause) => {
        const united = new Map<number, FirstRows>();
        for (const [unitMs, lists] of state) united.set(unitMs, await unitedFirstRows(lists, pause));
        return united;
      },
      add: addAll,
      byteLength: byteLengthOfUnits,
    },
  };
}

function madeOf(rows: Rows, selector: Selector, cut: RowCut, subjects: CountedEntities, keys: RowKeys): UnitedFirsts {
  const made = new Map<number, FirstRows>();
  // A copy: cutting rows or making keys may overwrite the shared selection.
  eachUnit(rows, selectedRows(select(rows, selector)).slice(), cut, (unitMs, own) => {
    const first = firstRowsOf(rows, own, subjects, keys);
    if (first.subjects.length > 0) made.set(unitMs, first);
  });
  return made;
}

function addAll(state: FirstsByUnit, byUnit: UnitedFirsts): void {
  for (const [unitMs, first] of byUnit) {
    const lists = state.get(unitMs);
    if (lists === undefined) state.set(unitMs, [first]);
    else lists.push(first);
  }
}

function byteLengthOfUnits(byUnit: UnitedFirsts): number {
  return [...byUnit.values()].reduce((sum, first) => sum + byteLengthOfFirstRows(first) + UNIT_BYTES, 0);
}
