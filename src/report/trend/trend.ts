import { trendFiguresOf } from "../../answer/insights/trend-answers.js";
import type { TrendAnswers } from "../../plan/insights/answers.js";
import type { Range } from "../../plan/plan.js";
import type { AnyPart } from "../form/part.js";
import type { Survey } from "../form/report.js";
import { asOfAnswer } from "../insights/as-of-answer.js";
import { paymentsOfMoment } from "./payment-items.js";
import { trendKindOf, type TrendRead } from "./trend-kinds.js";

/**
 * A measure over time. Cost: what is kept of spans of days is 12 bytes for each unit, value and item that there is, and a look at each;
 * bits of actors for people without a breakdown; for sessions a look at each.
 */
export const trend: Survey<"trend", Readonly<Record<string, AnyPart>>, TrendRead> = {
  kind: "survey",
  tables: ({ measure }) => (measure.type === "revenue" ? ["payments"] : measure.type === "sessions" ? ["sessions"] : []),
  read: (plan, moment, missing) => ({
    payments: plan.measure.type === "revenue" ? paymentsOfMoment(plan.revenue, moment, missing) : null,
    sessions: plan.measure.type === "sessions" ? moment.tables.sessions(plan, moment, missing) : null,
  }),
  parts: (plan, context, read) => {
    const kind = trendKindOf(plan, context, read);
    return { ...kind.partsOf(plan.range, "asked"), ...(plan.previous === null ? {} : kind.partsOf(plan.previous, "previous")) };
  },
  finish: async (states, plan, context, read, pause) => {
    const kind = trendKindOf(plan, context, read);
    const answersOf = async (range: Range, name: string, given: readonly (readonly string[])[] | null): Promise<TrendAnswers> => {
      const measured = await kind.measuredOf(range, name, states, pause);
      return { ...(await trendFiguresOf(plan, range, measured, kind.keys, given, pause)), unconverted: kind.unconvertedOf(measured) };
    };
    const answers = await answersOf(plan.range, "asked", null);
    const previous = plan.previous === null ? null : await answersOf(plan.previous, "previous", answers.series.map(({ values }) => values));
    return { definition: plan.definition, asOf: asOfAnswer(plan, context), ...answers, previous, currency: plan.measure.type === "revenue" ? plan.revenue.currency : null };
  },
};
