import type { Daybook } from "daybook";
import type { Random } from "daybook/testing";
import { oracle, type History, type Oracle, type OracleOptions } from "../support/index.js";
import { expect } from "vitest";
import { randomQuery, type Query } from "../support/random/event-queries.js";
import { hostileHistory } from "../support/random/hostile-history.js";
import { insightHistory } from "../support/random/insight-history.js";
import { insightQuery, type InsightName, type InsightQuery } from "../support/random/insight-queries.js";
import { timesOf } from "../support/random/insight-scope.js";
import { personHistory } from "../support/random/person-history.js";
import { randomOptions } from "../support/random/person-options.js";
import { personQueries, type PersonQuery } from "../support/random/person-queries.js";
import * as events from "../oracle/answers.js";
import * as persons from "../oracle/person-answers.js";
import { nowMs } from "../oracle/settings.js";

/** A history, and how queries about it are put to ClickHouse, the embedded engine and the oracle. */
export interface Told<Q> {
  readonly history: History;
  readonly options: OracleOptions;
  readonly reports: readonly string[];
  /** A random query of one of the reports. */
  queryOf(report: string, expected: Oracle): Q;
  asked(daybook: Daybook, query: Q): Promise<events.Outcome>;
  right(expected: Oracle, query: Q, given: events.Outcome): events.Outcome;
}

export function ofEvents(random: Random): Told<Query> {
  return {
    history: hostileHistory(random, random.between(20, 60)),
    options: { nowMs },
    reports: ["countEvents", "countEventsPerDay", "countEventsRunningTotalPerDay", "countUniqueUsers", "countUniqueUsersPerDay", "aggregate", "searchEvents"],
    queryOf: (report, expected) => drawn(report, () => [randomQuery(random, expected.searchEvents())]),
    asked: (daybook, query) => events.daybookOutcome(daybook, query, 20),
    right: events.expectedOutcome,
  };
}

export function ofPersons(random: Random): Told<PersonQuery> {
  const { history } = personHistory(random);
  return {
    history,
    options: randomOptions(random),
    reports: [
      "identitySessions", "identityProfile", "identityReferrers", "identityDeviceGeo", "revenueByAttribution", "ltvCohorts", "topCompanies", "companyTopUsers",
    ],
    queryOf: (report) => drawn(report, () => personQueries(random, history, [])),
    asked: persons.outcome,
    right: persons.expectedOutcome,
  };
}

export function ofInsights(random: Random): Told<InsightQuery> {
  const { history, options } = insightHistory(random);
  const known = { random, timesMs: timesOf(history), nowMs: options.nowMs, identityIds: [] };
  return {
    history,
    options,
    reports: ["trend", "retention", "lifecycle", "stickiness", "funnel", "paths", "sessionsOverview", "webOverview"],
    queryOf: (report) => insightQuery(report as InsightName, known),
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

/** The first query of a report among random ones. */
function drawn<Q extends { readonly report: string }>(report: string, next: () => readonly Q[]): Q {
  for (;;) {
    const query = next().find((one) => one.report === report);
    if (query !== undefined) return query;
  }
}

/** Asks ClickHouse, the embedded engine and the oracle some queries of each of some reports. @returns how many had an answer */
export async function compare<Q>(
  { history, options, queryOf, asked, right }: Told<Q>, reports: readonly string[], queryCount: number, onClickHouse: Daybook, embedded: Daybook, place: string,
): Promise<number> {
  const expected = oracle(history, options);
  let answeredCount = 0;
  for (const report of reports) {
    for (let count = 0; count < queryCount; count += 1) {
      const query = queryOf(report, expected);
      const given = await asked(onClickHouse, query);
      const told = `${place}, ${JSON.stringify(query)}`;
      expect(JSON.stringify(given), told).toBe(JSON.stringify(await asked(embedded, query)));
      expect(JSON.stringify(given), told).toBe(JSON.stringify(right(expected, query, given)));
      if ("answer" in given) answeredCount += 1;
    }
  }
  return answeredCount;
}
