import { expect, test } from "vitest";
import { MemoryBudget } from "../../../src/storage/segment/memory-budget.js";
import { StretchCache } from "../../../src/query/tables/sessions/stretch-cache.js";

const [early, late] = [{ first: 0, end: 5_000 }, { first: 5_000, end: 10_000 }];

function opened(limitBytes = 1_000_000) {
  const budget = new MemoryBudget(limitBytes);
  const cache = new StretchCache(budget, 10_000);
  let madeCount = 0;
  const ask = (stretch: typeof early, count: number, name = "sums") => cache.derive(name, stretch, count, () => (madeCount += 1), () => 1_000);
  return { budget, cache, ask };
}

test("what is made of sessions is kept until others take the place of one of them", () => {
  const { cache, ask } = opened();
  expect([ask(early, 10_000), ask(late, 10_000), ask(early, 10_000), ask(late, 10_000)]).toEqual([1, 2, 1, 2]);
  cache.replaced(100, 10_000);
  expect([ask(early, 10_001), ask(late, 10_001), ask(early, 10_001)]).toEqual([3, 2, 3]);
  cache.replaced(4_999, 10_001);
  expect([ask(early, 10_002), ask(early, 10_002)]).toEqual([4, 4]);
});

test("a query of an earlier moment neither takes nor leaves what is kept of a later one", () => {
  const { cache, ask } = opened();
  ask(early, 10_000);
  cache.replaced(100, 10_000);
  expect([ask(early, 10_001), ask(early, 10_000), ask(early, 10_001)]).toEqual([2, 3, 2]);
});

test("stretches and ways of making have places of their own", () => {
  const { ask } = opened();
  expect([ask(early, 10_000), ask({ first: 0, end: 4_999 }, 10_000), ask(early, 10_000, "pages"), ask(early, 10_000)]).toEqual([1, 2, 3, 1]);
});

test("what is kept counts in the budget, is dropped where it is too much, and is gone at the end", () => {
  const { budget, cache, ask } = opened(2_500);
  ask(early, 10_000);
  expect(budget.byteLength).toBeGreaterThan(1_000);
  ask(late, 10_000);
  expect(ask(early, 10_000)).toBe(3);
  cache.release();
  expect(budget.byteLength).toBe(0);
});

test("what lasts is made once, and counted anew where it grew", () => {
  const { budget, cache } = opened();
  const first = cache.lasting("paths", () => ({}), 1_000);
  const before = budget.byteLength;
  expect(cache.lasting("paths", () => ({}), 3_000)).toBe(first);
  expect(budget.byteLength - before).toBe(2_000);
});
