import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput } from "daybook";
import { expect, test } from "vitest";

const NOW = Date.UTC(2026, 2, 10, 12);
const createdAt = NOW - 86_400_000;
const open = (memoryBudgetBytes?: number) => openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW), ...(memoryBudgetBytes === undefined ? {} : { memoryBudgetBytes }) });

/** Ids decide: all are of one millisecond. */
const touch = (id: string, source: string): EventInput => ({ id: `${id}-0000-4000-8000-000000000000`, createdAt, name: "Pageview", userId: "ann", url: `/?utm_source=${source}` });
const payment = (id: string): EventInput => ({ id: `${id}-0000-4000-8000-000000000000`, createdAt, name: "Payment", userId: "ann", value: 1 });

async function sources(daybook: Daybook, model: "first_touch" | "last_touch"): Promise<string[]> {
  const { rows } = await daybook.revenueByAttribution({ project: "default", startDate: "2026-01-01", endDate: "2026-12-31", dimension: "source", model });
  return rows.map(({ dimension }) => dimension);
}

test.each(["first_touch", "last_touch"] as const)("A payment goes to a touch of its millisecond before it, though one of the same label is behind it (%s).", async (model) => {
  await using daybook = await open();
  if (model === "last_touch") await daybook.ingest([{ ...touch("80000001", "mail"), createdAt: createdAt - 1 }]);
  await daybook.ingest([touch("ffffffff", "news"), touch("00000000", "news")]);
  await daybook.ingest([payment("80000000")]);
  expect(await sources(daybook, model)).toEqual(["news"]);
});

test("A touch of another label between two of one label is put in its place, whichever of their ids were read before.", async () => {
  await using daybook = await open();
  await daybook.ingest([touch("ffffffff", "news"), touch("40000000", "mail")]);
  await daybook.ingest([payment("80000000")]);
  expect(await sources(daybook, "first_touch")).toEqual(["mail"]);
  await daybook.ingest([touch("00000000", "news")]);
  expect(await sources(daybook, "first_touch")).toEqual(["news"]);
});

test("Who is taken out of an identity takes along what its company was seen in.", async () => {
  await using daybook = await open();
  await daybook.ingest([{ createdAt, name: "Pageview", anonymousId: "d1" }]);
  const { linkId } = await daybook.alias({ from: "d1", to: "ann" });
  await daybook.group({ userId: "ann", companyId: "acme" });
  const entities = async () => (await daybook.ltvCohorts({ project: "default", level: "account" })).cohorts.map((cohort) => cohort.entities);
  expect(await entities()).toEqual([1]);
  await daybook.unlink(linkId);
  expect(await entities()).toEqual([1]);
});

test("What a query waits for is not dropped before it is asked again, however little memory there may be.", async () => {
  await using daybook = await open(1);
  await daybook.ingest([{ createdAt, name: "Pageview", userId: "ann" }]);
  for (const [at, companyId] of ["acme", "umbra"].entries()) await daybook.group({ userId: "ann", companyId, createdAt: createdAt + at });
  const asked = daybook.ltvCohorts({ project: "default", level: "account" }, { signal: AbortSignal.timeout(2_000) });
  expect((await asked).cohorts).toMatchObject([{ entities: 1 }]);
});

const plain = (id: string, at: number): EventInput => ({ id, createdAt: createdAt + at, name: "Pageview", userId: "ann" });

/** Ann, who is of acme first and then of umbra, and her first event. */
async function changedCompany(): Promise<Daybook> {
  const daybook = await open();
  await daybook.group({ userId: "ann", companyId: "acme", createdAt });
  await daybook.group({ userId: "ann", companyId: "umbra", createdAt: createdAt + 10 });
  await daybook.ingest([plain("first", 1)]);
  return daybook;
}

test("An event on a known day shows a company, where somebody had changed it.", async () => {
  await using daybook = await changedCompany();
  const entities = async () => (await daybook.ltvCohorts({ project: "default", level: "account" })).cohorts.map((cohort) => cohort.entities);
  expect(await entities()).toEqual([1]);
  await daybook.ingest([plain("second", 20)]);
  expect(await entities()).toEqual([2]);
});

test("An event that names a known company once more tells when its actor was there.", async () => {
  await using daybook = await changedCompany();
  await daybook.ingest([{ ...plain("there", 2), companyId: "acme" }, plain("second", 20)]);
  const eventsOf = async (companyId: string) => (await daybook.companyTopUsers({ companyId, rangeDays: 30 })).users.map(({ events }) => events);
  expect([await eventsOf("acme"), await eventsOf("umbra")]).toEqual([[2], [1]]);
  await daybook.ingest([{ ...plain("back", 15), companyId: "acme" }]);
  expect([await eventsOf("acme"), await eventsOf("umbra")]).toEqual([[4], []]);
});
