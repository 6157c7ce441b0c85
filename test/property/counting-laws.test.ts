import type { AggregateInput } from "daybook";
import fc from "fast-check";
import { expect, test } from "vitest";
import { complements, history, scope } from "./arbitraries.js";
import { holds, withEvents } from "./law.js";

test("Law 1: a filter and its complement share the events out.", () =>
  holds([history, fc.boolean(), scope, complements], (events, sealed, within, [filter, complement]) =>
    withEvents(events, sealed, async (daybook) => {
      const { filterGroups: _, ...rest } = within;
      const count = (one: typeof filter) => daybook.countEvents({ ...rest, filterGroups: [{ filters: [one] }] });
      expect((await count(filter)) + (await count(complement))).toBe(await daybook.countEvents(rest));
    }),
  ));

const scalarGroupings: readonly AggregateInput[] = [
  { field: "user_id" }, { field: "browser" }, { field: "location_city" }, { field: "url" }, { field: "referrer" },
  { metadataField: "word" }, { metadataField: "missing" }, { field: "name" }, { field: "path" }, { field: "referrerDomain" },
  { field: "touch_source" }, { field: "companyId" }, { field: "identity_id" }, { field: "createdAt" }, { field: "notify" },
  { field: "metadata.word" }, { field: "person.email" }, { field: "company.name" }, { field: "first_touch.source" }, { field: "last_touch.medium" },
];

test("Law 2: an aggregate sums to count-events, and each row's value as a filter gives its count.", () =>
  holds([history, fc.boolean(), scope, fc.constantFrom(...scalarGroupings)], (events, sealed, within, grouping) =>
    withEvents(events, sealed, async (daybook) => {
      const rows = await daybook.aggregate({ ...within, ...grouping });
      expect(rows.reduce((sum, row) => sum + row.count, 0)).toBe(await daybook.countEvents(within));
      const { filterGroups: _, ...rest } = within;
      const fieldName = grouping.field ?? `metadata.${grouping.metadataField}`;
      for (const { property, count } of await daybook.aggregate({ ...rest, ...grouping })) {
        const filterGroups = [{ filters: [{ fieldName, operator: "=", value: property }] }];
        expect(await daybook.countEvents({ ...rest, filterGroups })).toBe(count);
      }
    }),
  ));

test("Law 2, of people: each row's value as a filter gives its unique users, and values without a row have none.", () =>
  holds([history, fc.boolean(), scope, fc.constantFrom(...scalarGroupings)], (events, sealed, within, grouping) =>
    withEvents(events, sealed, async (daybook) => {
      const { filterGroups: _, ...rest } = within;
      const fieldName = grouping.field ?? `metadata.${grouping.metadataField}`;
      const people = new Map((await daybook.aggregate({ ...rest, ...grouping, measure: "unique_users" })).map(({ property, count }) => [property, count]));
      for (const { property } of await daybook.aggregate({ ...rest, ...grouping })) {
        const filterGroups = [{ filters: [{ fieldName, operator: "=", value: property }] }];
        expect(await daybook.countUniqueUsers({ ...rest, filterGroups })).toBe(people.get(property) ?? 0);
        people.delete(property);
      }
      expect(people.size).toBe(0);
    }),
  ));

test("Law 3: the days sum to the count, and the last running total is the count.", () =>
  holds([history, fc.boolean(), scope], (events, sealed, within) =>
    withEvents(events, sealed, async (daybook) => {
      const count = await daybook.countEvents(within);
      const days = await daybook.countEventsPerDay(within);
      const totals = await daybook.countEventsRunningTotalPerDay(within);
      expect(days.reduce((sum, day) => sum + day.count, 0)).toBe(count);
      expect(totals.at(-1)?.count ?? 0).toBe(count);
      expect(totals.map(({ day }) => day)).toEqual(days.map(({ day }) => day));
    }),
  ));

test("Law 4: uniques lie between the largest day and the sum of days, and never above the events.", () =>
  holds([history, fc.boolean(), scope], (events, sealed, within) =>
    withEvents(events, sealed, async (daybook) => {
      const uniques = await daybook.countUniqueUsers(within);
      const days = (await daybook.countUniqueUsersPerDay(within)).map(({ count }) => count);
      expect(uniques).toBeGreaterThanOrEqual(Math.max(0, ...days));
      expect(uniques).toBeLessThanOrEqual(days.reduce((sum, count) => sum + count, 0));
      expect(uniques).toBeLessThanOrEqual(await daybook.countEvents(within));
      expect(days).not.toContain(0);
    }),
  ));
