import { expect, it } from "vitest";
import { TurnWrites } from "../../src/node/turn-writes.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));

it("Answers of one turn of the event loop are written together at its end, in their order.", async () => {
  const writes = new TurnWrites(() => 0);
  const written: string[] = [];
  for (const answer of ["a", "b"]) writes.add(() => written.push(answer));
  await Promise.resolve();
  writes.add(() => written.push("c"));
  expect(written).toEqual([]);
  await turn();
  expect(written).toEqual(["a", "b", "c"]);
  writes.add(() => written.push("d"));
  await turn();
  expect(written).toEqual(["a", "b", "c", "d"]);
});

it("An answer does not wait for a turn that takes longer than a millisecond: the next one takes it along.", async () => {
  let nowMs = 0;
  const writes = new TurnWrites(() => nowMs);
  const written: string[] = [];
  writes.add(() => written.push("a"));
  nowMs = 1.1;
  writes.add(() => written.push("b"));
  expect(written).toEqual(["a", "b"]);
  writes.add(() => written.push("c"));
  expect(written).toEqual(["a", "b"]);
  await turn();
  expect(written).toEqual(["a", "b", "c"]);
});
