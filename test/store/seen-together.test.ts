import { verifyStore } from "daybook";
import { expect, test } from "vitest";
import { Yielder } from "../../src/core/base/yield.js";
import { decodeLinks, encodeLinks } from "../../src/storage/segment/links.js";
import { LINKS_BLOCK } from "../../src/storage/segment/segment-file.js";
import { forgeSegment, manifestOf, smallStore } from "./forged-store.js";

test.each<[string, (list: Uint32Array) => number]>([
  ["others", (list) => (list[1] ?? 0) + 1],
  ["one of them twice, and another missing", (list) => list[0] ?? 0],
])("of ids seen together %s are found", async (_, second) => {
  const storage = await smallStore();
  const [entry] = (await manifestOf(storage)).segments;
  if (entry === undefined) throw new Error("expected a segment");
  await forgeSegment(storage, entry, async ({ blocks, meta }) => {
    const block = blocks.find(({ name }) => name === LINKS_BLOCK) ?? expect.unreachable("there are ids seen together");
    const { anonymousIds, userIds, times } = decodeLinks(block.bytes) ?? expect.unreachable("they are links");
    for (const list of [anonymousIds, userIds, times]) list[1] = second(list);
    const bytes = await encodeLinks({ anonymousIds, userIds, times }, new Yielder());
    return { blocks: blocks.map((block) => (block.name === LINKS_BLOCK ? { ...block, bytes, rawByteLength: bytes.length } : block)), meta };
  });
  expect((await verifyStore(storage)).findings).toMatchObject([{ expected: "links that match the rows", found: "different links" }]);
});
