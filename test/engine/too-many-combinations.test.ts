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
