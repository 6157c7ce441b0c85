import { expect, it } from "vitest";
import { LongAnswers } from "../../../src/platform/node/answer-on-socket.js";
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

it("Long answers are written a megabyte a turn, in their order, so that short ones of the same time go first.", async () => {
  const written: string[] = [];
  const long = new LongAnswers();
  const short = new TickBatch<string>((answers) => written.push(...answers));
  const add = (name: string, byteLength: number) => long.add({ byteLength, write: () => void written.push(name) });
  for (const name of ["a", "b", "c"]) add(name, 600_000);
  add("whole", 5_000_000);
  add("d", 100_000);
  await turn();
  expect(written).toEqual(["a", "b"]);
  short.add("short");
  await turn();
  expect(written).toEqual(["a", "b", "c", "whole", "short"]);
  await turn();
  expect(written.at(-1)).toBe("d");
});

it("A long answer that comes while another is written waits for its turn.", async () => {
  const written: string[] = [];
  const long = new LongAnswers();
  const second = { byteLength: 2 ** 20, write: () => void written.push("second") };
  const third = { byteLength: 2 ** 20, write: () => void written.push("third") };
  long.add({ byteLength: 2 ** 20, write: () => [second, third].forEach((answer) => long.add(answer)) });
  await turn();
  expect(written).toEqual([]);
  await turn();
  expect(written).toEqual(["second"]);
  await turn();
  expect(written).toEqual(["second", "third"]);
});
