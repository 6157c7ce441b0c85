import { beforeAll, describe, expect, test } from "vitest";
import type { DaybookOf, Published } from "./published.js";

const perDay = (items: readonly { readonly day: string; readonly count: number }[]) =>
  Object.fromEntries(items.map((item) => [item.day.slice(0, 10), item.count]));

/** The figures of Webalizer, wherever the events are. */
export function accessLogFigures(daybookOf: DaybookOf): void {
  describe("the access log, as Webalizer 2.23 counts it", () => {
    let daybook: Published;
    beforeAll(async () => {
      daybook = await daybookOf("access-log");
    });

    test("has 10,000 hits on four days", async () => {
      expect(await daybook.countEvents({ eventName: "pageview" })).toBe(10_000);
      const expected = { "2015-05-17": 1_632, "2015-05-18": 2_893, "2015-05-19": 2_896, "2015-05-20": 2_579 };
      expect(perDay(await daybook.countEventsPerDay())).toEqual(expected);
    });

    test("has 341, 627, 561 and 505 addresses a day", async () => {
      const expected = { "2015-05-17": 341, "2015-05-18": 627, "2015-05-19": 561, "2015-05-20": 505 };
      expect(perDay(await daybook.countUniqueUsersPerDay())).toEqual(expected);
    });
  });
}
