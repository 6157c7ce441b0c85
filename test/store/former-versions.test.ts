import { openDaybook, verifyStore, type Storage } from "daybook";
import { expect, test } from "vitest";
import { dayStartMs } from "../../src/base/time.js";
import { Turns } from "../../src/base/turn.js";
import { decodeLinks, encodeLinks } from "../../src/segment/link-list.js";
import { LINKS_BLOCK } from "../../src/segment/segment-file.js";
import { defaultCodec } from "../../src/store/storage/codec.js";
import { clock, forgeManifest, forgeSegment, manifestOf, smallStore, type SegmentParts } from "./forged-store.js";

async function rawLinks({ blocks }: SegmentParts): Promise<Uint8Array> {
  const block = blocks.find(({ name }) => name === LINKS_BLOCK);
  if (block === undefined) throw new Error("expected ids seen together");
  return block.deflated ? await defaultCodec.inflate(block.bytes, block.rawByteLength) : block.bytes;
}

/** Makes a store one of the first format: ids seen together stand in the footers of segments. Answers how many there are. */
async function asOfFormatOne(storage: Storage): Promise<number> {
  let linkCount = 0;
  for (const entry of (await manifestOf(storage)).segments)
    await forgeSegment(storage, entry, async ({ blocks, meta }) => {
      const { anonymousIds, userIds, times } = decodeLinks(await rawLinks({ blocks, meta }));
      const links = Array.from(times, (time, at): [number, number, number] => [anonymousIds[at] ?? 0, userIds[at] ?? 0, dayStartMs(meta.day) + time]);
      linkCount += links.length;
      return { blocks: blocks.filter(({ name }) => name !== LINKS_BLOCK), meta: { ...meta, links } };
    });
  await forgeManifest(storage, (manifest) => ({ ...manifest, format: 1 }));
  return linkCount;
}

async function answersOf(storage: Storage): Promise<unknown[]> {
  const daybook = await openDaybook({ storage, clock, readOnly: true });
  const profiles = await Promise.all([0, 1, 2, 3, 4].map((user) => daybook.identityProfile({ userId: `user ${user}` })));
  const users = await daybook.countUniqueUsers();
  await daybook.close();
  return [profiles, users];
}

test("a store of the first format answers alike, verifies, and has the newest format once somebody writes it", async () => {
  const storage = await smallStore();
  const expected = await answersOf(storage);
  expect(await asOfFormatOne(storage)).toBeGreaterThan(10);
  expect(await answersOf(storage)).toEqual(expected);
  expect((await verifyStore(storage)).findings).toEqual([]);
  expect((await manifestOf(storage)).format).toBe(1);
  await (await openDaybook({ storage, clock })).close();
  expect((await manifestOf(storage)).format).toBe(3);
  expect(await answersOf(storage)).toEqual(expected);
});

test.each<[string, (list: Uint32Array) => number]>([
  ["others", (list) => (list[1] ?? 0) + 1],
  ["one of them twice, and another missing", (list) => list[0] ?? 0],
])("of ids seen together %s are found", async (_, second) => {
  const storage = await smallStore();
  const [entry] = (await manifestOf(storage)).segments;
  if (entry === undefined) throw new Error("expected a segment");
  await forgeSegment(storage, entry, async ({ blocks, meta }) => {
    const { anonymousIds, userIds, times } = decodeLinks(await rawLinks({ blocks, meta }));
    for (const list of [anonymousIds, userIds, times]) list[1] = second(list);
    const bytes = await encodeLinks({ anonymousIds, userIds, times }, new Turns());
    return { blocks: blocks.map((block) => (block.name === LINKS_BLOCK ? { ...block, bytes, deflated: false } : block)), meta };
  });
  expect((await verifyStore(storage)).findings).toMatchObject([{ expected: "beside the rows, the ids that rows have together", found: "others" }]);
});
