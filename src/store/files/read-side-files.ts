import { damaged } from "../../storage/segment/segment-file.js";
import type { Storage } from "../storage/storage.js";
import type { Manifest } from "./manifest.js";
import { decodeSavedSegments, KEYS_KEY, parseKey, SAVED_SEGMENTS_KEY } from "./side-files.js";
import { decodeSigningKeys, SIGNING_KEYS_KEY } from "./signing-keys.js";

/** A file that no manifest names. */
export interface SideFile {
  readonly key: string;
  readonly bytes: Uint8Array | null;
  readonly fault: Error | null;
}

/** Reads the keys, which a store has before its first frame, then the saved segments and the keys of signed tokens. */
export async function readSideFiles(storage: Storage, { nextSequence, privacy }: Pick<Manifest, "nextSequence" | "privacy">): Promise<readonly SideFile[]> {
  const needsKeys = nextSequence > 1 || privacy !== null;
  const read = async (key: string, missing: Error | null, decode: (bytes: Uint8Array) => unknown): Promise<SideFile> => {
    const bytes = await storage.read(key);
    try {
      if (bytes !== null) decode(bytes);
      return { key, bytes, fault: bytes === null ? missing : null };
    } catch (error) {
      return { key, bytes, fault: error as Error };
    }
  };
  const missing = needsKeys ? damaged(KEYS_KEY, "it is missing, although the store contains events") : null;
  return [
    await read(KEYS_KEY, missing, parseKey),
    await read(SAVED_SEGMENTS_KEY, null, decodeSavedSegments),
    await read(SIGNING_KEYS_KEY, null, decodeSigningKeys),
  ];
}
