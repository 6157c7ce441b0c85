import { createHash } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage, openDaybook, type Codec, type Daybook, type EventInput, type Storage } from "daybook";
import { fileStorage, backgroundSealing, type BackgroundSealing } from "daybook/node";
import { generateTraffic } from "daybook/testing";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { LIMITS } from "../../src/core/base/limits.js";
import { Yielder } from "../../src/core/base/yield.js";
import { Head } from "../../src/storage/segment/head.js";
import { MemoryBudget } from "../../src/storage/segment/memory-budget.js";
import { BatchBuilder } from "../../src/store/batch/batch.js";
import { defaultCodec } from "../../src/store/storage/codec.js";
import type { SealWorker, SourceRows } from "../../src/store/files/make-segment.js";
import { bundledProgram } from "../bundled.js";
import { startProgram } from "../cli/run.js";
import { useLimits } from "../limits.js";
import { longTest } from "../long-test.js";
import { sliceOf } from "../oracle/settings.js";
import { objectsOf } from "./objects.js";
import { PROJECT_TEXTS } from "../storage/segment/rows-of.js";

const PROGRAM = bundledProgram("seal-worker");
const SOCKETS = bundledProgram("socket-worker");
/** A program of its own has the usual limits. */
const USUALLY_MANY = LIMITS.workerSealRowCount;
const MANY = 1_024;
useLimits({ workerSealRowCount: MANY });
const startMs = Date.UTC(2026, 0, 1);
const traffic = (eventCount: number, dayCount = 1, seed = 1): EventInput[] => [...generateTraffic({ seed, eventCount, dayCount, startMs })].map((event, at) => ({ ...event, id: `${seed}-${at}` }));
const program = (text: string) => new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from "node:worker_threads"; ${text}`)}`);

function threadOf(program = PROGRAM): BackgroundSealing {
  const thread = backgroundSealing({ program });
  onTestFinished(() => thread.close());
  return thread;
}

/** A head of rows of a day that have a name and nothing else. */
function headOf(rowCount: number): Head {
  const head = new Head(0, new MemoryBudget(1e9), PROJECT_TEXTS);
  const builder = new BatchBuilder();
  builder.reserve(rowCount);
  for (let row = 0; row < rowCount; row += 1) builder.times[row] = row;
  builder.codes[0]?.fill(1, 0, rowCount);
  builder.rowCount = rowCount;
  head.append(builder.batch(), 0, rowCount, 0, 0, () => []);
  return head;
}

/** Keeps what its worker answered: whether each file was made there. */
function watched(sealWorker: SealWorker): { sealWorker: SealWorker; wereMade: boolean[] } {
  const wereMade: boolean[] = [];
  const make: SealWorker["make"] = async (...asked) => {
    const made = await sealWorker.make(...asked);
    wereMade.push(made !== null);
    return made;
  };
  return { sealWorker: { make }, wereMade };
}

/** What a store in memory has as segments once these events are sealed. */
async function sealed(events: readonly EventInput[], sealWorker: SealWorker | undefined): Promise<[string, string][]> {
  const storage = memoryStorage();
  const daybook = await storeOf(events, storage, sealWorker);
  await daybook.seal();
  await daybook.close();
  return await segmentsOf(storage);
}

async function storeOf(events: readonly EventInput[], storage: Storage, sealWorker?: SealWorker): Promise<Daybook> {
  const daybook = await openDaybook({ storage, ...(sealWorker === undefined ? {} : { sealWorker }) });
  await daybook.ingest(events);
  return daybook;
}

/** Keys of the segments and SHA-256 of their bytes. */
async function segmentsOf(storage: Storage): Promise<[string, string][]> {
  return [...(await objectsOf(storage))].filter(([key]) => key.startsWith("segments/")).map(([key, bytes]) => [key, createHash("sha256").update(bytes).digest("hex")]);
}

const storages: readonly (readonly [string, () => Storage])[] = [
  ["memory", memoryStorage],
  ["files", () => fileStorage(join(mkdtempSync(join(tmpdir(), "daybook-seal-")), "store"))],
];

