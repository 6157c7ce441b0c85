import { fixedClock, memoryStorage, openDaybook, type EventInput } from "daybook";
import { seededRandom } from "daybook/testing";
import { expect, test } from "vitest";
import { OrderNumbers } from "../../../src/query/tables/money/order-numbers.js";
import { Dictionary } from "../../../src/storage/column/dictionary.js";

const NOW = Date.UTC(2026, 2, 10, 12);

test("An external id and the same text in metadata have one number, whichever comes first, and a project has numbers of its own.", () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const random = seededRandom(seed);
    const externalIds = new Dictionary("externalId");
    const numbers = new OrderNumbers(externalIds);
    const known = new Map<string, number>();
    const textShare = random.pick([0, 0.1, 0.5]);
    for (let count = 0; count < 60; count += 1) {
      const [project, text] = [1 + random.below(3), `order ${random.below(20)}`];
      const number = random.chance(textShare) ? numbers.ofText(project, text) : numbers.ofId(project, externalIds.intern(text));
      const key = `${project} ${text}`;
      const expected = known.get(key) ?? known.size + 1;
      known.set(key, expected);
      expect([seed, count, number, numbers.count]).toEqual([seed, count, expected, known.size]);
    }
  }
});

test("A refund has a number by its project, order and id, apart from the orders.", () => {
  const externalIds = new Dictionary("externalId");
  const numbers = new OrderNumbers(externalIds);
  const order = numbers.ofId(1, externalIds.intern("a"));
  const refunds = [numbers.ofRefund(1, order, "r"), numbers.ofRefund(1, 0, "r"), numbers.ofRefund(2, 0, "r"), numbers.ofRefund(1, order, "s"), numbers.ofText(1, "r")];
  expect([order, ...refunds]).toEqual([1, 2, 3, 4, 5, 6]);
  expect(numbers.ofRefund(2, 0, "r")).toBe(4);
});

const pay = (value: number, key: { externalId?: string; metadata?: EventInput["metadata"] }, minutesAgo: number): EventInput =>
  ({ name: "Payment", userId: "ann", value, createdAt: NOW - minutesAgo * 60_000, ...key });

/** The later of two payments of one order is a duplicate; the number of the text may also be one. */
test.each<[string, readonly EventInput[]]>([
  ["the text first", [pay(1, { metadata: { order_id: "A" } }, 9), pay(10, { externalId: "A" }, 5), pay(100, { externalId: "B" }, 4), pay(1_000, { metadata: { transaction_id: "B" } }, 3)]],
  ["the external id first", [pay(10, { externalId: "77" }, 5), pay(1, { metadata: { order_id: 77 } }, 9), pay(1_000, { metadata: { transaction_id: "B" } }, 3), pay(100, { externalId: "B" }, 4)]],
])("Metadata and external ids name one order when they are equal: %s.", async (_, payments) => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
  for (const payment of payments) {
    await daybook.ingest([payment]);
    await daybook.ltvCohorts({ project: "default" });
  }
  expect((await daybook.ltvCohorts({ project: "default" })).cohorts[0]).toMatchObject({ revenue: 101, orders: 2 });
});
