/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the list */
import { assert } from "../../../core/base/assert.js";
import type { EntityLevel } from "../../plan/insights/input.js";
import { ID_COLUMN } from "../../../core/schema/fields.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { ACTOR_COLUMNS } from "../../../storage/segment/actor-triples.js";
import { COMPANY_READER_COLUMNS, CompanyReader } from "../aggregate/company-rows-reader.js";
import type { RowContext } from "../form/report.js";
import { actorsOfRows } from "./actors-of-rows.js";

/**
 * Maps rows to the entities that they count for. A row has a subject, and a subject stands for an entity.
 * For people the subject is the actor, resolved to an identity at the end, so that states can be cached; an account is found per row.
 */
export interface CountedEntities {
  /** Columns that subjects are derived from. */
  readonly columns: readonly string[];
  /** Subjects with the same name are the same in every query; null: they are specific to this query. */
  readonly name: string | null;
  /** Exclusive upper bound of all subjects and entities of the query. At most 2^26. */
  readonly end: number;
  /** The subject of each selected row; 0 for none. @param selected ascending */
  subjectsOf(rows: Rows, selected: Uint32Array): Uint32Array;
  /** Which subjects may stand for another entity. */
  readonly moves: "none" | "odd" | "all";
  /** The entity of a subject, in the same numbering; an entity stands for itself. */
  entityOf(subject: number): number;
}

const ofQuestions = new WeakMap<RowContext, CountedEntities>();

/**
 * The counted entities of a query: the same object for all its parts.
 * @param context provides memberships, for accounts
 */
export function countedEntitiesOf(level: EntityLevel, context: RowContext): CountedEntities {
  let subjects = ofQuestions.get(context);
  if (subjects === undefined) ofQuestions.set(context, (subjects = level === "identity" ? people(context) : accounts(context)));
  return subjects;
}

function people({ dictionaries, identities }: RowContext): CountedEntities {
  return {
    columns: ACTOR_COLUMNS,
    name: "actors",
    end: Math.max(dictionaries.named("userId").size, dictionaries.named("anonymousId").size) * 2,
    subjectsOf: actorsOfRows,
    moves: identities.hasMerges ? "all" : identities.linkCount > 0 ? "odd" : "none",
    entityOf: (subject) => identities.identityOf(subject),
  };
}

/** The account of an event is its company, else its identity. Companies are numbered after all identities. */
function accounts(context: RowContext): CountedEntities {
  const { companies, dictionaries } = context;
  assert(companies !== null, "the report declares that it reads companies");
  const { end: firstCompany } = people(context);
  return {
    columns: companies.hasChanges ? [...COMPANY_READER_COLUMNS, ID_COLUMN] : COMPANY_READER_COLUMNS,
    name: null,
    end: firstCompany + dictionaries.named("companyId").size,
    subjectsOf: (rows, selected) => {
      const reader = new CompanyReader(rows, context);
      const subjects = new Uint32Array(selected.length);
      for (let at = 0; at < selected.length; at += 1) {
        const row = selected[at]!;
        const identity = reader.identityOf(row);
        const company = reader.companyOf(row, identity);
        subjects[at] = company === 0 ? identity : firstCompany + company;
      }
      return subjects;
    },
    moves: "none",
    entityOf: (subject) => subject,
  };
}
