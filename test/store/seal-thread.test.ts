import { createHash } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage, openDaybook, type Daybook, type EventInput, type Storage } from "daybook";
import { fileStorage, type SealThread } from "daybook/node";
import { generateTraffic } from "daybook/testing";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { LIMITS } from "../../src/base/limits.js";
import { sealThreadOf } from "../../src/node/seal-thread.js";
import type { Sealer } from "../../src/store/make-segment.js";
import { bundledProgram } from "../bundled.js";
import { startProgram } from "../cli/run.js";
import { objectsOf } from "./objects.js";

const PROGRAM = await bundledProgram("seal-program");
const MANY = LIMITS.sealedElsewhereRowCount;
const startMs = Date.UTC(2026, 0, 1);
const traffic = (eventCount: number, dayCount = 1, seed = 1): EventInput[] => [...generateTraffic({ seed, eventCount, dayCount, startMs })].map((event, at) => ({ ...event, id: `${seed}-${at}` }));
const program = (text: string) => new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from "node:worker_threads"; ${text}`)}`);

function threadOf(entry = PROGRAM): SealThread {
  const thread = sealThreadOf(entry);
  onTestFinished(() => thread.close());
  return thread;
}

/** Keeps what its sealer answered: whether each file was made there. */
function watched(sealer: Sealer): { sealer: Sealer; wereMade: boolean[] } {
  const wereMade: boolean[] = [];
  const make: Sealer["make"] = async (...asked) => {
    const made = await sealer.make(...asked);
    wereMade.push(made !== null);
    return made;
  };
  return { sealer: { make }, wereMade };
}

async function storeOf(events: readonly EventInput[], storage: Storage, sealer?: Sealer): Promise<Daybook> {
  const daybook = await openDaybook({ storage, ...(sealer === undefined ? {} : { sealer }) });
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

describe("a thread of seals", () => {
  it.each(storages)("makes the files that the calling thread would make: %s", async (_, storage) => {
    const events = traffic(MANY * 5, 3);
    const [own, other] = [storage(), storage()];
    const { sealer, wereMade } = watched(threadOf());
    for (const daybook of [await storeOf(events, own), await storeOf(events, other, sealer)]) {
      await daybook.seal();
      await daybook.close();
    }
    expect(wereMade).toEqual([true, true, true]);
    expect(await segmentsOf(other)).toEqual(await segmentsOf(own));
  });

  it.each(storages)("merges segments as the calling thread would: %s", async (_, storage) => {
    const [own, other] = [storage(), storage()];
    const { sealer, wereMade } = watched(threadOf());
    for (const daybook of [await openDaybook({ storage: own }), await openDaybook({ storage: other, sealer })]) {
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
    const { sealer, wereMade } = watched(threadOf());
    const small = await storeOf(traffic(MANY - 1), memoryStorage(), sealer);
    await small.close();
    expect(wereMade).toEqual([]);
    for (const name of ["zstd", undefined]) {
      const storage = memoryStorage();
      const codec = { ...storage.codec, name } as NonNullable<Storage["codec"]>;
      const other = await storeOf(traffic(MANY), Object.assign(storage, { codec }), sealer);
      await other.close();
      expect((await segmentsOf(storage)).length).toBe(1);
    }
    expect(wereMade).toEqual([false]);
  });

  it("serves several stores at once, each with its own rows", async () => {
    const thread = threadOf();
    const daybooks = await Promise.all([1, 2, 3].map(async (seed) => await storeOf(traffic(MANY + seed, 2 * seed, seed), memoryStorage(), thread)));
    await Promise.all(daybooks.map((daybook) => daybook.seal()));
    for (const [at, daybook] of daybooks.entries()) {
      const { eventCount, headRowCount } = await daybook.stats();
      expect([eventCount, headRowCount]).toEqual([MANY + at + 1, 0]);
      expect(await daybook.countEvents({ startDate: "2026-01-01" })).toBe(MANY + at + 1);
      await daybook.close();
    }
  });

  it("leaves rows that come meanwhile, and questions, alone", async () => {
    let go = (): void => undefined;
    const thread = threadOf();
    const gate = new Promise<void>((resolve) => (go = resolve));
    const sealer: Sealer = {
      async make(...asked) {
        await gate;
        return await thread.make(...asked);
      },
    };
    const daybook = await storeOf(traffic(MANY), memoryStorage(), sealer);
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
    const { sealer, wereMade } = watched(thread);
    const daybook = await storeOf(traffic(MANY * 2), memoryStorage(), sealer);
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

  it("that is idle keeps no process from ending, and one that makes a file does", async () => {
    const { code, stdout, stderr } = await startProgram("test/store/seal-idle.ts", []).finished;
    expect([code, stdout, stderr]).toEqual([0, `${MANY} in 1 segment\n`, ""]);
  });
});

describe("a thread of seals that fails", () => {
  const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  afterEach(() => void warnings.mockClear());

  it.each([
    ["cannot start", 'throw new Error("broken")'],
    ["throws at the first rows", 'parentPort.on("message", () => { throw new Error("broken"); })'],
    ["ends at the first rows", 'parentPort.on("message", () => process.exit(3))'],
    ["ends when it has all", 'parentPort.on("message", ({ kind }) => kind === "make" && process.exit(3))'],
  ])("because it %s: the calling thread makes the files, and a warning says why, once", async (_, text) => {
    const { sealer, wereMade } = watched(threadOf(program(text)));
    const daybook = await storeOf(traffic(MANY * 3, 2), memoryStorage(), sealer);
    await daybook.seal();
    await daybook.ingest(traffic(MANY, 1, 2));
    await daybook.seal();
    expect(await daybook.countEvents({ startDate: "2026-01-01" })).toBe(MANY * 4);
    expect(await daybook.stats()).toMatchObject({ headRowCount: 0 });
    await daybook.close();
    expect(wereMade).toEqual([false, false, false]);
    expect(warnings).toHaveBeenCalledTimes(1);
    expect(warnings.mock.calls[0]?.[0]).toMatch(/the thread of seals failed.*(broken|with code 3)/);
  });

  it("to make one file makes the next: the calling thread makes that one", async () => {
    const text = 'let count = 0; parentPort.on("message", ({ kind, id }) => { if (kind === "make") parentPort.postMessage({ id, made: null }); })';
    const { sealer, wereMade } = watched(threadOf(program(text)));
    const daybook = await storeOf(traffic(MANY * 3, 2), memoryStorage(), sealer);
    await daybook.close();
    expect([wereMade, warnings.mock.calls]).toEqual([[false, false], []]);
  });
});

it("What is no sealer is refused.", async () => {
  for (const sealer of [null, {}, 1, () => undefined])
    await expect(openDaybook({ storage: memoryStorage(), sealer: sealer as unknown as Sealer })).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "sealer" } });
});
