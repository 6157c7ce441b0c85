import { DaybookError, memoryStorage, type Daybook, type RecordInput } from "daybook";
import { seededRandom } from "daybook/testing";
import type { HistoryItem } from "../support/index.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { arrive } from "../support/random/arrive.js";
import { allSessions, outcome } from "../oracle/person-answers.js";
import { personQueries, type PersonQuery } from "../support/random/person-queries.js";
import { anonymousIds, companyIds, emails, projects, userIds } from "../support/random/person-values.js";
import { baseSeed } from "../oracle/settings.js";
import { uuidOfText } from "../../src/core/base/uuid.js";
import { holds, openAt } from "./law.js";
import { event, idOf, people, person, record } from "./person-arbitraries.js";

const always = { startDate: "2026-01-01", endDate: "2026-03-31" };
const levels = ["account", "identity"] as const;

/** Calls `use` with a Daybook of this history, half of it sealed where `sealed`. */
async function withPeople(history: readonly HistoryItem[], sealed: boolean, use: (daybook: Daybook) => Promise<void>): Promise<void> {
  await using daybook = await openAt(memoryStorage());
  await arrive(daybook, history.slice(0, history.length / 2));
  if (sealed) await daybook.seal();
  await arrive(daybook, history.slice(history.length / 2));
  await use(daybook);
}

const queries: readonly PersonQuery[] = [
  ...personQueries(seededRandom(baseSeed), [], []),
  ...[...userIds, ...anonymousIds].map((userId): PersonQuery => ({ report: "identityProfile", input: { ...always, userId } })),
  ...emails.map((email): PersonQuery => ({ report: "identitySessions", input: { ...always, email } })),
  ...companyIds.map((companyId): PersonQuery => ({ report: "companyTopUsers", input: { companyId } })),
  { report: "topCompanies", input: { rangeDays: 365, sort: "events" } },
  ...projects.flatMap((project) => levels.map((level): PersonQuery => ({ report: "ltvCohorts", input: { project, level } }))),
];

/** A line for each of many queries: equal texts mean byte-identical answers. */
async function allAnswers(daybook: Daybook): Promise<string> {
  const lines: string[] = [];
  for (const query of queries) lines.push(JSON.stringify([query, await outcome(daybook, query)]));
  return lines.join("\n");
}

const arrival = fc.record({ ranks: fc.array(fc.nat(), { minLength: 25, maxLength: 25 }), repeats: fc.array(fc.nat(), { maxLength: 6 }), sealEvery: fc.integer({ min: 1, max: 12 }) });

test("Law 5 with records: order, batches and repetition of events and records never change an answer.", () =>
  holds([people, arrival], async (history, { ranks, repeats, sealEvery }) => {
    await using plain = await openAt(memoryStorage());
    await using mixed = await openAt(memoryStorage());
    await arrive(plain, history);
    const ranked = history.map((item, index) => ({ item, rank: ranks[index] ?? 0 })).sort((a, b) => a.rank - b.rank);
    const queue = [...ranked.map(({ item }) => item), ...repeats.flatMap((index) => history[index % Math.max(1, history.length)] ?? [])];
    for (let at = 0; at < queue.length; at += sealEvery) {
      await arrive(mixed, queue.slice(at, at + sealEvery));
      if (sealEvery % 2 === 1) await mixed.seal();
    }
    expect(await allAnswers(mixed)).toBe(await allAnswers(plain));
  }, 60));

const cut = fc.constantFrom("2026-02-28T23:00:00Z", "2026-03-01T00:00:00Z", "2026-03-01T00:30:00.001Z", "2026-03-01T01:00:00Z");

test("Law 6: sessions add up over adjacent windows, and the profile counts what is paged through.", () =>
  holds([people, fc.boolean(), person, cut], (history, sealed, who, second) =>
    withPeople(history, sealed, async (daybook) => {
      const sessions = (input: object) => orNone(async () => (await allSessions(daybook, { ...who, ...always, ...input }, 2)).sessions);
      const justBefore = new Date(Date.parse(second) - 1);
      const [all, early, late] = [await sessions({}), await sessions({ endDate: justBefore }), await sessions({ startDate: second })];
      expect([...late, ...early]).toEqual(all);
      for (const window of [always, { ...always, startDate: second }]) {
        const count = await orNone(async () => [(await daybook.identityProfile({ ...who, ...window })).sessions]);
        expect(count[0] ?? 0).toBe((await sessions(window)).length);
      }
    }), 100));

