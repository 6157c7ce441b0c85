import { journalNumber } from "../journal/journal.js";
import { MANIFEST_KEY, filesOf } from "../files/manifest.js";
import type { Manifest } from "../files/manifest.js";
import { SAVED_SEGMENTS_KEY } from "../files/saved-segments-file.js";
import type { Storage } from "../storage/storage.js";
import { KEYS_KEY } from "../files/store-keys.js";

/** Files of a store that no answer rests on, and the torn end of a journal. */
export async function notesOf(storage: Storage, manifest: Manifest, tornByteLength: number): Promise<string[]> {
  const notes: string[] = [];
  const named = new Set([MANIFEST_KEY, KEYS_KEY, SAVED_SEGMENTS_KEY, ...filesOf(manifest).map(({ key }) => key)]);
  for (const key of await storage.list("")) {
    const journal = journalNumber(key);
    if (named.has(key) || (journal !== null && journal >= manifest.firstJournal)) continue;
    if (key.startsWith("quarantine/")) notes.push(`${key}: kept in quarantine`);
    else if (/^(?:segments|dictionaries|identities|journal)\//.test(key)) notes.push(`${key}: the manifest does not name it; the next opening for writing removes it`);
    else notes.push(`${key}: no file of a store`);
  }
  if (tornByteLength > 0) notes.push(`journal: ${tornByteLength} bytes behind the last whole frame, a write that was never answered`);
  return notes;
}
