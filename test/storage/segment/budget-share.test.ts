import { expect, test } from "vitest";
import { BudgetShare, DerivedCache, MemoryBudget } from "../../../src/storage/segment/memory-budget.js";

test("A share is counted with all others, and gives back what it keeps; what comes later is counted no more.", () => {
  const whole = new MemoryBudget(10_000);
  const others = new DerivedCache(whole);
  others.set("theirs", 1, 1_000);
  const before = whole.byteLength;
  const share = new BudgetShare(whole);
  const own = new DerivedCache(share);
  own.set("mine", 2, 1_000);
  share.count(500);
  expect([share.byteLength, whole.byteLength > before + 1_500]).toEqual([whole.byteLength, true]);
  share.end();
  own.set("late", 3, 1_000);
  share.count(500);
  expect([whole.byteLength, others.get("theirs")]).toEqual([before, 1]);
});

test("A share stays within the bound of all: what was used longest ago is dropped, what is counted is not.", () => {
  const whole = new MemoryBudget(10_000);
  const share = new BudgetShare(whole);
  share.count(4_000);
  const own = new DerivedCache(share);
  for (let at = 0; at < 20; at += 1) own.set(`column ${at}`, at, 1_000);
  expect([own.get("column 0"), own.get("column 19")]).toEqual([null, 19]);
  expect(whole.byteLength).toBeLessThanOrEqual(10_000);
  share.end();
  expect(whole.byteLength).toBe(0);
});