describe("a seal worker", () => {
  it.each(storages)("makes the files that the calling thread would make: %s", async (_, storage) => {
    const events = traffic(MANY * 5, 3);
    const [own, other] = [storage(), storage()];
    const { sealWorker, wereMade } = watched(threadOf());
    for (const daybook of [await storeOf(events, own), await storeOf(events, other, sealWorker)]) {
      await daybook.seal();
      await daybook.close();
    }
    expect(wereMade).toEqual([true, true, true]);
    expect(await segmentsOf(other)).toEqual(await segmentsOf(own));
  });

  it.each(sliceOf(storages, 2))("merges segments as the calling thread would: %s", async (_, storage) => {
    const [own, other] = [storage(), storage()];
    const { sealWorker, wereMade } = watched(threadOf());
    for (const daybook of [await openDaybook({ storage: own }), await openDaybook({ storage: other, sealWorker })]) {
      for (let seed = 1; seed <= LIMITS.segmentsPerDayCount + 1; seed += 1) {
        await daybook.ingest(traffic(MANY / 2, 1, seed));
        await daybook.seal();
      }
      await daybook.close();
    }
    expect(wereMade).toEqual([true]);
    const files = await segmentsOf(other);
    expect(files).toHaveLength(1);
    expect(files).toEqual(await segmentsOf(own));
  });

  it("is not asked for what is not worth the way, nor for blocks of a codec that it does not have", async () => {
    const { sealWorker, wereMade } = watched(threadOf());
    const small = await storeOf(traffic(MANY - 1), memoryStorage(), sealWorker);
    await small.close();
    expect(wereMade).toEqual([]);
    const storage = memoryStorage();
    // Made of a codec that the thread has, and yet another.
    const codec = { ...(storage.codec as Codec), deflate: (bytes: Uint8Array) => defaultCodec.deflate(bytes) };
    const other = await storeOf(traffic(MANY), Object.assign(storage, { codec }), sealWorker);
    await other.close();
    expect((await segmentsOf(storage)).length).toBe(1);
    expect(wereMade).toEqual([false]);
  });

  longTest("serves several stores at once, each with its own rows", async () => {
    const { sealWorker, wereMade } = watched(threadOf());
    const [own, other] = await Promise.all([undefined, sealWorker].map((one) => Promise.all([1, 2, 3].map(async (seed) => await sealed(traffic(2 * MANY * seed, 1, seed), one)))));
    expect(wereMade).toEqual([true, true, true]);
    expect(other).toEqual(own);
  });

  it("reads its sources one after the other, at the pace that it is told", async () => {
    const taken: number[] = [];
    const yielder = Object.assign(new Yielder(), { yieldAfter: async (valueCount: number) => void taken.push(valueCount) });
    const sources = [1, 2].map((seed) => headOf(MANY * seed).view());
    await expect(threadOf().make(sources, [], memoryStorage().codec as Codec, yielder)).resolves.toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
    expect(taken).toEqual(sources.map((rows) => rows.rowCount * rows.columnNames().length));
  });

  longTest("leaves rows that come meanwhile, and queries, alone", async () => {
    let go = (): void => undefined;
    const thread = threadOf();
    const gate = new Promise<void>((resolve) => (go = resolve));
    const sealWorker: SealWorker = {
      async make(...asked) {
        await gate;
        return await thread.make(...asked);
      },
    };
    const daybook = await storeOf(traffic(MANY), memoryStorage(), sealWorker);
    const sealing = daybook.seal();
    const again = await daybook.ingest([...traffic(10), ...traffic(100, 1, 2)]);
    expect(again).toMatchObject({ accepted: 100, duplicates: 10 });
    expect(await daybook.countEvents({ startDate: "2026-01-01" })).toBe(MANY + 100);
    go();
    await sealing;
    expect(await daybook.countEvents({ startDate: "2026-01-01" })).toBe(MANY + 100);
    expect(await daybook.ingest(traffic(10))).toMatchObject({ accepted: 0, duplicates: 10 });
    await daybook.close();
  });

  it("that is closed leaves files to those who ask, one on its way too", async () => {
    const thread = threadOf(program('parentPort.on("message", () => undefined)'));
    const { sealWorker, wereMade } = watched(thread);
    const daybook = await storeOf(traffic(MANY * 2), memoryStorage(), sealWorker);
    const sealing = daybook.seal();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(wereMade).toEqual([]);
    await thread.close();
    await sealing;
    expect(await daybook.countEvents({ startDate: "2026-01-01" })).toBe(MANY * 2);
    await daybook.ingest(traffic(MANY, 1, 2));
    await daybook.close();
    expect(wereMade).toEqual([false, false]);
  });

  // Flags of V8 hold for the whole process, and are refused where a thread is given them by name.
  longTest.each([[[]], [["--max-old-space-size=512"]]])("that is idle keeps no process from ending, and one that makes a file does: %o", async (flags) => {
    const { code, stdout, stderr } = await startProgram("test/store/background-sealing-idle.ts", [], { flags }).finished;
    expect([code, stdout, stderr]).toEqual([0, `${3 * USUALLY_MANY} and ${12 * USUALLY_MANY} in 3 and 3 segments\n`, ""]);
  });
});

