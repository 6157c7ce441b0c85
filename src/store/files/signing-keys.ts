import { toHex } from "../../core/base/hash.js";
import { damaged } from "../../storage/segment/segment-file.js";
import type { Storage } from "../storage/storage.js";
import { checkOf, keyOfHex, membersOf } from "./side-files.js";

/** Key of a file that no manifest names; replaced as a whole. */
export const SIGNING_KEYS_KEY = "signing-keys.json";

/** One key signs; the one before it still verifies. */
export const SIGNING_KEY_COUNT = 2;

/** Where the keys that sign tokens are stored. */
export interface SigningKeys {
  /** Newest first, at most `SIGNING_KEY_COUNT`; none before the first token. @throws corruption */
  read(): Promise<readonly Uint8Array[]>;
  /** Replaces the keys, of which only the first is new. */
  write(keys: readonly Uint8Array[]): Promise<void>;
}

/** Keys in a file of a store. */
export function signingKeysIn(storage: Storage): SigningKeys {
  return {
    read: async () => {
      const bytes = await storage.read(SIGNING_KEYS_KEY);
      return bytes === null ? [] : decodeSigningKeys(bytes);
    },
    write: (keys) => storage.write(SIGNING_KEYS_KEY, encodeSigningKeys(keys)),
  };
}

/** @param keys newest first, 32 bytes each */
export function encodeSigningKeys(keys: readonly Uint8Array[]): Uint8Array {
  const hex = keys.map(toHex);
  return new TextEncoder().encode(`${JSON.stringify({ keys: hex, check: checkOfKeys(hex) })}\n`);
}

/** Decodes the keys that sign and verify tokens, newest first. @throws corruption */
export function decodeSigningKeys(bytes: Uint8Array): readonly Uint8Array[] {
  const file = membersOf(SIGNING_KEYS_KEY, bytes);
  const hex = Array.isArray(file.keys) ? (file.keys as readonly unknown[]) : [];
  const keys = hex.map(keyOfHex).filter((key) => key !== null);
  if (keys.length !== hex.length || keys.length < 1 || keys.length > SIGNING_KEY_COUNT) throw damaged(SIGNING_KEYS_KEY, "it contains no list of one or two keys of 64 hex digits");
  if (file.check !== checkOfKeys(hex)) throw damaged(SIGNING_KEYS_KEY, "its checksum is wrong");
  return keys;
}

function checkOfKeys(hex: readonly unknown[]): string {
  return checkOf(new TextEncoder().encode(JSON.stringify(hex)), 32);
}