test("Law 7: the bounce rate makes a whole number of sessions, the average their sum.", () =>
  holds([people, fc.boolean(), person], (history, sealed, who) =>
    withPeople(history, sealed, async (daybook) => {
      const [profile] = await orNone(async () => [await daybook.identityProfile({ ...who, ...always })]);
      if (profile === undefined) return;
      const { sessions } = await allSessions(daybook, { ...who, ...always }, 10);
      if (sessions.length === 0) {
        expect(profile).toMatchObject({ bounceRate: null, durationAvgSec: null, durationP90Sec: null });
        return;
      }
      const bounceCount = sessions.filter(({ isBounce, events }) => isBounce && events === 1).length;
      const sumSec = sessions.reduce((sum, { durationSec }) => sum + durationSec, 0);
      expect(Math.abs((profile.bounceRate ?? NaN) - bounceCount / sessions.length)).toBeLessThanOrEqual(0.000_050_1);
      expect(Math.abs((profile.durationAvgSec ?? NaN) - sumSec / sessions.length)).toBeLessThanOrEqual(0.000_500_1);
    }), 100));

test("Law 8: the events counted of a user id are those of its profile, in any window.", () =>
  holds([people, fc.boolean(), fc.constantFrom(...userIds, ...anonymousIds), cut], (history, sealed, userId, startDate) =>
    withPeople(history, sealed, async (daybook) => {
      const window = { ...always, startDate };
      const [events] = await orNone(async () => [(await daybook.identityProfile({ userId, ...window })).events]);
      expect(await daybook.countEvents({ userId, ...window })).toBe(events ?? 0);
    }), 100));

test("Law 8 of a copy: it counts, and profiles, what its original does.", () =>
  holds([people, fc.array(fc.nat(), { maxLength: 3 }), fc.boolean(), fc.constantFrom(...userIds, ...anonymousIds), cut], async (history, unlinked, sealed, userId, startDate) => {
    const takenBack = unlinked.flatMap((at) => history.filter((item) => !("name" in item))[at] ?? []).map((item) => ({ unlink: uuidOfText(idOf(item)) }));
    await withPeople([...history, ...takenBack], sealed, async (daybook) => {
      await using copy = await openAt(memoryStorage());
      await copy.ingestRecords(await all(daybook.exportRecords()));
      await copy.ingest(await all(daybook.exportEvents()));
      for (const window of [always, { ...always, startDate }]) {
        const [events = 0] = await orNone(async () => [(await daybook.identityProfile({ userId, ...window })).events]);
        const [ofCopy = 0] = await orNone(async () => [(await copy.identityProfile({ userId, ...window })).events]);
        const counts = [await daybook.countEvents({ userId, ...window }), await copy.countEvents({ userId, ...window }), ofCopy];
        expect(counts).toEqual([events, events, events]);
      }
      expect(await allAnswers(copy)).toBe(await allAnswers(daybook));
    });
  }, 60));

test("Law 5 of records as data: their order changes no byte of an answer or an export, what is taken back before it came among them.", () =>
  holds([people, fc.array(fc.nat(), { maxLength: 4 }), arrival], async (history, unlinked, { ranks, sealEvery }) => {
    const events = history.filter((item) => "name" in item);
    const told = history.flatMap(recordOf);
    const records = [...told, ...unlinked.flatMap((at) => told[at % Math.max(1, told.length)] ?? []).map(({ id }) => ({ type: "unlink" as const, linkId: id, createdAt: new Date(0) }))];
    const mixed = records.map((each, index) => ({ each, rank: ranks[index] ?? 0 })).sort((a, b) => a.rank - b.rank).map(({ each }) => each);
    const outcomes: string[] = [];
    for (const order of [records, mixed]) {
      await using daybook = await openAt(memoryStorage());
      await daybook.ingest(events);
      for (let at = 0; at < order.length; at += sealEvery) {
        expect((await daybook.ingestRecords(order.slice(at, at + sealEvery))).rejected).toEqual([]);
        if (sealEvery % 2 === 1) await daybook.seal();
      }
      outcomes.push(`${await allAnswers(daybook)}\n${JSON.stringify(await all(daybook.exportRecords()))}`);
    }
    expect(outcomes[1]).toBe(outcomes[0]);
  }, 60));

test("Law 10: every model, level and dimension splits the same revenue and orders.", () =>
  holds([people, fc.boolean(), fc.constantFrom(...projects), cut], (history, sealed, project, startDate) =>
    withPeople(history, sealed, async (daybook) => {
      const totals = new Set<string>();
      for (const model of ["first_touch", "last_touch"] as const)
        for (const level of levels)
          for (const dimension of ["source", "medium", "campaign"] as const) {
            const input = { project, model, level, dimension, ...always, startDate, limit: 100 };
            const rows = await orNone(async () => (await daybook.revenueByAttribution(input)).rows);
            totals.add(`${sumOf(rows, "revenue")} in ${sumOf(rows, "orders")} orders`);
          }
      expect([...totals]).toHaveLength(1);
    }), 100));

