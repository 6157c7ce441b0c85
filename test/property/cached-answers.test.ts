import { memoryStorage, type Daybook } from "daybook";
import { seededRandom } from "daybook/testing";
import type { HistoryItem } from "../support/index.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { useLimits } from "../limits.js";
import { allPages, errorOutcome } from "../oracle/answers.js";
import { arrive } from "../support/random/arrive.js";
import { outcome } from "../oracle/person-answers.js";
import { personQueries, type PersonQuery } from "../support/random/person-queries.js";
import { anonymousIds, companyIds, userIds } from "../support/random/person-values.js";
import { baseSeed } from "../oracle/settings.js";
import { holds, openAt } from "./law.js";
import { event, idOf, record } from "./person-arbitraries.js";

// Heads are full after a few rows, so that what is kept of them, and what is not, is asked for too.
useLimits({ headPartRowCount: 6 });

const days = { startDate: "2026-01-01", endDate: "2026-03-31" };
/** Cuts days, so that parts of what is kept of a day are asked for. */
const cut = { startDate: "2026-02-27T08:15:00Z", endDate: "2026-03-01T00:30:00Z" };

const queriesOfPeople: readonly PersonQuery[] = [
  ...personQueries(seededRandom(baseSeed + 1), [], []),
  ...[...userIds, ...anonymousIds].map((userId): PersonQuery => ({ report: "identityProfile", input: { ...days, userId } })),
  ...companyIds.map((companyId): PersonQuery => ({ report: "companyTopUsers", input: { companyId } })),
  { report: "topCompanies", input: { rangeDays: 365 } },
  { report: "countUniqueUsers", input: cut },
];

const groups = [
  [],
  [["name", "!=", "none"]],
  [["project", "is_set", ""], ["userId", "is_set", ""]],
  [["company_id", "=", companyIds[0] ?? ""]],
  [["url", "contains", "/"]],
] as const;
const filterGroups = groups.map((filters) => ({ filters: filters.map(([fieldName, operator, value]) => ({ fieldName, operator, value })) }));

/** Each event query under each filter, and under two at once, in whole days and in days that are cut. */
async function eventAnswers(daybook: Daybook): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const window of [days, cut])
    for (const some of [...filterGroups.map((group) => [group]), filterGroups.slice(1, 3)]) {
      const input = { ...window, filterGroups: some };
      const asked = [
        daybook.countEvents(input),
        daybook.countEventsPerDay(input),
        daybook.countUniqueUsers(input),
        daybook.countUniqueUsersPerDay(input),
        daybook.aggregate({ ...input, field: "userId" }),
        daybook.aggregate({ ...input, field: "url", limit: 2 }),
        allPages(daybook, input, 5),
      ];
      answers.push(...(await Promise.all(asked.map((answer) => answer.catch(errorOutcome)))));
    }
  return answers;
}

async function allAnswers(daybook: Daybook): Promise<string> {
  const lines: unknown[] = await eventAnswers(daybook);
  for (const query of queriesOfPeople) lines.push([query, await outcome(daybook, query)]);
  return lines.map((line) => JSON.stringify(line)).join("\n");
}

async function erase(daybook: Daybook, userId: string): Promise<void> {
  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId } });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  await daybook.privacyRequests.resolve(id, "completed");
}

/** The answers of a Daybook that was never asked before. */
async function freshAnswers(history: readonly HistoryItem[], erased: string | null): Promise<string> {
  await using fresh = await openAt(memoryStorage());
  await arrive(fresh, history);
  if (erased !== null) await erase(fresh, erased);
  return await allAnswers(fresh);
}

const histories = fc.uniqueArray(fc.oneof({ weight: 3, arbitrary: event }, { weight: 2, arbitrary: record }), { selector: (item) => idOf(item), minLength: 25, maxLength: 50 });
const sealed = fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false));
const steps = fc.array(fc.record({ itemCount: fc.integer({ min: 2, max: 12 }), sealed }), { minLength: 3, maxLength: 6 });

test("What was kept of earlier answers never shows: after late events, seals, links, companies and an erasure all are as if asked for the first time.", () =>
  holds([histories, steps, fc.constantFrom(...userIds)], async (history, parts, erased) => {
    await using daybook = await openAt(memoryStorage());
    let at = 0;
    for (const { itemCount, sealed } of parts) {
      await arrive(daybook, history.slice(at, at + itemCount));
      at += itemCount;
      if (sealed) await daybook.seal();
      const first = await allAnswers(daybook);
      expect(await allAnswers(daybook)).toBe(first);
      expect(first).toBe(await freshAnswers(history.slice(0, at), null));
    }
    await erase(daybook, erased);
    expect(await allAnswers(daybook)).toBe(await freshAnswers(history.slice(0, at), erased));
  }, 40), 240_000);
