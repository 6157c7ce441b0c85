import type { SessionsAnswer, WebAnswer } from "../../ask/answers.js";
import { number } from "../../format/number.js";
import { fieldValue } from "../../format/value.js";
import type { RankedRow } from "../../parts/ranked-list.js";
import { filterByValue, type Filter } from "../../state/filter.js";

type VisitList = WebAnswer["sources"];

/** What labels of touches say where there was none, and where it did not tell the field. */
const WITHOUT_TOUCH = ["(direct)", "(none)"];
const UNTOLD = "(not set)";

/**
 * What asks for the visits of a row: those with an event that has the value. null for visits that nobody brought: their first event has no touch,
 * but nearly every visit has later ones without, so that a filter for what is not set would give far more than the row counts.
 */
function filtersOf(field: string, value: string): readonly Filter[] | null {
  if (!field.startsWith("touch_")) return [filterByValue(field, value)];
  if (WITHOUT_TOUCH.includes(value)) return null;
  // Somebody brought these visits, but did not say so much.
  if (value === UNTOLD) return [{ field: "touch_source", operator: "is_set", value: "" }, filterByValue(field, "")];
  return [filterByValue(field, value)];
}

/** Rows of a list of visits. @param field what a click filters by */
export function visitRows(list: VisitList, field: string): RankedRow[] {
  return list.map(({ value, visitors, visits }) => ({
    key: value,
    label: fieldValue(field, value),
    figure: visitors,
    shown: number(visitors),
    more: number(visits),
    filters: filtersOf(field, value),
  }));
}

export function pageRows(list: WebAnswer["pages"]): RankedRow[] {
  return list.map(({ value, visitors, views }) => ({
    key: value,
    label: fieldValue("path", value),
    figure: visitors,
    shown: number(visitors),
    more: number(views),
    filters: [filterByValue("path", value)],
  }));
}

/** Rows of visits by fields of their first event; the last field is the one that is meant, those before it tell namesakes apart. */
export function brokenRows(rows: NonNullable<SessionsAnswer["rows"]>, fields: readonly string[]): RankedRow[] {
  return rows.map(({ values, figures }) => {
    const named = fields.map((field, at) => [field, values[at] ?? ""] as const).reverse();
    return {
      key: JSON.stringify(values),
      label: named.flatMap(([field, value], at) => (at > 0 && value === "" ? [] : [fieldValue(field, value)])).join(", "),
      figure: figures.sessions,
      shown: number(figures.sessions),
      more: number(figures.users),
      filters: named.map(([field, value]) => filterByValue(field, value)),
    };
  });
}