const byNobody = fc.array(event.map(({ externalId: _, userId: _1, anonymousId: _2, ...rest }) => ({ ...rest, id: `nobody's ${rest.id}` })), { maxLength: 4 });

test("Law 11: cohorts sum to the all-time revenue of events with an identity, their entities to the distinct ones.", () =>
  holds([people, byNobody, fc.boolean(), fc.constantFrom(...projects)], async (history, others, sealed, project) => {
    const amounts: number[][] = [];
    await withPeople(history, sealed, async (daybook) => {
      const rows = await orNone(async () => (await daybook.revenueByAttribution({ project, ...always, limit: 100 })).rows);
      amounts.push([sumOf(rows, "revenue"), sumOf(rows, "orders")]);
    });
    await withPeople([...history, ...others], sealed, async (daybook) => {
      const where = (operator: string, value?: string) => ({ project, filterGroups: [{ filters: [{ fieldName: "company_id", operator, value }] }] });
      const counts = await Promise.all(companyIds.map((companyId) => daybook.countUniqueUsers(where("=", companyId))));
      const distinct = { identity: await daybook.countUniqueUsers({ project }), account: counts.filter((count) => count > 0).length + (await daybook.countUniqueUsers(where("is_not_set"))) };
      for (const level of levels) {
        const cohorts = await orNone(async () => (await daybook.ltvCohorts({ project, level, limit: 60 })).cohorts);
        expect([sumOf(cohorts, "revenue"), sumOf(cohorts, "orders")]).toEqual(amounts[0]);
        expect(sumOf(cohorts, "entities")).toBe(distinct[level]);
        expect(cohorts.map(({ cohort }) => cohort)).toEqual(cohorts.map(({ cohort }) => cohort).sort().reverse());
      }
    });
  }, 100));

test("Law 12: the users of a company in the ranking are as many as its list without limit.", () =>
  holds([people, fc.boolean(), fc.constantFrom(9, 10, 30)], (history, sealed, rangeDays) =>
    withPeople(history, sealed, async (daybook) => {
      const { companies } = await daybook.topCompanies({ rangeDays, limit: 200 });
      for (const { companyId, users, events } of companies) {
        const list = await daybook.companyTopUsers({ companyId, rangeDays, limit: 100 });
        expect(list.users).toHaveLength(users);
        expect(sumOf(list.users, "events")).toBeLessThanOrEqual(events);
      }
    }), 100));

test("Law 13: what is told and taken back leaves the answers as they were.", () =>
  holds([people, fc.uniqueArray(record, { selector: idOf, minLength: 1, maxLength: 8 }), fc.boolean()], (history, told, sealed) =>
    withPeople(history, sealed, async (daybook) => {
      const known = new Set(history.map(idOf));
      const fresh = told.filter((item) => !known.has(idOf(item)));
      const before = await allAnswers(daybook);
      const linkIds: string[] = [];
      for (const item of fresh) linkIds.push(await linkIdOf(daybook, item));
      if (sealed) await daybook.seal();
      for (const linkId of linkIds.reverse()) await daybook.unlink(linkId);
      expect(await allAnswers(daybook)).toBe(before);
    }), 100));

/** A record of a history as data. */
function recordOf(item: HistoryItem): (RecordInput & { readonly id: string })[] {
  const id = idOf(item);
  if ("identify" in item) return [{ type: "identify", ...item.identify, id }];
  if ("group" in item) return [{ type: "group", ...item.group, id }];
  return "alias" in item ? [{ type: "alias", ...item.alias, id }] : [];
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function linkIdOf(daybook: Daybook, item: HistoryItem): Promise<string> {
  if ("identify" in item) return (await daybook.identify(item.identify)).linkId;
  if ("group" in item) return (await daybook.group(item.group)).linkId;
  if ("alias" in item) return (await daybook.alias(item.alias)).linkId;
  throw new TypeError(`expected a record, got ${JSON.stringify(item)}`);
}

/** An empty list where a history does not know whom or what was asked for. */
async function orNone<T>(ask: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DaybookError && ["identity_not_found", "project_not_found"].includes(error.code)) return [];
    throw error;
  }
}

function sumOf<K extends string>(rows: readonly Readonly<Record<K, number>>[], key: K): number {
  return rows.reduce((sum, row) => sum + row[key], 0);
}
