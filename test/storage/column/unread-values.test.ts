import { describe, expect, test, vi } from "vitest";
import { memoryStorage, openDaybook, verifyStore, type ByteRange, type EventInput, type Storage } from "daybook";
import { nativeCodec } from "../../../src/platform/node/native-codec.js";
import { Dictionaries } from "../../../src/storage/column/dictionaries.js";
import { valueHash, type UnreadValues } from "../../../src/storage/column/dictionary-values.js";
import { Dictionary } from "../../../src/storage/column/dictionary.js";
import { runAtOnce } from "../../../src/core/base/yield.js";
import { TextTable } from "../../../src/storage/column/text-table.js";
import { MemoryBudget } from "../../../src/storage/segment/memory-budget.js";
import { decodeFooter, encodeContainer, footerCrcOf, type BlockEntry, type ContainerFooter } from "../../../src/storage/segment/segment-file.js";
import { encodeDictionaryFile, StoreFiles, type DictionaryMeta } from "../../../src/store/files/files.js";
import { defaultCodec } from "../../../src/store/storage/codec.js";
import { objectsOf, lastingMemory } from "../../store/objects.js";

/** Blocks of values whose reads are listed by the first code. */
function storedIn(blocks: readonly (readonly string[])[]): { readonly dictionary: Dictionary; readonly reads: number[] } {
  const dictionary = new Dictionary("url");
  const reads: number[] = [];
  for (const values of blocks) {
    const start = dictionary.size;
    const stored: UnreadValues = {
      start, count: values.length, charCount: values.join("").length, valueCount: values.filter((value) => value !== "").length,
      read: () => {
        reads.push(start);
        return JSON.stringify(values);
      },
    };
    expect(dictionary.addStored(stored)).toBe(true);
  }
  return { dictionary, reads };
}

