import { fixedClock, memoryStorage, openDaybook, type EventInput } from "daybook";
import { expect, test } from "vitest";

const NOW = Date.UTC(2026, 2, 10, 12);
const DAY_MS = 86_400_000;

const events = Array.from({ length: 6 }, (_ignored, day) =>
  Array.from({ length: 4_000 }, (_, at): EventInput => ({
    id: `e${day}-${at}`, name: `n${at % 7}`, userId: `u${at % 50}`, companyId: `c${at % 5}`, url: `/${at % 900}`, browser: `b${at % 300}`,
    createdAt: NOW - day * DAY_MS - at * 10_000,
  }))).flat();

test.each([20_000, 100_000, 200_000, 400_000])("Windows that cut days are answered alike whatever a budget of %i bytes let go in between.", async (memoryBudgetBytes) => {
  await using tight = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW), memoryBudgetBytes });
  await using wide = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
  for (const daybook of [tight, wide]) {
    await daybook.ingest(events);
    await daybook.seal();
  }
  for (let round = 0; round < 3; round += 1) {
    for (const companyId of ["c1", "c2"])
      for (const rangeDays of [1, 2, 3, 5]) expect(await tight.companyTopUsers({ companyId, rangeDays })).toEqual(await wide.companyTopUsers({ companyId, rangeDays }));
    const field = round % 2 === 0 ? "url" : "browser";
    expect(await tight.aggregate({ field })).toEqual(await wide.aggregate({ field }));
    expect(await tight.topCompanies({ rangeDays: 1 + round })).toEqual(await wide.topCompanies({ rangeDays: 1 + round }));
  }
});

test("However long and many the filters are, what is kept of them counts as memory.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
  await daybook.ingest(events);
  await daybook.seal();
  const told = async () => (await daybook.stats()).memoryByteLength;
  const filtersOf = (long: string) => ({
    filterGroups: [["browser", "1"], ["url", long]].map(([fieldName = "", value]) => ({ filters: [{ fieldName, operator: "contains", value }] })),
  });
  await daybook.countEvents(filtersOf("none"));
  const before = await told();
  for (let at = 0; at < 20; at += 1) await daybook.countEvents(filtersOf(String(at).padEnd(4_000, "x")));
  const perQuery = ((await told()) - before) / 20 / 7;
  // A bitmap of 4,000 rows and a number for each of the seven segments, with their names: no text of a filter.
  expect(perQuery).toBeGreaterThan(600);
  expect(perQuery).toBeLessThan(2_000);
});
