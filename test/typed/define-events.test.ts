import { defineEvents, memoryStorage, openDaybook, type Daybook, type EventFlaw, type EventShape } from "daybook";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";

const shapes = {
  signup: z.object({ plan: z.enum(["free", "pro"]), seats: z.int().optional() }),
  pageview: z.object({}),
};
const shop = defineEvents(shapes);
/** Events as programs without types make them. */
const events = (...list: readonly object[]) => list as never;

let daybook: Daybook;
beforeEach(async () => {
  daybook = await openDaybook({ storage: memoryStorage() });
});
afterEach(() => daybook.close());

const MIXED = events(
  { name: "signup", metadata: { plan: "pro" } },
  { name: "signup", metadata: { plan: "gold", seats: 1.5 } },
  { userId: "without a name" },
  { name: "sign-up", metadata: { plan: "pro" } },
  { name: "pageview", url: "/" },
  { name: "signup" },
);

test("Without a check it is the Daybook itself.", async () => {
  expect(shop.bind(daybook, { check: "none" })).toBe(daybook);
  expect(await shop.bind(daybook, { check: "none" }).ingest(MIXED)).toMatchObject({ accepted: 5, rejected: [{ index: 2 }] });
});

test("Events that do not pass are rejected in their places, beside those that Daybook rejects; the others are stored.", async () => {
  const { accepted, rejected } = await shop.bind(daybook).ingest(MIXED);
  expect(accepted).toBe(2);
  expect(rejected.map(({ index, code }) => [index, code])).toEqual([[1, "invalid_event"], [2, "invalid_event"], [3, "invalid_event"], [5, "invalid_event"]]);
  expect(rejected[0]?.message).toMatch(/^metadata\.plan: .*"free"\|"pro".*; metadata\.seats: .*int/);
  expect(rejected[2]?.message).toBe('name: expected one of signup, pageview, got "sign-up"');
  expect(await daybook.aggregate({ field: "name" })).toEqual([{ property: "pageview", count: 1 }, { property: "signup", count: 1 }]);
});

test("Events that are stored as of the time of receipt are named by their places, whatever is rejected before them.", async () => {
  const later = "9999-01-01T00:00:00Z";
  const batch = events({ name: "other", createdAt: later }, { name: "pageview" }, { name: "pageview", createdAt: later }, { name: "" }, { name: "pageview", createdAt: later });
  const { accepted, adjusted } = await shop.bind(daybook).ingest(batch);
  expect([accepted, adjusted.map(({ index }) => index)]).toEqual([3, [2, 4]]);
});

test("Events that do not pass are told of and stored, where that is asked.", async () => {
  const flaws: EventFlaw[] = [];
  const typed = shop.bind(daybook, { check: "report", onFlaw: (flaw) => flaws.push(flaw) });
  expect(await typed.ingest(MIXED)).toMatchObject({ accepted: 5, rejected: [{ index: 2 }] });
  expect(flaws.map(({ index, event }) => [index, event.name])).toEqual([[1, "signup"], [3, "sign-up"], [5, "signup"]]);
});

test("A hook that throws costs no event.", async () => {
  const typed = shop.bind(daybook, { check: "report", onFlaw: () => { throw new Error("mine"); } });
  expect(await typed.ingest(events({ name: "other" }))).toMatchObject({ accepted: 1 });
});

/** A default, a coercion, a transform, and what is left of an unknown key. */
const visits = defineEvents({
  visit: z.object({ page: z.string().default("home"), seconds: z.coerce.number().optional(), tags: z.string().transform((text) => text.split(",")).optional() }),
});
const metadataOf = async () => (await daybook.searchEvents()).events.map(({ metadata }) => metadata).reverse();

test("What is stored is what a schema makes of the input; without a check, what came.", async () => {
  const given = (day: number) => events(
    { name: "visit", metadata: { other: 1 }, createdAt: `2026-03-0${day}T00:00:01Z` },
    { name: "visit", metadata: { seconds: "4.5", tags: "a,b" }, createdAt: `2026-03-0${day}T00:00:02Z` },
    { name: "visit", createdAt: `2026-03-0${day}T00:00:03Z` },
  );
  const made = [{ page: "home" }, { page: "home", seconds: 4.5, tags: ["a", "b"] }, { page: "home" }];
  await visits.bind(daybook).ingest(given(1));
  expect(await metadataOf()).toEqual(made);
  await visits.bind(daybook, { check: "report", onFlaw: () => undefined }).ingest(given(2));
  expect(await metadataOf()).toEqual([...made, ...made]);
  await visits.bind(daybook, { check: "none" }).ingest(given(3));
  expect((await metadataOf()).slice(6)).toEqual([{ other: 1 }, { seconds: "4.5", tags: "a,b" }, {}]);
});

test("A reported event is stored as it came.", async () => {
  await visits.bind(daybook, { check: "report", onFlaw: () => undefined }).ingest(events({ name: "visit", metadata: { page: 7, seconds: "1" } }));
  expect(await metadataOf()).toEqual([{ page: 7, seconds: "1" }]);
});

