import { memoryStorage, openDaybook } from "daybook";
import { expect, test } from "vitest";
import { useLimits } from "../limits.js";

useLimits({ dictionaryValueCount: 3, metadataKeyCount: 2, fillDayCount: 10, ownValueCount: 4 });

test("An event that would be the first value too many of a field is rejected, and known values go on being accepted.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const urls = ["/a", "/b", "/c", "/d", "/a"];
  const result = await daybook.ingest(urls.map((url, at) => ({ id: `e${at}`, name: "view", url })));
  expect(result.accepted).toBe(4);
  expect(result.rejected).toEqual([
    { index: 3, code: "invalid_event", message: "url: would exceed this store's limit of 3 distinct values" },
  ]);
  expect((await daybook.aggregate({ field: "url" })).map((item) => item.property)).toEqual(["/a", "/b", "/c"]);
});

test("An event that would be the first value too many of a metadata key is rejected.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const events = [1, 2, 3, 4, 3].map((n, at) => ({ id: `e${at}`, name: "view", metadata: { n } }));
  const { accepted, rejected } = await daybook.ingest(events);
  expect(accepted).toBe(4);
  expect(rejected.map(({ index, message }) => [index, message])).toEqual([
    [3, "metadata.n: would exceed this store's limit of 3 distinct values"],
  ]);
});

test("As many distinct metadata keys fit as the bound says, and not one more.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const events = ["a", "b", "c", "a"].map((key, at) => ({ id: `e${at}`, name: "view", metadata: { [key]: 1 } }));
  const { accepted, rejected } = await daybook.ingest(events);
  expect(accepted).toBe(3);
  expect(rejected).toEqual([{ index: 2, code: "invalid_event", message: `metadata: "c" would exceed this store's limit of 2 keys` }]);
});

test("The error about too many metadata keys names the first that does not fit, escaped, and stores none of them.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const result = await daybook.ingest([{ name: "view", metadata: { a: 1, b: 1, "c\n": 1 } }, { name: "view", metadata: { d: 1, e: 1 } }]);
  expect(result).toMatchObject({ accepted: 1, rejected: [{ index: 0, message: `metadata: "c\\n" would exceed this store's limit of 2 keys` }] });
});

test("A fill over more days than the bound is refused, not clamped.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const ask = (endDate: string) => daybook.countEventsPerDay({ startDate: "2026-01-01", endDate, fill: true });
  expect(await ask("2026-01-10")).toHaveLength(10);
  await expect(ask("2026-01-11")).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "fill" } });
});

test("A record that would bring the first value too many is refused alone.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const outcomes = await Promise.allSettled(["a", "b", "c", "d", "a"].map((userId) => daybook.identify({ userId, traits: {} })));
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected", "fulfilled"]);
  expect(outcomes[3]).toMatchObject({ reason: { code: "invalid_parameter", message: expect.stringMatching(/^userId: would exceed this store's limit of 3 distinct values or of \d{9,10} bytes of them$/) as string } });
});

test("More ids or times than are counted at once are refused, and named with what is asked for instead.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const ids = [3, 1, 4, 2, 5].map((n) => `00000000-0000-7000-8000-00000000000${n}`);
  await daybook.ingest(ids.map((id, at) => ({ id, name: at < 4 ? "few" : "more", userId: "u", createdAt: new Date(1_000 + at) })));
  const sorted = [...ids].sort();
  for (const measure of ["events", "unique_users"] as const) {
    expect((await daybook.aggregate({ field: "id", measure, limit: 4 })).map(({ property }) => property)).toEqual(sorted.slice(0, 4));
    expect(await daybook.aggregate({ field: "id", measure, eventName: "few", limit: 9 })).toHaveLength(4);
    expect(await daybook.aggregate({ field: "createdAt", measure, eventName: "few" })).toHaveLength(4);
    for (const input of [{ field: "id" }, { field: "id", limit: 5 }, { field: "createdAt", limit: 1 }] as const) {
      const tooMany = { code: "too_many_values", details: { param: "field", reason: expect.stringMatching(`^expected at most 4 values of ${input.field} .*, got more; use fewer days`) as string } };
      await expect(daybook.aggregate({ ...input, measure })).rejects.toMatchObject(tooMany);
    }
  }
});
