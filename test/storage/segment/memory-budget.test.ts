import { expect, test } from "vitest";
import { DerivedCache, MemoryBudget } from "../../../src/storage/segment/memory-budget.js";

test("What is pinned stays over the bound, is not sorted for each addition, and goes with the first addition afterwards.", () => {
  const budget = new MemoryBudget(100_000);
  const owners = Array.from({ length: 1_000 }, () => new DerivedCache(budget));
  for (const owner of owners) owner.pin();
  for (const owner of owners) owner.set("columns", {}, 1_000);
  expect(budget.byteLength).toBeGreaterThan(1_000_000);
  expect(owners.every((owner) => owner.get("columns") !== null)).toBe(true);
  // Each try sorts all that is held: with one at each tenth more there are about two dozen.
  expect(budget.tryCount).toBeLessThan(40);
  for (const owner of owners) owner.unpin();
  new DerivedCache(budget).set("one more", {}, 1_000);
  expect(budget.byteLength).toBeLessThanOrEqual(100_000);
});

test("What is held of views that nobody asks any more does not hold them.", () => {
  const holdings = new DerivedCache(new MemoryBudget(1e9));
  const [view, other] = [{ name: "view" }, { name: "other" }];
  holdings.set("answer", 1, 8, [view]);
  expect(holdings.get("answer", [view])).toBe(1);
  for (const since of [[other], [], [view, other]]) expect(holdings.get("answer", since)).toBeNull();
});