describe("values of a file", () => {
  test("are counted before they are read", () => {
    const { dictionary, reads } = storedIn([["/a", "/b"], ["/ccc", ""]]);
    expect([dictionary.size, dictionary.valueCount, dictionary.held.charCount, reads]).toEqual([5, 3, 8, []]);
  });

  test("are read block by block, once", () => {
    const { dictionary, reads } = storedIn([["/a", "/b"], ["/c", ""], ["/d"]]);
    expect([3, 4, 3, 5, 9].map((code) => dictionary.valueOf(code))).toEqual(["/c", "", "/c", "/d", ""]);
    expect(reads).toEqual([3, 5]);
  });

  test("have their codes, and new values the next ones", () => {
    const { dictionary } = storedIn([["/a", "/b"], ["/c"]]);
    expect(dictionary.intern("/c")).toBe(3);
    expect(dictionary.intern("/new")).toBe(4);
    expect([dictionary.codeOf("/a"), dictionary.codeOf("/new"), dictionary.codeOf("/none")]).toEqual([1, 4, -1]);
    expect(dictionary.values).toEqual(["", "/a", "/b", "/c", "/new"]);
  });

  test("are searched as text, and only blocks with the value are parsed", () => {
    const many = Array.from({ length: 24 }, (_, block) => Array.from({ length: 1_000 }, (_, at) => `value "${block * 1_000 + at}"`));
    const { dictionary, reads } = storedIn(many);
    expect([dictionary.codeOf('value "12345"'), dictionary.codeOf('value "1234"')]).toEqual([12_346, 1_235]);
    expect(reads.length).toBe(24 + 23);
    // A third look-up reads the rest.
    expect(dictionary.codeOf("none")).toBe(-1);
    expect(reads.length).toBe(24 + 23 + 22);
    expect(dictionary.codeOf('value "23999"')).toBe(24_000);
    expect(reads.length).toBe(24 + 23 + 22);
  });

  test("with hashes are found by them, and no block without the value is read", () => {
    const many = Array.from({ length: 24 }, (_, block) => Array.from({ length: 1_000 }, (_, at) => `value ${block * 1_000 + at}`));
    const { dictionary, reads } = storedIn(many);
    dictionary.addHashes({ start: 1, count: 24_000, read: () => Uint32Array.from(many.flat(), valueHash) });
    for (let look = 0; look < 20; look += 1) expect([dictionary.codeOf("value 12345"), dictionary.codeOf("value 1234"), dictionary.codeOf("none")]).toEqual([12_346, 1_235, -1]);
    expect(reads).toEqual([12_001, 1_001]);
    // So many look-ups that a table pays, which two of them make.
    for (let look = 0; look < 6; look += 1) expect(dictionary.codeOf("value 7")).toBe(8);
    expect(reads.length).toBe(24);
  });

  test("are added to the table by later look-ups, some thousands by each, and are found meanwhile", () => {
    const many = Array.from({ length: 100 }, (_, block) => Array.from({ length: 1_000 }, (_, at) => `value ${block * 1_000 + at}`));
    const { dictionary } = storedIn(many);
    const add = vi.spyOn(TextTable.prototype, "add");
    const counts = Array.from({ length: 24 }, (_, look) => {
      expect([dictionary.codeOf(`value ${look * 4_000}`), dictionary.codeOf("none")]).toEqual([look * 4_000 + 1, -1]);
      return add.mock.calls.splice(0).length;
    });
    add.mockRestore();
    expect(Math.max(...counts), "by two look-ups, and the rest once it is small").toBeLessThanOrEqual(2 * 16_384 + 10_000);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(100_000);
  });

  test("that cannot be read hinder only what needs them", () => {
    const dictionaries = new Dictionaries();
    const damaged = () => {
      throw new Error("damaged");
    };
    dictionaries.applyStored("name", { start: 1, count: 1, charCount: 2, valueCount: 1, read: damaged });
    dictionaries.applyStored("url", { start: 1, count: 1, charCount: 2, valueCount: 1, read: () => '["/a"]' });
    runAtOnce(dictionaries.indexing());
    const add = vi.spyOn(TextTable.prototype, "add");
    expect([dictionaries.named("url").codeOf("/a"), add.mock.calls]).toEqual([1, []]);
    add.mockRestore();
    expect(() => dictionaries.named("name").intern("seen")).toThrow("damaged");
  });

  test("that are all read need no hashes: an erasure has removed their file", () => {
    const { dictionary } = storedIn(Array.from({ length: 12 }, (_, block) => Array.from({ length: 1_000 }, (_, at) => `value ${block * 1_000 + at}`)));
    dictionary.addHashes({ start: 1, count: 12_000, read: () => expect.unreachable("a removed file is read") });
    expect(dictionary.values.length).toBe(12_001);
    expect([dictionary.codeOf("value 777"), dictionary.codeOf("none")]).toEqual([778, -1]);
  });

  test("of equal hashes are told apart by reading them, and one value with two codes is damage", () => {
    const many = Array.from({ length: 11 }, (_, block) => Array.from({ length: 1_000 }, (_, at) => `value ${block * 1_000 + at}`));
    const { dictionary, reads } = storedIn(many);
    dictionary.addHashes({ start: 1, count: 11_000, read: () => Uint32Array.from(many.flat(), (_, at) => (at % 5_000 === 0 ? valueHash("value 5000") : 0)) });
    expect([dictionary.codeOf("value 5000"), reads]).toEqual([5_001, [1, 5_001, 10_001]]);
    const twice = storedIn([...many, ["value 3"]]).dictionary;
    twice.addHashes({ start: 1, count: 11_001, read: () => Uint32Array.from([...many.flat(), "value 3"], valueHash) });
    expect(() => twice.codeOf("value 3")).toThrow("a value has two codes");
  });

  test("hash as FNV-1a does", () => {
    expect([valueHash(""), valueHash("a"), valueHash("foobar")]).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
  });

  test("are refused where they do not continue the others, and read again after a failure", () => {
    const { dictionary } = storedIn([["/a"]]);
    let failure: Error | null = new Error("no disk");
    const read = () => {
      if (failure !== null) throw failure;
      return '["/b"]';
    };
    expect(dictionary.addStored({ start: 3, count: 1, charCount: 2, valueCount: 1, read })).toBe(false);
    expect(dictionary.addStored({ start: 2, count: 1, charCount: 2, valueCount: 1, read })).toBe(true);
    expect(() => dictionary.valueOf(2)).toThrow("no disk");
    failure = null;
    expect(dictionary.valueOf(2)).toBe("/b");
  });

  test("are added to the table once, though a read between them fails", () => {
    const dictionary = new Dictionary("url");
    let isBroken = true;
    for (const start of [1, 3]) {
      const values = [`/${start}`, `/${start + 1}`];
      const read = () => {
        if (start === 3 && isBroken) throw new Error("too many open files");
        return JSON.stringify(values);
      };
      dictionary.addStored({ start, count: 2, charCount: 4, valueCount: 2, read });
    }
    expect(() => dictionary.intern("/new")).toThrow("too many open files");
    isBroken = false;
    expect([dictionary.intern("/new"), dictionary.intern("/2")]).toEqual([5, 2]);
  });

  test("are refused where the file counts them otherwise", () => {
    const dictionary = new Dictionary("url");
    dictionary.addStored({ start: 1, count: 2, charCount: 5, valueCount: 2, read: () => '["/a","/b"]' });
    expect(() => dictionary.valueOf(1)).toThrow("expected 2 values from code 1 on, 2 of them not empty, with 5 characters, got 2, 4, 2");
  });

  test("opening a store reads no segment and no value, and a count reads one segment", async () => {
    const dayMs = 86_400_000;
    const { storage, reads } = await readStore(Array.from({ length: 90 }, (_, at) => ({ name: "seen", userId: `user ${at}`, createdAt: Date.UTC(2026, 0, 1) + (at % 3) * dayMs })));
    const daybook = await openDaybook({ storage, readOnly: true });
    // The footer of the one file.
    expect(reads).toEqual(["dictionaries"]);
    expect(await daybook.countEvents({ startDate: "2026-01-02", endDate: "2026-01-02" })).toBe(30);
    expect(reads).toEqual(["dictionaries", "segments"]);
    await daybook.close();
  });

  test("one of many users is found by hashes and one block of values", async () => {
    const { storage, reads } = await readStore(Array.from({ length: 12_000 }, (_, at) => ({ name: "seen", userId: `user ${at}`, createdAt: Date.UTC(2026, 0, 1) + at })));
    const daybook = await openDaybook({ storage, readOnly: true });
    reads.length = 0;
    const profile = await daybook.identityProfile({ userId: "user 7777", startDate: "2026-01-01", endDate: "2026-01-02" });
    expect([profile.events, profile.identityId]).toEqual([1, expect.stringMatching(/./)]);
    // Hashes, the block of the user, and the slug of the event.
    expect(reads.filter((folder) => folder === "dictionaries").length).toBeLessThanOrEqual(4);
    await daybook.close();
    expect((await verifyStore(storage)).findings).toEqual([]);
  });

  test("hashes that are not those of the values are found", async () => {
    const values = Array.from({ length: 2_000 }, (_, at) => `/page/${at}`);
    const fileOf = (urls: readonly string[]) => encodeDictionaryFile([{ name: "url", start: 1, values: urls }], (raw) => defaultCodec.deflate(raw));
    const [whole, other] = [await fileOf(values), await fileOf(values.with(7, "/page/x"))];
    const [{ blocks, meta }, others] = [footerOf(whole), footerOf(other)];
    const packed = (file: Uint8Array, { name, offset, byteLength, rawByteLength, deflated }: BlockEntry) =>
      ({ name, rawByteLength, deflated, bytes: file.subarray(offset, offset + byteLength) });
    const forged = await encodeContainer([...blocks.slice(0, -1).map((block) => packed(whole, block)), ...others.blocks.slice(-1).map((block) => packed(other, block))], meta);
    const read = async (file: Uint8Array) => {
      const [storage, key] = [memoryStorage(), "dictionaries/0000000001"];
      await storage.write(key, file);
      const entry = { key, byteLength: file.length, sha256: "", footerCrc32: footerCrcOf(file) };
      await new StoreFiles(storage, new MemoryBudget(1e9)).readDictionaries(entry, new Dictionaries());
    };
    await read(whole);
    await expect(read(forged)).rejects.toThrow("the hashes of url are not those of its values");
  });
});

