import type { Rows } from "../../../storage/segment/rows.js";
import { ACTOR_COLUMNS } from "../../../storage/segment/summaries.js";
import { assert } from "../../../core/base/errors.js";
import type { EntityLevel } from "../../plan/input.js";
import { ID_COLUMN } from "../../../core/schema/fields.js";
import { COMPANY_READER_COLUMNS, CompanyReader } from "../../filter/company-reader.js";
import type { RowContext, Pass } from "../form/report.js";
import { isWhole, type Selector } from "../../filter/select.js";
import type { QueryScope } from "../../plan/plan.js";
import {
  actorsOfAll, actorsOfRows, byteLengthOf, distinctActors, distinctOf, passingByUnit, unitedByUnit, type DistinctActors, type UnitedByUnit,
} from "../events/distinct-actors.js";
import {
  addUnit, addUnits, byteLengthOfUnits, columnsOfCut, cachedUnits, madeByUnit, nameOfCut, unitOfAll, type ByUnit, type RowCut,
} from "./row-units.js";

/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
/**
 * Maps rows to the entities that they count for. Each row has an entity key. For people it is the actor, resolved to an identity when the query
 * finishes, so that states can be cached; for accounts it is the company itself, or the identity of a row without one.
 */
export interface CountedEntities {
  readonly columns: readonly string[];
  /** Entity keys with the same name are the same in every query; null: they are specific to this query. */
  readonly name: string | null;
  /** Exclusive upper bound of all entity keys and entities of the query. At most 2^26. */
  readonly end: number;
  /** The entity key of each selected row; 0 for none. @param selected ascending */
  entityKeysOf(rows: Rows, selected: Uint32Array): Uint32Array;
  /** Which entity keys may belong to another entity than themselves. Keys of anonymous ids are odd. */
  readonly moved: "none" | "anonymous" | "all";
  /** The entity of an entity key, in the same numbering; an entity stands for itself. */
  entityOf(entityKey: number): number;
}

/** @param context provides memberships, for accounts */
export function countedEntitiesOf(level: EntityLevel, context: RowContext): CountedEntities {
  return level === "identity" ? people(context) : accounts(context);
}

function people({ dictionaries, identities }: RowContext): CountedEntities {
  return {
    columns: ACTOR_COLUMNS,
    name: "actors",
    end: Math.max(dictionaries.named("userId").size, dictionaries.named("anonymousId").size) * 2,
    entityKeysOf: actorsOfRows,
    moved: identities.hasMerges ? "all" : identities.linkCount > 0 ? "anonymous" : "none",
    entityOf: (entityKey) => identities.identityOf(entityKey),
  };
}

/** The account of an event is its company, else its identity. Companies are numbered after all identities. */
function accounts(context: RowContext): CountedEntities {
  const { companies, dictionaries, identities } = context;
  assert(companies !== null, "companies were loaded (needsCompanies)");
  const { end: firstCompany } = people(context);
  return {
    columns: companies.hasChanges ? [...COMPANY_READER_COLUMNS, ID_COLUMN] : COMPANY_READER_COLUMNS,
    name: null,
    end: firstCompany + dictionaries.named("companyId").size,
    entityKeysOf: (rows, selected) => {
      const reader = new CompanyReader(rows, identities, companies);
      const entityKeys = new Uint32Array(selected.length);
      for (let at = 0; at < selected.length; at += 1) {
        const row = selected[at]!;
        const company = reader.companyOf(row);
        entityKeys[at] = company === 0 ? reader.identityOf(row) : firstCompany + company;
      }
      return entityKeys;
    },
    moved: "none",
    entityOf: (entityKey) => entityKey,
  };
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/** Distinct entity keys by time unit. No set is empty. */
export type EntitiesByUnit = ByUnit<DistinctActors>;

/**
 * Collects the entity keys of a scope's rows by unit. Cached per span if the keys have a name: a few bits or bytes per key and unit.
 * @param cuts one, or two with overlapping units: rows are then grouped by the intersections of their units, keyed by start
 */
export function entitiesByUnit(scope: QueryScope, cuts: readonly [RowCut, ...RowCut[]], counted: CountedEntities): Pass<EntitiesByUnit, UnitedByUnit> {
  const cutColumns = cuts.flatMap(columnsOfCut);
  const name = `entity keys ${cuts.map(nameOfCut).join(" and ")}`;
  const isOneUnit = cutColumns.length === 0;
  const make = (rows: Rows, selector: Selector) =>
    madeByUnit(rows, selector, cuts, (selected) => {
      const distinct = distinctOf(counted.entityKeysOf(rows, selected));
      return isEmpty(distinct) ? null : distinct;
    });
  const pass: Pass<EntitiesByUnit, UnitedByUnit> = {
    scopes: [scope],
    columns: [...counted.columns, ...cutColumns],
    begin: () => new Map(),
    scan: (state, rows, [selector]) => {
      const isLasting = counted.name !== null && selector.key !== null;
      const isCached = isLasting && isWhole(rows, selector);
      const key = `${name} ${selector.key}`;
      const known = isLasting && !isCached && cuts.length === 1 ? cachedUnits<DistinctActors>(rows, key, cuts[0], selector) : null;
      // Rows within one unit have the same entity keys for every cut.
      if (isCached && isOneUnit) addOne(state, rows, cuts, distinctActors(rows, selector));
      else addUnits(state, known ?? (isCached ? rows.derive(key, () => make(rows, selector), byteLengthOfEntities) : make(rows, selector)));
    },
  };
  if (counted.name === null) return pass;
  return {
    ...pass,
    only: passingByUnit,
    ...(isOneUnit ? { scanActors: (state, rows, actors) => addOne(state, rows, cuts, actorsOfAll(rows, actors)) } : {}),
    cached: {
      key: name,
      of: unitedByUnit,
      add: (state, { byUnit }) => addUnits(state, byUnit),
      byteLength: ({ byUnit, ownByteLength }) => byteLengthOfUnits(byUnit, () => 0) + ownByteLength,
    },
  };
}

/** Adds the entity keys of rows that all lie in one unit. */
function addOne(state: EntitiesByUnit, rows: Rows, cuts: readonly RowCut[], distinct: DistinctActors): void {
  if (!isEmpty(distinct)) addUnit(state, unitOfAll(rows, cuts), distinct);
}

function isEmpty(distinct: DistinctActors): boolean {
  return distinct.kind === "list" && distinct.actors.length === 0;
}

function byteLengthOfEntities(byUnit: ReadonlyMap<number, DistinctActors>): number {
  return byteLengthOfUnits(byUnit, byteLengthOf);
}
