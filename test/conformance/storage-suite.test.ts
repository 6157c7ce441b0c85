import { join } from "node:path";
import { describe, it } from "vitest";
import { fileStorage } from "../../src/platform/node/file-storage.js";
import { nativeCodec } from "../../src/platform/node/native-codec.js";
import { defaultCodec } from "../../src/store/storage/codec.js";
import { memoryStorage } from "../../src/store/storage/memory-storage.js";
import type { Storage } from "../../src/store/storage/storage.js";
import { SimulatedDisk } from "../../src/testing/simulated-disk.js";
import { SimulatedFileSystem } from "../../src/testing/simulated-file-system.js";
import { storageSuite } from "../../src/testing/storage-suite.js";
import { temporaryDirectory } from "./temporary-directory.js";

const places: Readonly<Record<string, () => Promise<() => Promise<Storage>>>> = {
  "memory storage": async () => {
    const storage = memoryStorage();
    return async () => storage;
  },
  "memory storage with the default codec": async () => {
    const storage = Object.assign(memoryStorage(), { codec: defaultCodec });
    return async () => storage;
  },
  "file storage": async () => {
    const directory = join(temporaryDirectory(), "made", "by", "it");
    return async () => fileStorage(directory);
  },
  "file storage on a simulated disk that takes and gives 100 bytes at a time": async () => {
    const fileSystem = new SimulatedFileSystem(new SimulatedDisk(), { faults: () => ({ byteLengthMax: 100 }) });
    return async () => fileStorage("/made/by/it", { fileSystem });
  },
};

for (const [name, newPlace] of Object.entries(places)) {
  describe(name, () => {
    for (const { name: title, run } of storageSuite) {
      it(title, async () => run(await newPlace()));
    }
  });
}

describe("the two codecs", () => {
  it("read what the other wrote", async ({ expect }) => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => (at * at) % 251);
    expect(await nativeCodec.inflate(await defaultCodec.deflate(bytes), bytes.length)).toEqual(bytes);
    expect(await defaultCodec.inflate(await nativeCodec.deflate(bytes), bytes.length)).toEqual(bytes);
  });

  it("report a flipped byte as corruption or return the exact size", async ({ expect }) => {
    const bytes = Uint8Array.from({ length: 2_000 }, (_, at) => (at * at) % 251);
    for (const codec of [nativeCodec, defaultCodec]) {
      const deflated = await codec.deflate(bytes);
      for (let at = 0; at < deflated.length; at += 7) {
        const damaged = new Uint8Array(deflated);
        damaged[at] = (damaged[at] ?? 0) ^ 0x55;
        const outcome = await Promise.resolve().then(() => codec.inflate(damaged, bytes.length)).catch((error: unknown) => error);
        if (outcome instanceof Uint8Array) expect(outcome.length).toBe(bytes.length);
        else expect(outcome).toMatchObject({ code: "corruption" });
      }
    }
  });

  it("hand out plain arrays, whose slices are copies", async ({ expect }) => {
    const deflated = await nativeCodec.deflate(new Uint8Array(100));
    const inflated = await nativeCodec.inflate(deflated, 100);
    expect([deflated.constructor, inflated.constructor]).toEqual([Uint8Array, Uint8Array]);
  });
});
