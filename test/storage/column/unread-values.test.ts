import { describe, expect, test } from "vitest";
import { openDaybook, type ByteRange, type Storage } from "daybook";
import { nativeCodec } from "../../../src/platform/node/native-codec.js";
import { Dictionary, type UnreadValues } from "../../../src/storage/column/dictionary.js";
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
    const source = Object.assign(lastingMemory(), { codec: nativeCodec });
    const written = await openDaybook({ storage: source });
    const dayMs = 86_400_000;
    await written.ingest(Array.from({ length: 90 }, (_, at) => ({ name: "seen", userId: `user ${at}`, createdAt: Date.UTC(2026, 0, 1) + (at % 3) * dayMs })));
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
    const storage: Storage = Object.assign(source, { hold });
    const daybook = await openDaybook({ storage, readOnly: true });
    // The footer of the one file.
    expect(reads).toEqual(["dictionaries"]);
    expect(await daybook.countEvents({ startDate: "2026-01-02", endDate: "2026-01-02" })).toBe(30);
    expect(reads).toEqual(["dictionaries", "segments"]);
    await daybook.close();
  });
});
