/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the list */
import { assert } from "../../base/assert.js";
import type { EntityLevel } from "../../plan/insights/input.js";
import { ID_COLUMN } from "../../schema/fields.js";
import type { Rows } from "../../segment/rows.js";
import { ACTOR_COLUMNS } from "../../segment/who.js";
import { COMPANY_READER_COLUMNS, CompanyReader } from "../aggregate/company-rows-reader.js";
import type { RowContext } from "../form/report.js";
import { actorsOfRows } from "./actors-of-rows.js";

/**
 * For whom rows count. A row has a subject, and a subject stands for an entity: for a person the actor does, who is folded onto an
 * identity in the end, so that what is made of rows can be kept; an account is found out row by row, and stands for itself.
 */
export interface CountedEntities {
  /** Columns that subjects are made of. */
  readonly columns: readonly string[];
  /** Subjects of the same name are the same ones in every question; null: they are this question's own. */
  readonly name: string | null;
  /** All subjects and entities of the question are below it. At most 2^26. */
  readonly end: number;
  /** The subject of each of these rows, which ascend; 0 for nobody. */
  subjectsOf(rows: Rows, selected: Uint32Array): Uint32Array;
  /** Which subjects may stand for another entity than themselves. */
  readonly moves: "none" | "odd" | "all";
  /** The entity that a subject stands for, numbered as subjects are; that stands for itself. */
  entityOf(subject: number): number;
}

const ofQuestions = new WeakMap<RowContext, CountedEntities>();

/**
 * For whom the rows of a question count: the same for all its parts, and in the end.
 * @param context says who belongs to which company, for accounts
 */
export function subjectsOf(level: EntityLevel, context: RowContext): CountedEntities {
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

/** An event's company, else its identity. Companies are numbered behind all identities. */
function accounts(context: RowContext): CountedEntities {
  const { companies, dictionaries } = context;
  assert(companies !== null, "the report says that it asks companies");
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
