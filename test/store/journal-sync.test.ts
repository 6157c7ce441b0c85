import type { AppendFile } from "daybook";
import { expect, test } from "vitest";
import { FRAME_KINDS, Journal } from "../../src/store/journal/journal.js";

/** A file of which each sync, and each write, ends when the test says. */
function slowFile(): { file: AppendFile; ends: ((error?: Error) => void)[] } {
  const ends: ((error?: Error) => void)[] = [];
  const wait = () =>
    new Promise<void>((resolve, reject) => {
      ends.push((error) => (error === undefined ? resolve() : reject(error)));
    });
  return { file: { byteLength: 0, write: wait, sync: wait, truncate: () => Promise.resolve(), close: () => Promise.resolve() }, ends };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function startedJournal() {
  const { file, ends } = slowFile();
  const creating = Journal.create(1, file, 1, 1);
  ends.shift()?.();
  return { journal: await creating, ends };
}

const rows = (firstSequence: number, sequenceCount: number, byteLength: number) => ({
  kind: FRAME_KINDS.rows,
  firstSequence,
  sequenceCount,
  payload: new Uint8Array(byteLength),
});

test("A sync that follows one that fails fails too: the kernel tells of lost pages once.", async () => {
  const { journal, ends } = await startedJournal();
  const outcomes = Promise.allSettled([journal.sync(1), journal.sync(1)]);
  await turn();
  ends.shift()?.(new Error("EIO"));
  await turn();
  ends.shift()?.();
  expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(journal.isPoisoned).toBe(true);
});

test("A frame written while a sync fails is not reported as written.", async () => {
  const { journal, ends } = await startedJournal();
  const outcomes = Promise.allSettled([journal.sync(1), journal.append(0, rows(1, 1, 4))]);
  await turn();
  const [first, second] = ends.splice(0);
  // The append was called second, but a sync begins a microtask later.
  second?.(new Error("EIO"));
  await turn();
  first?.();
  expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});
