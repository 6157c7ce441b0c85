import type { Daybook } from "daybook";
import type { Random } from "daybook/testing";
import { oracle, type History, type Oracle, type OracleOptions } from "../support/index.js";
import { expect } from "vitest";
import { randomQuestion, type Question } from "../support/random/event-questions.js";
import { hostileHistory } from "../support/random/hostile-history.js";
import { insightHistory } from "../support/random/insight-history.js";
import { insightQuestion, type InsightName, type InsightQuestion } from "../support/random/insight-questions.js";
import { timesOf } from "../support/random/insight-scope.js";
import { personHistory } from "../support/random/person-history.js";
import { randomOptions } from "../support/random/person-options.js";
import { personQuestions, type PersonQuestion } from "../support/random/person-questions.js";
import * as events from "../oracle/answers.js";
import * as persons from "../oracle/person-answers.js";
import { nowMs } from "../oracle/settings.js";

/** A history, and how questions about it are put to ClickHouse, the embedded engine and the oracle. */
export interface Told<Q> {
  readonly history: History;
  readonly options: OracleOptions;
  readonly reports: readonly string[];
  /** A random question of one of the reports. */
  questionOf(report: string, expected: Oracle): Q;
  asked(daybook: Daybook, question: Q): Promise<events.Outcome>;
  right(expected: Oracle, question: Q, given: events.Outcome): events.Outcome;
}

export function ofEvents(random: Random): Told<Question> {
  return {
    history: hostileHistory(random, random.between(20, 60)),
    options: { nowMs },
    reports: ["countEvents", "countEventsPerDay", "countEventsRunningTotalPerDay", "countUniqueUsers", "countUniqueUsersPerDay", "aggregate", "searchEvents"],
    questionOf: (report, expected) => drawn(report, () => [randomQuestion(random, expected.searchEvents())]),
    asked: (daybook, question) => events.daybookOutcome(daybook, question, 20),
    right: events.expectedOutcome,
  };
}

export function ofPersons(random: Random): Told<PersonQuestion> {
  const { history } = personHistory(random);
  return {
    history,
    options: randomOptions(random),
    reports: [
      "identitySessions", "identityProfile", "identityReferrers", "identityDeviceGeo", "revenueByAttribution", "ltvCohorts", "topCompanies", "companyTopUsers",
    ],
    questionOf: (report) => drawn(report, () => personQuestions(random, history, [])),
    asked: persons.outcome,
    right: persons.expectedOutcome,
  };
}

export function ofInsights(random: Random): Told<InsightQuestion> {
  const { history, options } = insightHistory(random);
  const known = { random, timesMs: timesOf(history), nowMs: options.nowMs, identityIds: [] };
  return {
    history,
    options,
    reports: ["trend", "retention", "lifecycle", "stickiness", "funnel", "paths", "sessionsOverview", "webOverview"],
    questionOf: (report) => insightQuestion(report as InsightName, known),
    asked: async (daybook, { report, input }) => {
      try {
        // Which moment an answer is of, the oracle does not know.
        const { definition: _definition, asOf: _asOf, ...answer } = (await daybook[report](input as never)) as object & { definition: string; asOf: number | null };
        return { answer };
      } catch (error) {
        return events.errorOutcome(error);
      }
    },
    right: (expected, { report, input }) => {
      try {
        return { answer: expected[report](input as never) };
      } catch (error) {
        return events.errorOutcome(error);
      }
    },
  };
}

/** The first question of a report among random ones. */
function drawn<Q extends { readonly report: string }>(report: string, next: () => readonly Q[]): Q {
  for (;;) {
    const question = next().find((one) => one.report === report);
    if (question !== undefined) return question;
  }
}

/** Asks ClickHouse, the embedded engine and the oracle some questions of each of some reports. @returns how many had an answer */
export async function compare<Q>(
  { history, options, questionOf, asked, right }: Told<Q>, reports: readonly string[], questionCount: number, onClickHouse: Daybook, embedded: Daybook, place: string,
): Promise<number> {
  const expected = oracle(history, options);
  let answeredCount = 0;
  for (const report of reports) {
    for (let count = 0; count < questionCount; count += 1) {
      const question = questionOf(report, expected);
      const given = await asked(onClickHouse, question);
      const told = `${place}, ${JSON.stringify(question)}`;
      expect(JSON.stringify(given), told).toBe(JSON.stringify(await asked(embedded, question)));
      expect(JSON.stringify(given), told).toBe(JSON.stringify(right(expected, question, given)));
      if ("answer" in given) answeredCount += 1;
    }
  }
  return answeredCount;
}