describe("a file that cannot be read at once", () => {
  const key = "dictionaries/0000000001";
  const values = Array.from({ length: 2_000 }, (_, at) => `/page/${at}`);

  async function opened(change: (file: Uint8Array) => Uint8Array) {
    const file = await encodeDictionaryFile([{ name: "url", start: 1, values }], (raw) => defaultCodec.deflate(raw));
    const storage = memoryStorage();
    let readCount = 0;
    const read = storage.read.bind(storage);
    storage.read = (...asked) => {
      readCount += 1;
      return read(...asked);
    };
    await storage.write(key, change(file));
    const dictionaries = new Dictionaries();
    await new StoreFiles(storage, new MemoryBudget(1e9)).openDictionaries({ key, byteLength: file.length, sha256: "", footerCrc32: footerCrcOf(file) }, dictionaries);
    return { urls: dictionaries.named("url"), readCount: () => readCount };
  }

  test("is read once, and its values are decoded when they are needed", async () => {
    const { urls, readCount } = await opened((file) => file);
    expect([urls.size, urls.valueOf(7), urls.codeOf("/page/1999"), urls.codeOf("/page/x"), readCount()]).toEqual([2_001, "/page/6", 2_000, -1, 1]);
  });

  test.each<[string, (file: Uint8Array) => Uint8Array, string]>([
    ["a longer file", (file) => Uint8Array.of(...file, 0), "another length"],
    ["a shorter file", (file) => file.slice(0, -1), "another length"],
    ["a damaged value", (file) => file.with(20, (file[20] ?? 0) ^ 1), "the checksum of block url"],
  ])("%s is damage, found at opening", async (_what, change, message) => {
    await expect(opened(change)).rejects.toThrow(message);
  });
});

function footerOf(file: Uint8Array): ContainerFooter<DictionaryMeta> {
  const footer = decodeFooter<DictionaryMeta>("file", file, file.length);
  return "need" in footer ? expect.unreachable() : footer;
}

/** A closed store with events, whose held files list the folders of what is read at once. */
async function readStore(events: readonly EventInput[]): Promise<{ readonly storage: Storage; readonly reads: string[] }> {
  const source = Object.assign(lastingMemory(), { codec: nativeCodec });
  const written = await openDaybook({ storage: source });
  await written.ingest(events);
  await written.close();
  const objects = await objectsOf(source);
  const reads: string[] = [];
  const hold: Storage["hold"] = (key) => {
    const bytes = objects.get(key) ?? expect.unreachable(key);
    const readNow = ({ start, end }: ByteRange) => {
      reads.push(key.split("/")[0] ?? key);
      return bytes.slice(start, end);
    };
    return Promise.resolve({ read: (range) => Promise.resolve(readNow(range)), readNow, release: () => undefined });
  };
  return { storage: Object.assign(source, { hold }), reads };
}
