import { inflateRawSync } from "node:zlib";
import type { Storage } from "daybook";

/** Every stored byte as text, blocks inflated too: wherever a deflated block may begin, at multiples of eight, it is tried. */
export async function storedText(storage: Storage): Promise<string> {
  const texts: string[] = [];
  for (const key of await storage.list("")) {
    const bytes = (await storage.read(key)) ?? new Uint8Array();
    texts.push(key, Buffer.from(bytes).toString("latin1"));
    for (let from = 0; from < bytes.length; from += 8) {
      try {
        texts.push(Buffer.from(inflateRawSync(bytes.subarray(from), { finishFlush: 2 })).toString("latin1"));
      } catch {
        // No block begins here.
      }
    }
  }
  return texts.join("\n").toLowerCase();
}
