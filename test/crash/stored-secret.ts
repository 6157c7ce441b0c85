import { inflateRawSync } from "node:zlib";
import type { DiskState } from "daybook/testing";
import { decodeFooter } from "../../src/storage/segment/segment-file.js";
import { SECRET } from "./acts.js";

/** Contents that were searched: images share most of their bytes. */
const searched = new WeakMap<Uint8Array, boolean>();

/** A path under which a byte of the erased person is stored, in whatever file, or null. Blocks are inflated. */
export function storedSecret({ files, directories }: DiskState, node = 0, path = ""): string | null {
  const directory = directories.get(node);
  if (directory === undefined) {
    const bytes = files.get(node)?.current ?? new Uint8Array(0);
    let hasSecret = searched.get(bytes);
    if (hasSecret === undefined) {
      hasSecret = texts(bytes).some((text) => text.toLowerCase().includes(SECRET));
      searched.set(bytes, hasSecret);
    }
    return hasSecret ? path : null;
  }
  for (const [name, child] of directory.current) {
    const found = storedSecret({ files, directories }, child, `${path}/${name}`);
    if (found !== null) return found;
  }
  return null;
}

function texts(bytes: Uint8Array): string[] {
  const blocks = blocksOf(bytes).filter(({ deflated }) => deflated);
  return [bytes, ...blocks.map(({ offset, byteLength }) => inflated(bytes.subarray(offset, offset + byteLength)))].map((part) => Buffer.from(part).toString("latin1"));
}

/** What can be inflated of a block: all of it, or nothing of one that is torn. */
function inflated(block: Uint8Array): Uint8Array {
  try {
    return inflateRawSync(block);
  } catch {
    return block;
  }
}

function blocksOf(bytes: Uint8Array) {
  try {
    const footer = decodeFooter("", bytes, bytes.length);
    return "need" in footer ? [] : footer.blocks;
  } catch {
    return [];
  }
}
