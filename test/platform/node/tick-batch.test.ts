import { expect, it } from "vitest";
import { TickBatch } from "../../../src/platform/node/tick-batch.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));

it("Answers of one turn of the event loop are handed on together at its end, in their order.", async () => {
  const written: string[] = [];
  const writes = new TickBatch<string>((answers) => written.push(...answers), () => 0);
  for (const answer of ["a", "b"]) writes.add(answer);
  await Promise.resolve();
  writes.add("c");
  expect(written).toEqual([]);
  await turn();
  expect(written).toEqual(["a", "b", "c"]);
  writes.add("d");
  await turn();
  expect(written).toEqual(["a", "b", "c", "d"]);
});

it("An answer does not wait for a turn that takes longer than a millisecond: the next one takes it along.", async () => {
  let nowMs = 0;
  const written: string[] = [];
  const writes = new TickBatch<string>((answers) => written.push(...answers), () => nowMs);
  writes.add("a");
  nowMs = 1.1;
  writes.add("b");
  expect(written).toEqual(["a", "b"]);
  writes.add("c");
  expect(written).toEqual(["a", "b"]);
  await turn();
  expect(written).toEqual(["a", "b", "c"]);
});
