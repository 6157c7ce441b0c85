import { fixedClock, memoryStorage, openDaybook } from "daybook";
import { expect, test } from "vitest";
import { useLimits } from "../limits.js";

useLimits({ combinationCount: 3 });

const NOW = Date.UTC(2026, 2, 31);
const REFUSED = { code: "query_too_large", details: { param: "breakdown" }, message: expect.stringContaining("expected at most 3 combinations of values") as string };

test("A breakdown of as many combinations as the bound says is answered, and of one more refused, by one field and by two, whatever the limit.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
  const see = (url: string, device: string, minutesAgo = 60) => daybook.ingest([{ name: "page", url, device, userId: `user of ${url}`, createdAt: NOW - minutesAgo * 60_000 }]);
  for (const url of ["/a", "/b", "/c"]) await see(url, "mobile");
  const by = (...fields: string[]) => ({ breakdown: { fields, limit: 1 } });
  const ask = (...fields: string[]) => [daybook.trend(by(...fields)), daybook.sessionsOverview(by(...fields)), daybook.retention(by(...fields)), daybook.funnel({ steps: [{ eventName: "page" }, { eventName: "page" }], ...by(...fields) })];
  for (const answer of await Promise.all(ask("url"))) expect(answer.valueCount).toBe(3);
  for (const answer of await Promise.all(ask("url", "device"))) expect(answer.valueCount).toBe(3);
  await see("/a", "desktop", 50);
  await daybook.ingest([{ name: "page", url: "/a", device: "desktop", userId: "another", createdAt: NOW - 1_800_000 }]);
  expect((await daybook.trend(by("url"))).valueCount).toBe(3);
  for (const answer of ask("url", "device")) await expect(answer).rejects.toMatchObject(REFUSED);
  await see("/d", "mobile");
  for (const answer of ask("url")) await expect(answer).rejects.toMatchObject(REFUSED);
  await expect(daybook.trend({ ...by("url"), filterGroups: [{ filters: [{ fieldName: "device", operator: "=", value: "desktop" }] }] })).resolves.toMatchObject({ valueCount: 1 });
});

test("Lists that every overview has are not bounded: they have no breakdown that could be narrower.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
  await daybook.ingest(["/a", "/b", "/c", "/d", "/e"].map((url) => ({ name: "pageview", url, referrer: `https://site${url.slice(1)}.example/`, userId: url, createdAt: NOW - 3_600_000 })));
  const { pages, sources } = await daybook.webOverview({});
  expect([pages.length, sources.length]).toEqual([5, 5]);
  expect((await daybook.sessionsOverview({})).entryPages).toHaveLength(5);
});

test("Lists that stand under the same few values are bounded as well: each of them is counted under each.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
  const see = (tags: readonly string[]) => daybook.ingest([{ name: "page", metadata: { tags }, userId: "ann", createdAt: NOW - 3_600_000 }]);
  const ask = () => daybook.trend({ breakdown: { fields: ["metadata.tags"] } });
  for (const tags of [["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"], ["b", "c", "a"]]) await see(tags);
  expect((await ask()).valueCount).toBe(3);
  await see(["c", "a", "b"]);
  await expect(ask()).rejects.toMatchObject(REFUSED);
});
