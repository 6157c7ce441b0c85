import { openDaybook, type Storage } from "daybook";
import { expect, test } from "vitest";
import { filesOf, decodeManifest } from "../../src/store/files/manifest.js";
import { lastingMemory, objectsOf } from "../store/objects.js";

const event = (id: string, day: number) => ({ id, name: "a", createdAt: Date.UTC(2026, 2, day), metadata: { id } });

/** Bytes of the files that the manifest names, and of the journals from its first on. */
async function liveByteLength(storage: Storage): Promise<number> {
  const objects = await objectsOf(storage);
  const manifest = decodeManifest(objects.get("MANIFEST") ?? new Uint8Array(0));
  const named = new Set(filesOf(manifest).map(({ key }) => key));
  const isLive = (key: string) => named.has(key) || Number(/^journal\/(\d+)$/.exec(key)?.[1] ?? -1) >= manifest.firstJournal;
  return [...objects].reduce((sum, [key, bytes]) => sum + (isLive(key) ? bytes.length : 0), 0);
}

test("The bytes stored are those of files and journals, for the writer and for a reader beside it alike.", async () => {
  const storage = lastingMemory();
  const writer = await openDaybook({ storage });
  const compare = async () => {
    const reader = await openDaybook({ storage, readOnly: true });
    const expected = await liveByteLength(storage);
    expect(expected).toBeGreaterThan(0);
    expect([(await writer.stats()).storedByteLength, (await reader.stats()).storedByteLength]).toEqual([expected, expected]);
    await reader.close();
  };
  await writer.ingest([event("1", 1), event("2", 2)]);
  await compare();
  await writer.seal();
  await compare();
  await writer.ingest([event("3", 1)]);
  await compare();
});

test("Journals that a crash left count until their rows are sealed.", async () => {
  const storage = lastingMemory();
  await (await openDaybook({ storage })).ingest([event("1", 1)]);
  // As after the end of the first process.
  const survivor = lastingMemory();
  for (const [key, bytes] of await objectsOf(storage)) await survivor.write(key, bytes);
  const daybook = await openDaybook({ storage: survivor });
  expect((await objectsOf(survivor)).size).toBeGreaterThan(3);
  expect((await daybook.stats()).storedByteLength).toBe(await liveByteLength(survivor));
  await daybook.seal();
  expect((await daybook.stats()).storedByteLength).toBe(await liveByteLength(survivor));
});
