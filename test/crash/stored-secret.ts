import { inflateRawSync } from "node:zlib";
import { type DiskState } from "daybook/testing";
import { decodeFooter } from "../../src/segment/container.js";
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
  const found = [Buffer.from(bytes).toString("latin1")];
  for (const { offset, byteLength, deflated } of blocksOf(bytes))
    if (deflated) found.push(inflateRawSync(bytes.subarray(offset, offset + byteLength)).toString("latin1"));
  return found;
}

function blocksOf(bytes: Uint8Array) {
  try {
    const footer = decodeFooter("", bytes, bytes.length);
    return "need" in footer ? [] : footer.blocks;
  } catch {
    return [];
  }
}