test("Tracked events are checked and made too, and the queue gets those that do not pass.", async () => {
  const refused: unknown[] = [];
  const other = await openDaybook({ storage: memoryStorage(), track: { onError: ({ code, message }, given) => refused.push([code, message, given.map(({ name }) => name)]) } });
  const typed = visits.bind(other);
  for (const event of events({ name: "visit", metadata: { seconds: "1" } }, { name: "visit", metadata: { page: 7 } }, { name: "other" }) as never[]) typed.track(event);
  // What waits is stored by the check while the Daybook closes.
  const closed = typed.close();
  expect(() => typed.track({ name: "visit" })).toThrow("this Daybook was closed");
  await closed;
  expect(refused).toEqual([["invalid_event", expect.stringMatching(/^events\[0\]\.metadata\.page \(and 1 more\): .*string/), ["visit", "other"]]]);
});

test("Rejected events are thrown where the Daybook or the call says so, those of the check and others as one.", async () => {
  const strict = await openDaybook({ storage: memoryStorage(), onRejected: "throw" });
  const batch = events({ name: "signup", metadata: { plan: "pro" } }, { name: "signup", colour: 1, metadata: { plan: "pro" } }, { name: "signup" });
  const details = { accepted: 1, duplicates: 0, param: "events[1]", rejected: [{ index: 1 }, { index: 2 }] };
  await expect(shop.bind(strict).ingest(batch)).rejects.toMatchObject({ code: "invalid_event", message: expect.stringMatching(/^events\[1\] \(and 1 more\): "colour": not a member of an event; known: id, /), details });
  expect(await shop.bind(strict).ingest(batch, { onRejected: "list" })).toMatchObject({ accepted: 1, rejected: [{ index: 1 }, { index: 2 }] });
  await expect(shop.bind(daybook).ingest(batch, { onRejected: "throw" })).rejects.toMatchObject({ details });
  await strict.close();
});

/** What waits as a promise does, and is none of this realm. */
const later = <T>(value: T): PromiseLike<T> => ({ then: (...given) => Promise.resolve(value).then(...given) });

test("A schema may take its time.", async () => {
  const slow: EventShape<{ readonly n: number }> = { "~standard": { validate: (value) => later((value as { n?: unknown }).n === 1 ? {} : { issues: [{ message: "no", path: [{ key: "n" }] }] }) } };
  const typed = defineEvents({ slow }).bind(daybook, { check: "reject" });
  expect(await typed.ingest(events({ name: "slow", metadata: { n: 2 } }, { name: "slow", metadata: { n: 1 } }))).toEqual({ accepted: 1, duplicates: 0, rejected: [{ index: 0, code: "invalid_event", message: "metadata.n: no" }], adjusted: [] });
});

test("Its other methods are those of the Daybook.", async () => {
  const typed = shop.bind(daybook);
  await typed.ingest([{ name: "signup", userId: "ada", metadata: { plan: "free" } }, { name: "signup", userId: "bob", metadata: { plan: "pro" } }]);
  const pro = { filters: [{ fieldName: "metadata.plan", operator: "=", value: "pro" }] } as const;
  expect(await typed.countUniqueUsers({ eventName: "signup", filterGroups: [pro] })).toBe(1);
  await typed.segments.put("pro", { groups: [{ conditions: [{ type: "did", eventName: "signup", filterGroups: [pro] }] }] });
  expect(await typed.countEvents({ filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "pro" }] }] })).toBe(1);
  expect([typed.currency, typed.projects(), (await typed.stats()).eventCount]).toEqual(["USD", ["default"], 2]);
  await typed.close();
  await expect(typed.ingest(events({ name: "other" }))).rejects.toMatchObject({ code: "closed" });
});

test("Names that every object has are no events.", async () => {
  const { rejected } = await shop.bind(daybook).ingest(events({ name: "constructor" }, { name: "__proto__" }));
  expect(rejected).toHaveLength(2);
});

test.each<[string, () => unknown, string]>([
  ["a shape that is none", () => defineEvents({ signup: { plan: "text" } as never }), "signup"],
  ["an option that is not known", () => shop.bind(daybook, { checks: "reject" } as never), "checks"],
  ["another check", () => shop.bind(daybook, { check: "warn" } as never), "check"],
  ["a report to nobody", () => shop.bind(daybook, { check: "report" } as never), "onFlaw"],
  ["a hook that hears nothing", () => shop.bind(daybook, { check: "reject", onFlaw: () => 1 } as never), "onFlaw"],
])("%s is refused", (_, make, param) => {
  expect(make).toThrow(expect.objectContaining({ details: expect.objectContaining({ param }) }));
});

test("No events, and no array of them, are the Daybook's matter.", async () => {
  const typed = shop.bind(daybook);
  expect(await typed.ingest([])).toEqual({ accepted: 0, duplicates: 0, rejected: [], adjusted: [] });
  await expect(typed.ingest("events" as never)).rejects.toMatchObject({ code: "invalid_parameter" });
});
