import type { AggregateInput, EventInput } from "daybook";
import { seededRandom } from "daybook/testing";
import { oracle } from "../../support/index.js";
import { beforeEach, expect, test, vi } from "vitest";
import type * as time from "../../../src/core/base/time.js";
import type * as uuid from "../../../src/core/base/uuid.js";
import { parseUuid } from "../../../src/core/base/uuid.js";
import { EventsById } from "../../../src/query/reports/aggregate/code-counts.js";
import type { Rows } from "../../../src/storage/segment/rows.js";
import { NOW, inEveryLayout, iso } from "./layouts.js";

/** Texts that were made of stored values. */
let madeCount = 0;

vi.mock("../../../src/core/base/uuid.js", async (original) => {
  const all = await original<typeof uuid>();
  return { ...all, uuidText: (...given: Parameters<typeof uuid.uuidText>) => ((madeCount += 1), all.uuidText(...given)) };
});
vi.mock("../../../src/core/base/time.js", async (original) => {
  const all = await original<typeof time>();
  return { ...all, isoOf: (ms: number) => ((madeCount += 1), all.isoOf(ms)) };
});

const EVENT_COUNT = 1_200;
const random = seededRandom(20_260_320);
const events: EventInput[] = Array.from({ length: EVENT_COUNT }, (_, at) => ({
  id: random.chance(0.5) ? `event ${at}` : `00000000-0000-7000-8000-${String(random.below(1e9)).padStart(12, "0")}`,
  name: at % 500 === 0 ? "rare" : "usual",
  createdAt: iso(NOW - random.below(4) * 86_400_000 - random.below(300)),
  ...(random.chance(0.6) ? { userId: `u${random.below(40)}` } : {}),
  ...(random.chance(0.5) ? { anonymousId: `a${random.below(40)}` } : {}),
}));

const scopes = [
  {}, { eventName: "rare" }, { startDate: "2026-03-18", endDate: "2026-03-19T11:59:59.500Z" },
  { filterGroups: [{ filters: [{ fieldName: "userId", operator: "in", value: "u1,u2,u3" }] }] }, { eventName: "nothing" },
];

test.each(["id", "createdAt"] as const)("An aggregate by %s is what the oracle says, with any limit and measure.", async (field) => {
  const asked = oracle(events, { nowMs: NOW });
  await inEveryLayout(events, async (daybook, layout) => {
    for (const scope of scopes)
      for (const measure of ["events", "unique_users"] as const)
        for (const limit of [null, 1, 2, 7, 1_000, 2_000_000]) {
          const input: AggregateInput = { ...scope, field, measure, limit };
          expect(await daybook.aggregate(input), `${layout} ${JSON.stringify(input)}`).toEqual(asked.aggregate(input));
        }
  });
});

test.each(["id", "createdAt"] as const)("An aggregate by %s makes the texts that it shows, and looks at no row that is not asked for.", async (field) => {
  await inEveryLayout(events, async (daybook, layout) => {
    const made = async (input: object) => {
      madeCount = 0;
      const { length } = await daybook.aggregate({ ...input, field } as AggregateInput);
      return [length, madeCount];
    };
    expect(await made({ eventName: "nothing" }), layout).toEqual([0, 0]);
    const [shownCount = 0, ofFew = 0] = await made({ eventName: "rare" });
    expect(shownCount).toBeGreaterThan(0);
    // A time that ties is read for its place, and once more for the answer.
    expect(ofFew).toBeLessThanOrEqual(2 * shownCount);
    if (field === "id") expect(await made({ limit: 5 }), layout).toEqual([5, 5]);
  });
});

beforeEach(() => {
  madeCount = 0;
});

test("Ids are put in order with pauses, in which a query can be ended.", async () => {
  const ids = new Uint8Array(10_000 * 16);
  for (let at = 0; at < 10_000; at += 1) ids.set(parseUuid(`00000000-0000-7000-8000-${String((at * 7_919) % 10_000).padStart(12, "0")}`) ?? [], at * 16);
  const rows = { rowCount: 10_000, ids: () => ids } as Partial<Rows> as Rows;
  const byId = new EventsById(null, false);
  const selector = { all: [], any: [], key: null, columns: [], fromMs: -Infinity, toMs: Infinity };
  byId.scan({ ...rows, day: 0, minMs: 0, maxMs: 1 } as Rows, { ...selector, actorFilter: null, testedValueCount: 0 });
  let pauseCount = 0;
  const stop = () => ((pauseCount += 1) === 2 ? Promise.reject(new Error("ended")) : Promise.resolve());
  await expect(byId.ranked(stop)).rejects.toThrow("ended");
  expect(madeCount).toBeLessThan(10_000);
});