describe("a seal worker that fails", () => {
  const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  afterEach(() => void warnings.mockClear());

  it.each(sliceOf([
    ["cannot start", 'throw new Error("broken")'],
    ["throws at the first rows", 'parentPort.on("message", () => { throw new Error("broken"); })'],
    ["ends at the first rows", 'parentPort.on("message", () => process.exit(3))'],
    ["ends when it has all", 'parentPort.on("message", ({ kind }) => kind === "make" && process.exit(3))'],
  ], 2))("because it %s: the calling thread makes the files, and a warning says why, once", async (_, text) => {
    const { sealWorker, wereMade } = watched(threadOf(program(text)));
    const daybook = await storeOf(traffic(MANY * 3, 2), memoryStorage(), sealWorker);
    await daybook.seal();
    await daybook.ingest(traffic(MANY, 1, 2));
    await daybook.seal();
    expect(await daybook.countEvents({ startDate: "2026-01-01" })).toBe(MANY * 4);
    expect(await daybook.stats()).toMatchObject({ headRowCount: 0 });
    await daybook.close();
    expect(wereMade).toEqual([false, false, false]);
    expect(warnings).toHaveBeenCalledTimes(1);
    expect(warnings.mock.calls[0]?.[0]).toMatch(/the seal worker failed.*(broken|with code 3)/);
  });

  it.each([
    ["is nowhere", new URL("file:///nowhere/seal.mjs"), /its program: file:\/\/\/nowhere\/seal\.mjs; the option "program"/],
    ["is that of sockets", SOCKETS, /expected to be started by listenOnWorker/],
  ])("because its program %s says what was looked for", async (_, entry, text) => {
    const daybook = await storeOf(traffic(MANY * 2), memoryStorage(), threadOf(entry));
    await daybook.close();
    expect(warnings.mock.calls).toEqual([[expect.stringMatching(text), "DaybookWarning"]]);
  });

  it("because rows cannot be read leaves nothing waiting", async () => {
    const broken = { ...headOf(MANY).view(), columnNames: () => ["name"], column: () => { throw new RangeError("Array buffer allocation failed"); } } as unknown as SourceRows;
    const thread = threadOf();
    expect(await thread.make([headOf(MANY).view(), broken], [], memoryStorage().codec as Codec, new Yielder())).toBeNull();
    expect(await thread.make([headOf(MANY).view()], [], memoryStorage().codec as Codec, new Yielder())).toBeNull();
    expect(warnings.mock.calls.map(([text]) => String(text))).toEqual([expect.stringContaining("allocation failed")]);
  });

  longTest("to make one file is asked for no other", async () => {
    const text = 'parentPort.on("message", ({ kind, id }) => { if (kind === "make") parentPort.postMessage({ id, made: null, reason: "broken" }); })';
    const { sealWorker, wereMade } = watched(threadOf(program(text)));
    const daybook = await storeOf(traffic(MANY * 3, 2), memoryStorage(), sealWorker);
    await daybook.close();
    expect(wereMade).toEqual([false, false]);
    expect(warnings.mock.calls.map(([warning]) => String(warning))).toEqual([expect.stringMatching(/the seal worker failed.*broken/)]);
  });
});

longTest("A file of other rows than were asked for is not written: the rows stay where they are.", async () => {
  const thread = threadOf();
  const sealWorker: SealWorker = { make: (sources, ...rest) => thread.make(sources.slice(1), ...rest) };
  const daybook = await storeOf(traffic(LIMITS.headPartRowCount + MANY), memoryStorage(), sealWorker);
  await expect(daybook.seal()).rejects.toMatchObject({ code: "internal" });
  expect(await daybook.countEvents({ startDate: "2026-01-01" })).toBe(LIMITS.headPartRowCount + MANY);
  expect(await daybook.stats()).toMatchObject({ segmentCount: 0, headRowCount: LIMITS.headPartRowCount + MANY });
});

it("A file that cannot be read back is not written, and nothing stored is called damaged.", async () => {
  const sealWorker: SealWorker = { make: () => Promise.resolve({ bytes: new Uint8Array(100), sha256: "" }) };
  const daybook = await storeOf(traffic(MANY), memoryStorage(), sealWorker);
  await expect(daybook.seal()).rejects.toMatchObject({ code: "internal" });
  expect(await daybook.stats()).toMatchObject({ segmentCount: 0, headRowCount: MANY });
});

longTest("A lock that is lost while the file is made is found lost before the file is written.", async () => {
  const thread = threadOf();
  let isHeld = true;
  const lock = () => Promise.resolve({ isHeld: () => Promise.resolve(isHeld), release: () => Promise.resolve() });
  const storage = Object.assign(memoryStorage(), { lock });
  const sealWorker: SealWorker = { make: (...asked) => thread.make(...asked).finally(() => (isHeld = false)) };
  const daybook = await storeOf(traffic(MANY), storage, sealWorker);
  await expect(daybook.seal()).rejects.toMatchObject({ code: "store_locked" });
  expect(await storage.list("segments/")).toEqual([]);
});

it("A program that no thread can be started from is refused.", () => {
  for (const program of ["./seal.mjs", "https://example.com/seal.mjs", "", 1, {}])
    expect(() => backgroundSealing({ program } as { program: string })).toThrow(expect.objectContaining({ code: "invalid_parameter", details: expect.objectContaining({ param: "program" }) as object }));
});

it("What is no seal worker is refused.", async () => {
  for (const sealWorker of [null, {}, 1, () => undefined])
    await expect(openDaybook({ storage: memoryStorage(), sealWorker: sealWorker as unknown as SealWorker })).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "sealWorker" } });
});
