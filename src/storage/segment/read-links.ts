import { checkBlock, LINKS_BLOCK, type ContainerFooter, type SegmentMeta } from "./segment-file.js";
import { NO_LINKS, decodeLinks, type LinkList } from "./link-list.js";
import type { SegmentSource } from "./segment.js";

/** Reads the id links of a segment from its file. @throws corruption */
export async function readLinks(key: string, { blocks }: ContainerFooter<SegmentMeta>, { read, inflate }: SegmentSource): Promise<LinkList> {
  const block = blocks.find(({ name }) => name === LINKS_BLOCK);
  if (block === undefined) return NO_LINKS;
  const bytes = checkBlock(key, block, await read(key, block.offset, block.offset + block.byteLength));
  return decodeLinks(block.deflated ? await inflate(bytes, block.rawByteLength) : bytes);
}
