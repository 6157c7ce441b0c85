import { expect, test } from "vitest";
import type { InsightName } from "../../../support/random/insight-queries.js";
import type { Plan } from "../../../../src/query/queries.js";
import { reports } from "../../../../src/query/reports/reports.js";
import { thrown } from "../thrown.js";
import { ruled } from "../ruled-context.js";

export const INSIGHTS = ["trend", "funnel", "retention", "lifecycle", "stickiness", "paths", "sessionsOverview", "webOverview"] as const;

/** What an insight cannot be asked without. */
export const NEEDED: { readonly [N in InsightName]: object } = {
  trend: {}, funnel: { steps: [{ eventName: "a" }, { eventName: "b" }] }, retention: {}, lifecycle: {}, stickiness: {}, paths: {}, sessionsOverview: {}, webOverview: {},
};

export function planned<N extends InsightName>(report: N, input: object = {}, context = ruled): Plan<N> {
  return reports[report].plan({ ...NEEDED[report], ...input }, context) as Plan<N>;
}

/** What a query is refused with, and for which parameter; null where it is none. */
export function refusal(report: InsightName, input: object, context = ruled): readonly [code: string, param: string | undefined] | null {
  return thrown(() => planned(report, input, context));
}

/** A test for each line: what is wrong, the members that say so, code and parameter. */
export function refuses(report: InsightName, lines: readonly (readonly [title: string, input: object, code: string, param: string])[]): void {
  test.each(lines)(`${report} refuses %s`, (_title, input, code, param) => {
    expect(refusal(report, input)).toEqual([code, param]);
  });
}

export const is = (fieldName: string, value: unknown, operator = "=") => ({ fieldName, operator, value });
export const groups = (...lists: readonly (readonly object[])[]) => lists.map((filters) => ({ filters }));
export const equals = (operand: object, ...values: string[]) => ({ operand, test: { op: "equals", values }, negated: false });
export const field = (name: string) => ({ kind: "field", field: name });
