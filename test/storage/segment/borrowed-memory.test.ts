import { describe, expect, test } from "vitest";
import { Scratch } from "../../../src/core/base/scratch.js";
import { ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../../../src/core/schema/fields.js";
import { denseCodes, type CodeColumn } from "../../../src/storage/column/column.js";
import { MemoryBudget } from "../../../src/storage/segment/memory-budget.js";
import type { Segment } from "../../../src/storage/segment/segment.js";
import { ACTOR_LISTS, type ActorTriples } from "../../../src/storage/segment/summaries.js";
import { StoreFiles } from "../../../src/store/files/files.js";
import { memoryStorage } from "../../../src/store/storage/memory-storage.js";
import type { Storage } from "../../../src/store/storage/storage.js";

const ROW_COUNT = 40_000;
const scattered = (at: number, bits: number) => Math.imul(at + 1, 0x9e3779b1) >>> (32 - bits);

function dense(codeOf: (at: number) => number): CodeColumn {
  return { kind: "dense", codes: Uint32Array.from({ length: ROW_COUNT }, (_, at) => codeOf(at)) };
}

/** Columns that are stored in every way: packed, in whole bytes, masked, deflated, sparse. */
const columns = new Map<string, CodeColumn>([
  ["userId", dense((at) => scattered(at, 20))],
  ["anonymousId", dense((at) => scattered(at, 15))],
  ["url", dense((at) => scattered(at, 8))],
  ["companyId", dense((at) => (at % 3 === 0 ? scattered(at, 11) : 0))],
  ["browser", dense((at) => Number(at > 4_000))],
  ["m1", { kind: "sparse", rows: Uint32Array.of(3, 77, 4_999), codes: Uint8Array.of(5, 6, 7), rowCount: ROW_COUNT }],
]);
const NAMES = [TIME_COLUMN, SEQUENCE_COLUMN, ID_COLUMN, ...columns.keys()];

/** Reads into memory that its caller allocates, as the storage in files does. */
function borrowing(): Storage {
  const storage: Storage = memoryStorage();
  const read = storage.read.bind(storage);
  storage.read = async (key, range, allocate) => {
    const bytes = await read(key, range);
    if (bytes === null || allocate === undefined) return bytes;
    const allocated = allocate(bytes.length);
    allocated.set(bytes);
    return allocated;
  };
  return storage;
}

async function stored(storage: Storage, without: readonly string[] = []): Promise<Segment> {
  const times = Int32Array.from({ length: ROW_COUNT }, (_, at) => at * 17 + (at % 5));
  const sequences = Uint32Array.from({ length: ROW_COUNT }, (_, at) => 1 + ((at * 7_919) % ROW_COUNT));
  const ids = Uint8Array.from({ length: ROW_COUNT * 16 }, (_, at) => scattered(at, 8));
  const files = new StoreFiles(storage, new MemoryBudget(1e9));
  const own = new Map([...columns].filter(([name]) => !without.includes(name)));
  const { entry } = await files.writeSegment(1, { day: 20_513, times, ids, sequences, columns: own }, []);
  return await files.openSegment(entry);
}

/** Overwrites all memory that is free to be used again. */
function overwriteFree(): void {
  Scratch.atOnce((scratch) => {
    for (let count = 0; count < 64; count += 1) new Uint32Array(scratch.take(4_096).buffer).fill(0xffffffff);
  });
}

function loadedOf(segment: Segment, name: string): Buffer {
  if (name === TIME_COLUMN) return Buffer.from(segment.times().slice().buffer);
  if (name === SEQUENCE_COLUMN) return Buffer.from(segment.sequences().slice().buffer);
  if (name === ID_COLUMN) return Buffer.from(segment.ids());
  return Buffer.from(Uint32Array.from(denseCodes(segment.column(name))).buffer);
}

const numbersOf = ({ plain, members, companies, projects }: ActorTriples) => [plain, members, companies, projects].map((numbers) => Buffer.from(numbers.slice().buffer).toString("base64"));

describe("memory into which a segment reads", () => {
  test.each(NAMES)("has nothing of the loaded column %s", async (name) => {
    const [segment, expected] = [await stored(borrowing()), await stored(memoryStorage())];
    for (const each of [segment, expected]) await each.load(NAMES);
    overwriteFree();
    expect(Buffer.compare(loadedOf(segment, name), loadedOf(expected, name))).toBe(0);
  });

  test.each(NAMES.filter((name) => name !== ID_COLUMN))("keeps %s as long as what is read for one use", async (name) => {
    const [segment, expected] = [await stored(borrowing()), await stored(memoryStorage())];
    await expected.load([name]);
    await Scratch.of(async (scratch) => {
      const once = await segment.readOnce(name, scratch);
      overwriteFree();
      expect(Buffer.compare(Buffer.from(once.all().slice().buffer), loadedOf(expected, name))).toBe(0);
    });
  });

  test("keeps the actors as long as the scratch of their first use; later uses keep them in memory of their own", async () => {
    const [segment, expected] = [await stored(borrowing()), await stored(memoryStorage())];
    const numbers = numbersOf(await expected.actorLists(ACTOR_LISTS));
    await Scratch.of(async (scratch) => {
      const first = await segment.actorLists(ACTOR_LISTS, scratch);
      overwriteFree();
      expect(numbersOf(first)).toEqual(numbers);
    });
    expect(segment.cachedActorLists(ACTOR_LISTS)).toBeNull();
    const second = await Scratch.of((scratch) => segment.actorLists(ACTOR_LISTS, scratch));
    overwriteFree();
    expect(numbersOf(second)).toEqual(numbers);
    expect(segment.cachedActorLists(ACTOR_LISTS)).toEqual(second);
  });

  test("shows no company and no project where there is none", async () => {
    const segment = await stored(borrowing(), ["companyId"]);
    overwriteFree();
    const { companyCount, projects } = await Scratch.of(async (scratch) => {
      const triples = await segment.actorLists(ACTOR_LISTS, scratch);
      return { companyCount: triples.companies.length, projects: new Set(triples.projects) };
    });
    expect([companyCount, projects]).toEqual([0, new Set([0])]);
  });
});
