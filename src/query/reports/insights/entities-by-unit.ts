import { isWhole, select } from "../../filter/select.js";
import { selectedRows } from "../../filter/selected-rows.js";
import type { ActorTest, Selector } from "../../filter/predicate.js";
import type { QueryScope } from "../../plan/plan.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { actorsOfAll, byteLengthOf, distinctActors, distinctOf, passingActors, unitedActors, type DistinctActors } from "../events/distinct-actors.js";
import type { Pass } from "../form/pass.js";
import { columnsOfCut, eachUnit, nameOfCut, unitsWithin, type RowCut } from "./row-units.js";
import type { CountedEntities } from "./counted-entities.js";

/** Distinct subjects by the start of their time unit, from several segments or spans. No set is empty. */
export type EntitiesByUnit = Map<number, DistinctActors[]>;

interface UnitedByUnit {
  readonly byUnit: ReadonlyMap<number, DistinctActors>;
  /** Size of the unions made for this span; other units share their subjects with a shorter span or a segment. */
  readonly ownByteLength: number;
}

const UNIT_BYTES = 32;
const FIRST_ROW = Uint32Array.of(0);

/**
 * Collects the subjects of a scope's rows by unit. Cached per span if subjects have a name: a few bits or bytes per subject and unit.
 * @param cuts one, or two with overlapping units: rows are then grouped by the intersections of their units, keyed by start
 */
export function entitiesByUnit(scope: QueryScope, cuts: readonly [RowCut, ...RowCut[]], subjects: CountedEntities): Pass<EntitiesByUnit, UnitedByUnit> {
  const cutColumns = cuts.flatMap(columnsOfCut);
  const name = `subjects ${cuts.map(nameOfCut).join(" and ")}`;
  const isOneUnit = cutColumns.length === 0;
  const make = (rows: Rows, selector: Selector) => madeOf(rows, selector, cuts, subjects);
  const part: Pass<EntitiesByUnit, UnitedByUnit> = {
    scopes: [scope],
    columns: [...subjects.columns, ...cutColumns],
    begin: () => new Map(),
    scan: (state, rows, [selector]) => {
      if (selector === undefined) return;
      const isLasting = subjects.name !== null && selector.key !== null;
      const isKept = isLasting && isWhole(rows, selector);
      const key = `${name} ${selector.key}`;
      // Safe cast: only this function caches under this name.
      const known = isLasting && !isKept && cuts.length === 1 ? (rows.kept(key, []) as ReadonlyMap<number, DistinctActors> | null) : null;
      const within = known === null ? null : unitsWithin(rows, cuts[0], selector);
      // Rows within one unit have the same subjects for every cut.
      if (isKept && isOneUnit) addOne(state, rows, cuts, distinctActors(rows, selector));
      else if (known !== null && within !== null) addAll(state, [...known].filter(([unitMs]) => within.has(unitMs)));
      else addAll(state, isKept ? rows.derive(key, () => make(rows, selector), byteLengthOfUnits) : make(rows, selector));
    },
  };
  if (subjects.name === null) return part;
  return {
    ...part,
    only: (state, passes) => passing(state, passes),
    ...(isOneUnit ? { scanWho: (state, rows, who) => addOne(state, rows, cuts, actorsOfAll(rows, who)) } : {}),
    kept: {
      key: name,
      of: united,
      add: (state, { byUnit }) => addAll(state, byUnit),
      byteLength: ({ byUnit, ownByteLength }) => byUnit.size * UNIT_BYTES + ownByteLength,
    },
  };
}

function madeOf(rows: Rows, selector: Selector, cuts: readonly RowCut[], subjects: CountedEntities): ReadonlyMap<number, DistinctActors> {
  const made = new Map<number, DistinctActors>();
  // A copy: cutting rows or finding subjects may overwrite the shared selection.
  const selected = selectedRows(select(rows, selector)).slice();
  eachCrossing(rows, selected, cuts, (unitMs, own) => {
    const distinct = distinctOf(subjects.subjectsOf(rows, own));
    if (!isEmpty(distinct)) made.set(unitMs, distinct);
  });
  return made;
}

/** Visits the intersections of the units of several cuts. */
function eachCrossing(rows: Rows, selected: Uint32Array, [cut = null, ...others]: readonly RowCut[], take: (unitMs: number, selected: Uint32Array) => void): void {
  eachUnit(rows, selected, cut, (unitMs, own) => {
    if (others.length === 0) take(unitMs, own);
    else eachCrossing(rows, own, others, (otherMs, crossing) => take(Math.max(unitMs, otherMs), crossing));
  });
}

/** Adds the subjects of rows that all lie in one unit. */
function addOne(state: EntitiesByUnit, rows: Rows, cuts: readonly RowCut[], distinct: DistinctActors): void {
  if (!isEmpty(distinct)) eachCrossing(rows, FIRST_ROW, cuts, (unitMs) => add(state, unitMs, distinct));
}

function addAll(state: EntitiesByUnit, byUnit: Iterable<readonly [number, DistinctActors]>): void {
  for (const [unitMs, distinct] of byUnit) add(state, unitMs, distinct);
}

function add(state: EntitiesByUnit, unitMs: number, distinct: DistinctActors): void {
  const ofUnit = state.get(unitMs);
  if (ofUnit === undefined) state.set(unitMs, [distinct]);
  else ofUnit.push(distinct);
}

function passing(state: EntitiesByUnit, passes: ActorTest): EntitiesByUnit {
  const left: EntitiesByUnit = new Map();
  for (const [unitMs, parts] of state) for (const distinct of passingActors(parts, passes)) if (!isNobody(distinct)) left.set(unitMs, [distinct]);
  return left;
}

function isEmpty(distinct: DistinctActors): boolean {
  return distinct.kind === "list" && distinct.actors.length === 0;
}

/** Also detects empty bit sets. */
function isNobody(distinct: DistinctActors): boolean {
  return distinct.kind === "list" ? distinct.actors.length === 0 : distinct.users.every((word) => word === 0) && distinct.anonymous.every((word) => word === 0);
}

function united(state: EntitiesByUnit): UnitedByUnit {
  const byUnit = new Map<number, DistinctActors>();
  let ownByteLength = 0;
  for (const [unitMs, parts] of state) {
    const one = unitedActors(parts);
    byUnit.set(unitMs, one);
    if (parts.length > 1) ownByteLength += byteLengthOf(one);
  }
  return { byUnit, ownByteLength };
}

function byteLengthOfUnits(byUnit: ReadonlyMap<number, DistinctActors>): number {
  return [...byUnit.values()].reduce((sum, distinct) => sum + byteLengthOf(distinct) + UNIT_BYTES, 0);
}
