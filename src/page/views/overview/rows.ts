import type { SessionsAnswer, WebAnswer } from "../../ask/answers.js";
import { number } from "../../format/number.js";
import { fieldValue } from "../../format/value.js";
import type { RankedRow } from "../../parts/ranked-list.js";
import { filterByValue } from "../../state/filter.js";

type VisitList = WebAnswer["sources"];

/** What labels of touches say where there was none: no filter asks for just these visits. */
const WITHOUT_TOUCH = ["(direct)", "(none)"];

/** Rows of a list of visits. @param field what a click filters by */
export function visitRows(list: VisitList, field: string): RankedRow[] {
  return list.map(({ value, visitors, visits }) => ({
    key: value,
    label: fieldValue(field, value),
    figure: visitors,
    shown: number(visitors),
    more: number(visits),
    filter: field.startsWith("touch_") && WITHOUT_TOUCH.includes(value) ? null : filterByValue(field, value),
  }));
}

export function pageRows(list: WebAnswer["pages"]): RankedRow[] {
  return list.map(({ value, visitors, views }) => ({
    key: value,
    label: fieldValue("path", value),
    figure: visitors,
    shown: number(visitors),
    more: number(views),
    filter: filterByValue("path", value),
  }));
}

/** Rows of visits by fields of their first event; the last field is the one that is meant, those before it tell namesakes apart. */
export function brokenRows(rows: NonNullable<SessionsAnswer["rows"]>, fields: readonly string[]): RankedRow[] {
  return rows.map(({ values, figures }) => {
    const last = values.at(-1) ?? "";
    const field = fields.at(-1) ?? "";
    const around = values.slice(0, -1).map((value, at) => fieldValue(fields[at] ?? "", value));
    return {
      key: JSON.stringify(values),
      label: [fieldValue(field, last), ...(last === "" ? [] : around)].join(", "),
      figure: figures.sessions,
      shown: number(figures.sessions),
      more: number(figures.users),
      filter: filterByValue(field, last),
    };
  });
}
