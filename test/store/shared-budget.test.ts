import { expect, it } from "vitest";
import type { Droppable } from "../../src/storage/segment/memory-budget.js";
import { SharedBudget, StoreShare } from "../../src/store/live/shared-budget.js";

const dropped: string[] = [];

function item(name: string, byteLength: number, pinned = false): Droppable {
  return { byteLength, pinned, lastUsed: 0, drop: () => void dropped.push(name) };
}

it("drops what any store used longest ago, and counts the bytes of each and of all", () => {
  const whole = new SharedBudget(100);
  const [one, other] = [new StoreShare(whole), new StoreShare(whole)];
  const a = item("a", 40);
  one.add(a);
  other.add(item("b", 40));
  one.touch(a);
  expect([one.limitBytes, one.byteLength, other.byteLength, whole.byteLength]).toEqual([100, 40, 40, 80]);
  one.add(item("c", 30));
  expect([dropped.splice(0), one.byteLength, other.byteLength, whole.byteLength]).toEqual([["b"], 70, 0, 70]);
  one.remove(a);
  one.remove(a);
  expect([one.byteLength, whole.byteLength]).toEqual([30, 30]);
});

it("forgets a store that is closed, without dropping, and what it adds later", () => {
  const whole = new SharedBudget(100);
  const [one, other] = [new StoreShare(whole), new StoreShare(whole)];
  one.add(item("a", 40, true));
  one.add(item("b", 10));
  other.add(item("c", 30));
  one.end();
  one.add(item("d", 60));
  expect([one.byteLength, other.byteLength, whole.byteLength, dropped]).toEqual([0, 30, 30, []]);
});

it("removes the matching items of one store alone", () => {
  const whole = new SharedBudget(100);
  const [one, other] = [new StoreShare(whole), new StoreShare(whole)];
  one.add(item("a", 10));
  one.add(item("b", 20));
  other.add(item("c", 10));
  one.removeAll(({ byteLength }) => byteLength === 10);
  expect([one.byteLength, other.byteLength, whole.byteLength]).toEqual([20, 10, 30]);
});
