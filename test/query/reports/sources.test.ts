import { expect, test } from "vitest";
import { oracle } from "../../support/index.js";
import { DAY, NOW, inEveryLayout } from "./layouts.js";
import { SOURCES, expectRevenueStays, expectSources, paidAfterSignIn, visitsOfSources } from "./sources.js";

const history = (events: ReturnType<typeof visitsOfSources>) => oracle(events, { nowMs: NOW });

test("A referrer is a source and a medium by exact hosts and listed domains; the own host is nobody's, however it is written.", async () => {
  expect(SOURCES.length).toBeGreaterThanOrEqual(60);
  const visits = visitsOfSources(NOW - DAY);
  await inEveryLayout(visits, async (daybook) => expectSources((input) => daybook.trend(input)));
});

test("The oracle tells the same sources.", async () => {
  const asked = history(visitsOfSources(NOW - DAY));
  await expectSources((input) => asked.trend(input));
});

test("Who signs in or pays elsewhere on the way leaves the revenue with whoever brought them.", async () => {
  await inEveryLayout(paidAfterSignIn(NOW - DAY), async (daybook) => expectRevenueStays(daybook));
  await expectRevenueStays(history(paidAfterSignIn(NOW - DAY)));
});

test("Aggregates and filters by source and medium count apps, and Google's search alone as search.", async () => {
  const referrers = ["android-app://com.slack/", "https://accounts.google.com/", "https://google.spam.example/", "https://mail.yahoo.com/", "https://www.google.co.uk/"];
  const visits = referrers.map((referrer, at) => ({ id: `visit ${at}`, name: "pageview", anonymousId: `${at}`, url: "https://shop.example/", referrer, createdAt: NOW - DAY }));
  const fromSlack = { filterGroups: [{ filters: [{ fieldName: "touch_source", operator: "=", value: "com.slack" }] }] };
  await inEveryLayout(visits, async (daybook) => {
    expect(await daybook.aggregate({ field: "touch_medium" })).toEqual([{ property: "referral", count: 4 }, { property: "organic", count: 1 }]);
    expect(await daybook.countEvents(fromSlack)).toBe(1);
  });
});
