import { DaybookError, fixedClock, memoryStorage, openDaybook, type Storage } from "daybook";
import { expect, test } from "vitest";
import { decodeManifest, encodeManifest } from "../../src/store/manifest.js";
import { objectsOf, storageWith, withObject, type Objects } from "../store/objects.js";

const clock = fixedClock(Date.UTC(2026, 3, 1));

/** Two segments of one day, two files of records, each pair of one length: alone they are whole files of the right kind. */
async function twins(): Promise<Objects> {
  // Checksums in footers have nine digits or ten: some of these stores have files of one length.
  for (let attempt = 0; ; attempt += 1) {
    const storage = memoryStorage();
    const daybook = await openDaybook({ storage, clock });
    for (const [user, other] of [["a", "b"], ["b", "a"]] as const) {
      await daybook.ingest([{ id: `${attempt} ${user}`, name: "view", userId: user, anonymousId: other, createdAt: 5 }]);
      await daybook.identify({ id: `${attempt} ${user}`, userId: user, email: `${other}@example.org`, createdAt: 7 });
      await daybook.seal();
    }
    await daybook.close();
    const objects = await objectsOf(storage);
    const isTwin = (folder: string) => new Set(pairOf(objects, folder).map((key) => objects.get(key)?.length)).size === 1;
    if (["segments/", "identities/"].every(isTwin)) return objects;
  }
}

function pairOf(objects: Objects, folder: string): [string, string] {
  const [first, second] = [...objects.keys()].filter((key) => key.startsWith(folder));
  if (first === undefined || second === undefined) throw new Error(`expected two files in ${folder}`);
  return [first, second];
}

function swapped(objects: Objects, [first, second]: [string, string]): Objects {
  return withObject(withObject(objects, first, objects.get(second) ?? null), second, objects.get(first) ?? null);
}

async function opening(storage: Storage): Promise<string> {
  try {
    return `count ${await (await openDaybook({ storage, clock, readOnly: true })).countEvents()}`;
  } catch (error) {
    return error instanceof DaybookError ? `${error.code}: ${error.message}` : `foreign ${String(error)}`;
  }
}

test.each(["segments/", "identities/"])("Two files of %s of the same length that changed places are noticed at opening.", async (folder) => {
  const objects = await twins();
  const pair = pairOf(objects, folder);
  expect(objects.get(pair[0])?.length).toBe(objects.get(pair[1])?.length);
  expect(await opening(await storageWith(objects))).toBe("count 2");
  expect(await opening(await storageWith(swapped(objects, pair)))).toMatch(`corruption: ${pair[0]} is damaged: its footer has the checksum`);
});

test("A store whose manifest was written before it held the checksums of footers opens, and answers.", async () => {
  const objects = await twins();
  const manifest = decodeManifest(objects.get("MANIFEST") ?? new Uint8Array(0));
  const older = <T extends { footerCrc32?: number }>(entries: readonly T[]) => entries.map(({ footerCrc32: _, ...entry }) => entry as T);
  const { segments, dictionaries, identities } = manifest;
  const bytes = encodeManifest({ ...manifest, segments: older(segments), dictionaries: older(dictionaries), identities: older(identities) });
  expect(new TextDecoder().decode(bytes)).not.toContain("footerCrc32");
  expect(await opening(await storageWith(withObject(objects, "MANIFEST", bytes)))).toBe("count 2");
});
