import type { Dictionaries, DictionaryDelta } from "../../storage/column/dictionaries.js";
import { checkBlock, damaged, encodeContainer, type ContainerFooter, type PackedBlock, type Deflate } from "../../storage/segment/segment-file.js";

export interface DictionaryMeta {
  readonly kind: "dictionary";
  readonly deltas: readonly { readonly name: string; readonly start: number; readonly count: number }[];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Encodes a container with one block per dictionary: its new values as a JSON array. */
export async function encodeDictionaryFile(deltas: readonly DictionaryDelta[], deflate: Deflate): Promise<Uint8Array> {
  const blocks: PackedBlock[] = [];
  for (const delta of deltas) {
    const raw = encoder.encode(JSON.stringify(delta.values));
    blocks.push({ name: delta.name, bytes: await deflate(raw), rawByteLength: raw.length, deflated: true });
  }
  const meta: DictionaryMeta = {
    kind: "dictionary",
    deltas: deltas.map(({ name, start, values }) => ({ name, start, count: values.length })),
  };
  return encodeContainer(blocks, meta);
}

/** Adds the values of a dictionary file to the dictionaries. @throws corruption */
export async function applyDictionaryFile(
  key: string,
  file: Uint8Array,
  footer: ContainerFooter<DictionaryMeta>,
  inflate: (bytes: Uint8Array, byteLength: number) => Uint8Array | Promise<Uint8Array>,
  dictionaries: Pick<Dictionaries, "apply">,
): Promise<void> {
  if (footer.meta.kind !== "dictionary") throw damaged(key, `expected dictionary values, got a file of the kind ${String(footer.meta.kind)}`);
  for (const [index, { name, start, count }] of footer.meta.deltas.entries()) {
    const block = footer.blocks[index];
    if (block === undefined) throw damaged(key, `block ${name} is missing`);
    const bytes = checkBlock(key, block, file.subarray(block.offset, block.offset + block.byteLength));
    const values = JSON.parse(decoder.decode(await inflate(bytes, block.rawByteLength))) as string[];
    if (values.length !== count || !dictionaries.apply({ name, start, values }))
      throw damaged(key, `the values of ${name} do not continue the earlier ones`);
  }
}
