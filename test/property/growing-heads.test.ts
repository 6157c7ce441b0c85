import { memoryStorage, type Daybook, type EventInput } from "daybook";
import fc from "fast-check";
import { expect, test } from "vitest";
import { useLimits } from "../limits.js";
import { errorOutcome } from "../oracle/answers.js";
import { companyIds, projects, userIds } from "../support/random/person-values.js";
import { holds, openAt } from "./law.js";
import { event, idOf } from "./person-arbitraries.js";

// Heads are full after some rows. One or two heads that grew are looked at, three or more are kept anew.
useLimits({ headPartRowCount: 12, newerRowCount: 540 });

const days = { startDate: "2026-01-01", endDate: "2026-03-31" };
const oneDay = { startDate: "2026-03-01", endDate: "2026-03-01" };
const cut = { startDate: "2026-02-27T08:15:00Z", endDate: "2026-03-01T00:30:00Z" };
const [firstProject = ""] = projects;

type Ask = (daybook: Daybook) => Promise<unknown>;

const eventQueries = [days, oneDay, cut].flatMap((window) =>
  [[], [["name", "!=", "none"]], [["url", "is_set", ""], ["userId", "is_set", ""]]].flatMap((filters): Ask[] => {
    const input = { ...window, filterGroups: [{ filters: filters.map(([fieldName = "", operator = "", value = ""]) => ({ fieldName, operator, value })) }] };
    return [
      (daybook) => daybook.countEvents(input),
      (daybook) => daybook.countEventsPerDay(input),
      (daybook) => daybook.countUniqueUsers(input),
      (daybook) => daybook.countUniqueUsersPerDay(input),
      (daybook) => daybook.aggregate({ ...input, field: "url" }),
      (daybook) => daybook.aggregate({ ...input, metadataField: "utm_source" }),
    ];
  }));

const queries: readonly Ask[] = [
  ...eventQueries,
  ...(["identity", "account"] as const).flatMap((level): Ask[] => [
    ...projects.map((project): Ask => (daybook) => daybook.ltvCohorts({ project, level })),
    (daybook) => daybook.revenueByAttribution({ ...days, project: firstProject, level, model: "first_touch", dimension: "source" }),
  ]),
  (daybook) => daybook.topCompanies({ rangeDays: 365 }),
];

/** Whether a company is known at all is asked of the newest moment: apart from the others where events are under way. */
const companyQueries = companyIds.map((companyId): Ask => (daybook) => daybook.companyTopUsers({ companyId }));

/** The answers to some of the queries, a text each. */
function answers(daybook: Daybook, asked: readonly Ask[]): Promise<string[]> {
  return Promise.all(asked.map(async (ask) => JSON.stringify(await ask(daybook).catch(errorOutcome))));
}

/** The answers of a Daybook that was never asked before. */
async function freshAnswers(events: readonly EventInput[], asked: readonly Ask[]): Promise<string[]> {
  await using fresh = await openAt(memoryStorage());
  await fresh.ingest(events);
  return await answers(fresh, asked);
}

const histories = fc.uniqueArray(event, { selector: (item) => idOf(item), minLength: 30, maxLength: 60 });
const steps = fc.array(
  fc.record({
    eventCount: fc.integer({ min: 1, max: 6 }),
    /** Which queries are asked: not all after each step, so that what is known of them is of several ages. */
    every: fc.integer({ min: 1, max: 4 }),
    then: fc.constantFrom("nothing", "nothing", "nothing", "nothing", "seal", "link", "erase"),
  }),
  { minLength: 6, maxLength: 10 },
);

async function erase(daybook: Daybook, userId: string): Promise<void> {
  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId } });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  await daybook.privacyRequests.resolve(id, "completed");
}

test("Asked between commits, while heads grow on several days, all is answered as by a Daybook that was never asked before.", () =>
  holds([histories, steps], async (events, parts) => {
    await using daybook = await openAt(memoryStorage());
    // What happens to both, in this order.
    const past: ((other: Daybook) => Promise<unknown>)[] = [];
    const happens = async (act: (other: Daybook) => Promise<unknown>) => {
      past.push(act);
      await act(daybook);
    };
    let at = 0;
    for (const [step, { eventCount, every, then }] of parts.entries()) {
      const some = events.slice(at, at + eventCount);
      at += eventCount;
      await happens((other) => other.ingest(some));
      if (then === "seal") await daybook.seal();
      const [first = "", second = ""] = userIds;
      if (then === "link") await happens((other) => other.alias({ id: `alias ${step}`, createdAt: days.startDate, from: first, to: second }).catch(errorOutcome));
      if (then === "erase") await happens((other) => erase(other, userIds[step % userIds.length] ?? ""));
      const asked = [...queries, ...companyQueries].filter((_, place) => (place + step) % every === 0);
      await using fresh = await openAt(memoryStorage());
      for (const act of past) await act(fresh);
      expect(await answers(daybook, asked)).toEqual(await answers(fresh, asked));
    }
  }, 15));

test("Queries under way while events arrive see all of a batch or nothing of it, whatever others learned meanwhile.", () =>
  holds([histories, fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 6, maxLength: 10 })], async (events, eventCounts) => {
    await using daybook = await openAt(memoryStorage());
    let at = 0;
    let before = await answers(daybook, queries);
    for (const eventCount of eventCounts) {
      const some = events.slice(at, at + eventCount).map(withoutLink);
      at += eventCount;
      const known = events.slice(0, at).map(withoutLink);
      const early = answers(daybook, queries);
      const writing = daybook.ingest(some);
      const late = answers(daybook, queries);
      await writing;
      const after = await freshAnswers(known, queries);
      const isFair = (given: readonly string[]) => given.every((answer, place) => answer === after[place] || answer === before[place]);
      expect([isFair(await early), isFair(await late)]).toEqual([true, true]);
      before = after;
    }
  }, 10));

/** Who is who is known the moment that it is written: without links an answer is that of one batch or the next. */
function withoutLink(event: EventInput): EventInput {
  return event.userId === undefined ? event : { ...event, anonymousId: null };
}
