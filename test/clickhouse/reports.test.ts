import { fixedClock, memoryStorage, openDaybook, type Daybook } from "daybook";
import { openClickHouse } from "daybook/clickhouse";
import { oracle, seededRandom, type History, type Oracle, type OracleOptions, type Random } from "daybook/testing";
import { describe, expect, test } from "vitest";
import { arrive } from "../../src/testing/random/arrive.js";
import { randomQuestion, type Question } from "../../src/testing/random/event-questions.js";
import { hostileHistory } from "../../src/testing/random/hostile-history.js";
import { personHistory } from "../../src/testing/random/person-history.js";
import { randomOptions } from "../../src/testing/random/person-options.js";
import { personQuestions, type PersonQuestion } from "../../src/testing/random/person-questions.js";
import * as events from "../oracle/answers.js";
import * as persons from "../oracle/person-answers.js";
import { baseSeed, caseCount, nowMs } from "../oracle/settings.js";
import { newDatabase, questionLayouts, type Layout } from "./kit.js";

/** How often a report is asked, and how often of one history. */
const questionCount = caseCount(2, 20);
const PER_HISTORY_COUNT = Math.min(25, questionCount);
const historyCount = Math.ceil(questionCount / PER_HISTORY_COUNT);

const EVENT_REPORTS: readonly Question["report"][] = [
  "countEvents", "countEventsPerDay", "countEventsRunningTotalPerDay", "countUniqueUsers", "countUniqueUsersPerDay", "aggregate", "searchEvents",
];
const PERSON_REPORTS: readonly PersonQuestion["report"][] = [
  "identitySessions", "identityProfile", "identityReferrers", "identityDeviceGeo", "revenueByAttribution", "ltvCohorts", "topCompanies", "companyTopUsers",
];

/** One history in all three, and how a question is put to each. */
interface Told<Q> {
  readonly history: History;
  readonly options: OracleOptions;
  questionsOf(expected: Oracle): readonly Q[];
  asked(daybook: Daybook, question: Q): Promise<events.Outcome>;
  right(expected: Oracle, question: Q, given: events.Outcome): events.Outcome;
}

function ofEvents(random: Random): Told<Question> {
  return {
    history: hostileHistory(random, random.between(20, 60)),
    options: { nowMs },
    questionsOf: (expected) => EVENT_REPORTS.flatMap((report) => some(report, () => [randomQuestion(random, expected.searchEvents())])),
    asked: (daybook, question) => events.daybookOutcome(daybook, question, 20),
    right: events.expectedOutcome,
  };
}

function ofPersons(random: Random): Told<PersonQuestion> {
  const { history } = personHistory(random);
  return {
    history,
    options: randomOptions(random),
    questionsOf: () => PERSON_REPORTS.flatMap((report) => some(report, () => personQuestions(random, history, []))),
    asked: persons.outcome,
    right: persons.expectedOutcome,
  };
}

/** Random questions of one report, as many as a history is asked. */
function some<Q extends { readonly report: string }>(report: Q["report"], next: () => readonly Q[]): Q[] {
  const found: Q[] = [];
  while (found.length < PER_HISTORY_COUNT) found.push(...next().filter((question) => question.report === report));
  return found.slice(0, PER_HISTORY_COUNT);
}

/** Asks ClickHouse, the embedded engine and the oracle. @returns how many questions had an answer */
async function compare<Q>(seed: number, layout: Layout, { history, options, questionsOf, asked, right }: Told<Q>): Promise<number> {
  const { nowMs: _nowMs, segments: _segments, ...rules } = options;
  const clock = fixedClock(options.nowMs);
  const { options: database, drop } = await newDatabase(layout, { ...rules, clock });
  // Questions and what a history tells are there in both.
  const onClickHouse = (await openClickHouse(database)) as unknown as Daybook;
  const embedded = await openDaybook({ ...rules, storage: memoryStorage(), clock });
  let answeredCount = 0;
  try {
    for (const daybook of [onClickHouse, embedded]) await arrive(daybook, history);
    const expected = oracle(history, options);
    for (const question of questionsOf(expected)) {
      const given = await asked(onClickHouse, question);
      const told = `seed ${seed}, ${JSON.stringify(question)}`;
      expect(JSON.stringify(given), told).toBe(JSON.stringify(await asked(embedded, question)));
      expect(JSON.stringify(given), told).toBe(JSON.stringify(right(expected, question, given)));
      if ("answer" in given) answeredCount += 1;
    }
  } finally {
    await Promise.all([onClickHouse.close(), embedded.close()]);
    await drop();
  }
  return answeredCount;
}

const topics = { events: { tell: ofEvents, reportCount: EVENT_REPORTS.length }, persons: { tell: ofPersons, reportCount: PERSON_REPORTS.length } };

describe.each(questionLayouts)(`${questionCount} random questions of each report on ClickHouse, %s`, (layout) => {
  test.each(Object.entries(topics))("about %s are answered as the embedded engine and the oracle do", async (_, { tell, reportCount }) => {
    let answeredCount = 0;
    for (let seed = baseSeed; seed < baseSeed + historyCount; seed += 1)
      answeredCount += await compare(seed, layout, tell(seededRandom(seed)) as Told<unknown>);
    // Some are wrong, and many ask for somebody who is not there.
    expect(answeredCount).toBeGreaterThan(0.1 * historyCount * PER_HISTORY_COUNT * reportCount);
  });
});
