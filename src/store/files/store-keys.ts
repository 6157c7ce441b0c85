import { hmacSha256, sha256, toHex } from "../../base/hash.js";
import { damaged } from "../../segment/container.js";
import type { Storage } from "../storage/storage.js";

export const KEYS_KEY = "keys.json";
/** How each file of keys begins: other programs have files of that name too. */
export const KEYS_START = `{"cursorKey":`;

/** The secret keys of a store, made at its first opening. */
export interface StoreKeys {
  /** 32 bytes that seal cursors. */
  readonly cursorKey: Uint8Array;
  /** 32 bytes under which the ids of erased persons are hashed. */
  readonly suppressionKey: Uint8Array;
}

export function keysOf(cursorKey: Uint8Array): StoreKeys {
  return { cursorKey, suppressionKey: hmacSha256(cursorKey, new TextEncoder().encode("suppression")) };
}

export interface StoreKeysOptions {
  readonly random: (bytes: Uint8Array) => void;
  /** A reader beside a writer makes keys for itself alone. */
  readonly mayWrite: boolean;
  /** Nothing was ever accepted, so that an opening may have ended before it made keys; or lost ones are known to be lost. */
  readonly mayBeMissing: boolean;
}

/** Reads the keys; makes them where they may be missing. With other keys an erased person would be unknown. @throws corruption */
export async function storeKeys(storage: Storage, { random, mayWrite, mayBeMissing }: StoreKeysOptions): Promise<StoreKeys> {
  const stored = await storage.read(KEYS_KEY);
  if (stored !== null) return keysOf(parseKey(stored));
  if (!mayBeMissing) throw damaged(KEYS_KEY, "it is missing, though the store holds events");
  const cursorKey = new Uint8Array(32);
  random(cursorKey);
  if (mayWrite) await storage.write(KEYS_KEY, new TextEncoder().encode(`${JSON.stringify({ cursorKey: toHex(cursorKey), check: checkOf(cursorKey) })}\n`));
  return keysOf(cursorKey);
}

/** Tells a damaged key from the one that was written. */
function checkOf(key: Uint8Array): string {
  return toHex(sha256(key)).slice(0, 16);
}

/** The cursor key of the file. @throws corruption */
export function parseKey(stored: Uint8Array): Uint8Array {
  let keys: { cursorKey?: unknown; check?: unknown } | null;
  try {
    keys = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(stored)) as typeof keys;
  } catch (cause) {
    throw damaged(KEYS_KEY, "it is not JSON", cause);
  }
  const hex = keys?.cursorKey;
  if (typeof hex !== "string" || !/^[0-9a-f]{64}$/.test(hex)) throw damaged(KEYS_KEY, "cursorKey is not 64 hex digits");
  const key = Uint8Array.from({ length: 32 }, (_, at) => Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16));
  if (keys?.check !== checkOf(key)) throw damaged(KEYS_KEY, "its checksum is wrong");
  return key;
}
