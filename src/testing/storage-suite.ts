import { DaybookError, type ErrorCode } from "../core/base/errors.js";
import type { AppendFile, HeldObject, Storage } from "../store/storage/storage.js";

/** One requirement of `Storage`. `run` rejects with the reason if the storage violates it. */
export interface StorageCase {
  readonly name: string;
  /** @param open opens a storage over the same location, which is empty before the first call of the case */
  run(open: () => Promise<Storage>): Promise<void>;
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

function expect(condition: boolean, what: string): void {
  if (!condition) throw new Error(`expected ${what}`);
}

async function expectText(storage: Storage, key: string, text: string | null): Promise<void> {
  const bytes = await storage.read(key);
  const got = bytes === null ? null : new TextDecoder().decode(bytes);
  expect(got === text, `${key} to hold ${JSON.stringify(text)}, got ${JSON.stringify(got)}`);
}

async function expectKeys(storage: Storage, prefix: string, keys: readonly string[]): Promise<void> {
  const got = await storage.list(prefix);
  expect(got.join() === keys.join(), `keys [${keys.join()}] under "${prefix}", got [${got.join()}]`);
}

async function expectError(code: ErrorCode | null, what: string, run: () => Promise<unknown>): Promise<void> {
  const outcome = await run().then(() => null, (error: unknown) => error);
  expect(outcome instanceof Error, `${what} to be refused`);
  if (code !== null) {
    expect(outcome instanceof DaybookError && outcome.code === code, `${what} to fail with ${code}, got ${String(outcome)}`);
  }
}

function storageCase(name: string, run: (storage: Storage, open: () => Promise<Storage>) => Promise<void>): StorageCase {
  return { name, run: async (open) => await run(await open(), open) };
}

type AppendRun = (openAppend: (key: string) => Promise<AppendFile>, storage: Storage, reopen: () => Promise<Storage>) => Promise<void>;

/** A case for storages that can append; others pass it. */
function appendCase(name: string, run: AppendRun): StorageCase {
  return storageCase(name, async (storage, open) => {
    if (storage.openAppend !== undefined) await run(storage.openAppend.bind(storage), storage, open);
  });
}

const objectCases: readonly StorageCase[] = [
  storageCase("a written object can be read back, also after a second opening of the location", async (storage, open) => {
    await storage.write("segments/2026-03-01.seg", bytesOf("rows"));
    await expectText(storage, "segments/2026-03-01.seg", "rows");
    await expectText(await open(), "segments/2026-03-01.seg", "rows");
  }),
  storageCase("an object that does not exist reads as null, whole and in part", async (storage) => {
    await storage.write("a/b", bytesOf("x"));
    for (const key of ["missing", "a/missing", "other/missing"]) await expectText(storage, key, null);
    expect((await storage.read("missing", { start: 0, end: 4 })) === null, "null for a range of a missing object");
  }),
  storageCase("an empty object exists", async (storage) => {
    await storage.write("empty", new Uint8Array(0));
    await expectText(storage, "empty", "");
    await expectKeys(storage, "", ["empty"]);
  }),
  storageCase("all byte values of a large object come back", async (storage) => {
    const bytes = Uint8Array.from({ length: 300_001 }, (_, at) => (at * 31) ^ (at >> 8));
    await storage.write("large", bytes);
    const got = await storage.read("large");
    expect(got?.length === bytes.length && got.every((byte, at) => byte === bytes[at]), "300,001 equal bytes");
  }),
  storageCase("a range is half-open and ends with the object", async (storage) => {
    await storage.write("k", bytesOf("0123456789"));
    for (const [start, end, text] of [[0, 10, "0123456789"], [2, 5, "234"], [4, 4, ""], [8, 99, "89"], [10, 12, ""], [50, 60, ""]] as const) {
      const got = new TextDecoder().decode((await storage.read("k", { start, end })) ?? bytesOf("null"));
      expect(got === text, `bytes [${start}, ${end}) to be "${text}", got "${got}"`);
    }
  }),
  storageCase("an invalid range is refused", async (storage) => {
    await storage.write("k", bytesOf("0123456789"));
    for (const [start, end] of [[-1, 2], [5, 4], [0.5, 2], [0, Number.NaN]] as const) {
      await expectError(null, `the range [${start}, ${end})`, () => storage.read("k", { start, end }));
    }
  }),
  storageCase("a second write replaces the object", async (storage) => {
    await storage.write("k", bytesOf("first and long"));
    await storage.write("k", bytesOf("second"));
    await expectText(storage, "k", "second");
    await expectKeys(storage, "", ["k"]);
  }),
  storageCase("no caller can change stored bytes through the arrays that it passed or received", async (storage) => {
    const given = bytesOf("stored");
    await storage.write("k", given);
    given.fill(0);
    (await storage.read("k"))?.fill(0);
    (await storage.read("k", { start: 0, end: 3 }))?.fill(0);
    await expectText(storage, "k", "stored");
  }),
  storageCase("a view into a larger buffer is written as the view alone", async (storage) => {
    await storage.write("k", bytesOf("__view__").subarray(2, 6));
    await expectText(storage, "k", "view");
  }),
  storageCase("keys are listed ascending and by prefix, which need not end at a slash", async (storage) => {
    await expectKeys(storage, "", []);
    const keys = ["MANIFEST", "journal/2", "journal/10", "journal/old/1", "journals", "a.b_c-D"];
    for (const key of keys) await storage.write(key, bytesOf(key));
    await expectKeys(storage, "", ["MANIFEST", "a.b_c-D", "journal/10", "journal/2", "journal/old/1", "journals"]);
    await expectKeys(storage, "journal/", ["journal/10", "journal/2", "journal/old/1"]);
    await expectKeys(storage, "journal/1", ["journal/10"]);
    await expectKeys(storage, "journal", ["journal/10", "journal/2", "journal/old/1", "journals"]);
    await expectKeys(storage, "none/", []);
  }),
  storageCase("a removed object is gone, and removing it again is not an error", async (storage) => {
    await storage.write("a/k", bytesOf("x"));
    await storage.remove("a/k");
    await storage.remove("a/k");
    await storage.remove("never/was");
    await expectText(storage, "a/k", null);
    await expectKeys(storage, "", []);
    await storage.write("a/k", bytesOf("again"));
    await expectText(storage, "a/k", "again");
  }),
  storageCase("objects written with durable: false are readable at once and can be synced together", async (storage) => {
    const keys = Array.from({ length: 20 }, (_, at) => `batch/${at % 3}/${at}`);
    for (const key of keys) await storage.write(key, bytesOf(key), { durable: false });
    await expectText(storage, "batch/0/0", "batch/0/0");
    await storage.sync([...keys, ...keys]);
    await storage.sync([]);
    await expectText(storage, "batch/1/19", "batch/1/19");
    await expectError(null, "a sync of a missing object", () => storage.sync(["batch/missing"]));
  }),
  storageCase("a key outside the alphabet or with empty, . or .. parts is refused everywhere", async (storage) => {
    for (const key of ["", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a b", "ä", "a\\b", "a~b", "a\0b", "a\n", "x".repeat(300)]) {
      const shown = JSON.stringify(key);
      await expectError(null, `writing ${shown}`, () => storage.write(key, bytesOf("x")));
      await expectError(null, `reading ${shown}`, () => storage.read(key));
      await expectError(null, `removing ${shown}`, () => storage.remove(key));
      await expectError(null, `syncing ${shown}`, () => storage.sync([key]));
      await expectError(null, `appending to ${shown}`, async () => storage.openAppend?.(key) ?? Promise.reject(new Error("none")));
    }
    await expectKeys(storage, "", []);
  }),
];

const appendCases: readonly StorageCase[] = [
  appendCase("appended bytes are in order, are counted, and remain after close", async (openAppend, storage, reopen) => {
    const file = await openAppend("journal/1");
    expect(file.byteLength === 0, "a new append file to be empty");
    await expectKeys(storage, "journal/", ["journal/1"]);
    await file.write(bytesOf("one,"));
    await file.write(bytesOf("two"));
    await file.sync();
    expect(file.byteLength === 7, `7 bytes, got ${file.byteLength}`);
    await expectText(storage, "journal/1", "one,two");
    await file.close();
    await expectText(await reopen(), "journal/1", "one,two");
  }),
  appendCase("writes that are not awaited one by one keep the order of the calls", async (openAppend, storage) => {
    const file = await openAppend("j");
    const texts = Array.from({ length: 50 }, (_, at) => `${at};`);
    await Promise.all(texts.map((text) => file.write(bytesOf(text))));
    await expectText(storage, "j", texts.join(""));
    await file.close();
  }),
  appendCase("an existing object is continued at its end", async (openAppend, storage) => {
    await storage.write("j", bytesOf("old,"));
    const file = await openAppend("j");
    expect(file.byteLength === 4, `4 bytes, got ${file.byteLength}`);
    await file.write(bytesOf("new"));
    await file.close();
    await expectText(storage, "j", "old,new");
    expect(new TextDecoder().decode((await storage.read("j", { start: 3, end: 5 })) ?? undefined) === ",n", "a range of it");
  }),
  appendCase("an object that grew is replaced like any other", async (openAppend, storage, reopen) => {
    const file = await openAppend("j");
    await file.write(bytesOf("torn and long"));
    await file.close();
    await storage.write("j", bytesOf("torn"));
    await expectText(await reopen(), "j", "torn");
    const again = await openAppend("j");
    await again.write(bytesOf(" no more"));
    await again.close();
    await expectText(storage, "j", "torn no more");
  }),
  appendCase("a truncated object ends at its new length, and can be appended to", async (openAppend, storage) => {
    const file = await openAppend("j");
    await file.write(bytesOf("keep and drop"));
    await file.truncate(4);
    expect(file.byteLength === 4, `4 bytes, got ${file.byteLength}`);
    await expectText(storage, "j", "keep");
    await file.write(bytesOf("+"));
    await expectText(storage, "j", "keep+");
    await expectError(null, "a truncation that lengthens", () => file.truncate(6));
    await expectError(null, "a truncation below 0", () => file.truncate(-1));
    await file.close();
    await expectText(storage, "j", "keep+");
  }),
  appendCase("a read during appends is a copy", async (openAppend, storage) => {
    const file = await openAppend("j");
    await file.write(bytesOf("abc"));
    const copy = await storage.read("j");
    copy?.fill(0);
    await file.truncate(0);
    await file.write(bytesOf("xyz"));
    expect(copy?.every((byte) => byte === 0) === true, "the earlier copy to stay unchanged");
    await expectText(storage, "j", "xyz");
    await file.close();
  }),
  appendCase("a closed append file refuses operations with closed, and closing it twice is not an error", async (openAppend) => {
    const file = await openAppend("j");
    await file.close();
    await file.close();
    await expectError("closed", "a write after close", () => file.write(bytesOf("x")));
    await expectError("closed", "a sync after close", () => file.sync());
    await expectError("closed", "a truncation after close", () => file.truncate(0));
  }),
];

const lockOf = (storage: Storage) => storage.lock?.bind(storage) ?? null;

const lockCases: readonly StorageCase[] = [
  storageCase("the lock has one holder at a time, and is free again after its release", async (storage, open) => {
    const [first, second] = [lockOf(storage), lockOf(await open())];
    if (first === null || second === null) return;
    const lock = await first();
    await expectError("store_locked", "a second lock", second);
    await expectError("store_locked", "a lock of the holder", first);
    await expectKeys(storage, "", []);
    await lock.release();
    const next = await second();
    await lock.release();
    await expectError("store_locked", "a lock after a second release of an old lock", first);
    await next.release();
  }),
  storageCase("exactly one of several simultaneous locks succeeds", async (storage, open) => {
    const storages = [storage, ...(await Promise.all([open(), open(), open()]))];
    const locking = storages.map(lockOf).filter((lock) => lock !== null);
    for (let round = 0; round < 10 && locking.length > 0; round += 1) {
      const settled = await Promise.allSettled(locking.map((lock) => lock()));
      const locks = settled.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
      expect(locks.length === 1, `one lock, got ${locks.length}`);
      await locks[0]?.release();
    }
  }),
];

const holdCases: readonly StorageCase[] = [
  storageCase("a held object, where a storage can hold objects, stays readable after it is replaced or removed; a missing object is null", async (storage) => {
    if (storage.hold === undefined) return;
    const text = async (held: HeldObject | null, start: number, end: number) =>
      held === null ? null : new TextDecoder().decode(await held.read({ start, end }));
    expect((await storage.hold("segments/0000000001")) === null, "null for a missing object");
    await storage.write("segments/0000000001", bytesOf("rows of a day"));
    await storage.write("segments/0000000002", bytesOf("rows"));
    const [first, second] = [await storage.hold("segments/0000000001"), await storage.hold("segments/0000000002")];
    await storage.remove("segments/0000000001");
    await storage.write("segments/0000000002", bytesOf("others"));
    expect((await text(first, 5, 7)) === "of", "a range of a held object that was removed");
    expect((await text(first, 8, 99)) === "a day", "the existing part of a range beyond its end");
    expect((await text(second, 0, 9)) === "rows", "the old bytes of a held object that was replaced");
    await expectText(storage, "segments/0000000002", "others");
    const reading = text(first, 0, 4);
    first?.release();
    first?.release();
    expect((await reading) === "rows", "a read that was under way when the object was released");
    second?.release();
  }),
];

const TOLD_WITHIN_MS = 1_000;

const watchCases: readonly StorageCase[] = [
  storageCase("writes, appends and removals by the holder of the lock are reported soon, where a storage reports changes, to all current listeners", async (writing, open) => {
    const reading = await open();
    if (reading.watch === undefined) return;
    const lock = await writing.lock?.();
    const journal = await writing.openAppend?.("journal/0000000001");
    let goneCount = 0;
    const stop = reading.watch(() => (goneCount += 1));
    stop();
    const changes: Record<string, () => Promise<void>> = {
      "a write": () => writing.write("MANIFEST", bytesOf("first")),
      ...(journal === undefined ? {} : { "a frame": () => journal.write(bytesOf("frame")) }),
      "a removal": () => writing.remove("MANIFEST"),
    };
    for (const [what, change] of Object.entries(changes)) {
      let unwatch: (() => void) | undefined;
      const isReported = new Promise<boolean>((resolve) => {
        unwatch = reading.watch?.(() => resolve(true));
        setTimeout(() => resolve(false), TOLD_WITHIN_MS);
      });
      await change();
      expect(await isReported, `${what} to be reported`);
      unwatch?.();
    }
    expect(goneCount === 0, "nothing to be reported to a listener that stopped");
    await journal?.close();
    await lock?.release();
  }),
];

const readNowCases: readonly StorageCase[] = [
  storageCase("readNow, where a storage has it, returns what read does, also of objects that were replaced or are missing", async (storage) => {
    if (storage.readNow === undefined) return;
    await storage.write("segments/0000000001", bytesOf("former rows"));
    await storage.write("segments/0000000001", bytesOf("rows of a day"));
    for (const range of [{ start: 0, end: 13 }, { start: 5, end: 9 }, { start: 9, end: 40 }, { start: 13, end: 20 }, { start: 4, end: 4 }]) {
      const [now, read] = [storage.readNow("segments/0000000001", range), await storage.read("segments/0000000001", range)];
      expect(now !== null && read !== null && new TextDecoder().decode(now) === new TextDecoder().decode(read), `the bytes ${range.start} to ${range.end}`);
    }
    expect(storage.readNow("segments/0000000002", { start: 0, end: 1 }) === null, "null for a missing object");
  }),
];

const allocateCases: readonly StorageCase[] = [
  storageCase("a read into memory of its caller returns what read does, and keeps none of that memory", async (storage) => {
    const key = "segments/0000000001";
    await storage.write(key, bytesOf("rows of a day"));
    const held = await storage.hold?.(key);
    const textOf = (bytes: Uint8Array | null) => (bytes === null ? null : new TextDecoder().decode(bytes));
    // A view into a larger array that already has other bytes.
    const allocate = (byteLength: number) => new Uint8Array(byteLength + 64).fill(7).subarray(32, 32 + byteLength);
    for (const range of [{ start: 0, end: 13 }, { start: 5, end: 9 }, { start: 9, end: 40 }, { start: 13, end: 20 }, { start: 4, end: 4 }]) {
      const plain = textOf(await storage.read(key, range));
      const shown = `the bytes ${range.start} to ${range.end}`;
      const reads = [() => storage.read(key, range, allocate), ...(held === undefined || held === null ? [] : [() => held.read(range, allocate)])];
      for (const read of reads) {
        const [first, second] = await Promise.all([read(), read()]);
        expect(textOf(first) === plain, shown);
        // What the storage keeps or shares would change with it.
        first?.fill(0);
        expect(textOf(second) === plain && textOf(await read()) === plain, `${shown} in memory of their own`);
      }
    }
    held?.release();
    expect((await storage.read("segments/0000000002", { start: 0, end: 1 }, allocate)) === null, "null for a missing object");
  }),
];

const codecCases: readonly StorageCase[] = [
  storageCase("the storage's codec, where it has one, restores what it deflated and refuses any other size", async ({ codec }) => {
    if (codec === undefined) return;
    for (const byteLength of [0, 1, 1_000, 65_535, 65_536, 400_000]) {
      const bytes = Uint8Array.from({ length: byteLength }, (_, at) => (at % 97) * (at % 3));
      const deflated = await codec.deflate(bytes);
      const inflated = await codec.inflate(deflated, byteLength);
      expect(inflated.length === byteLength && inflated.every((byte, at) => byte === bytes[at]), `${byteLength} equal bytes`);
      const now = codec.inflateNow?.(deflated, byteLength) ?? inflated;
      expect(now.length === byteLength && now.every((byte, at) => byte === bytes[at]), `${byteLength} equal bytes at once`);
      await expectError("corruption", "a size too large", async () => codec.inflate(deflated, byteLength + 1));
      await expectError("corruption", "a size too large at once", async () => (codec.inflateNow ?? codec.inflate)(deflated, byteLength + 1));
      if (byteLength > 0) await expectError("corruption", "a size too small", async () => codec.inflate(deflated, byteLength - 1));
      await expectError("corruption", "a cut stream", async () => codec.inflate(deflated.subarray(0, deflated.length - 1), byteLength));
    }
  }),
];

/** The requirements on every implementation of `Storage`. Run each case on an empty location; absent optional members pass. */
export const storageSuite: readonly StorageCase[] = [...objectCases, ...appendCases, ...lockCases, ...holdCases, ...watchCases, ...readNowCases, ...allocateCases, ...codecCases];
