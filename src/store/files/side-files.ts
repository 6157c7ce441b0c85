import { hmacSha256, sha256, toHex } from "../../core/base/hash.js";
import { damaged } from "../../storage/segment/segment-file.js";
import type { Storage } from "../storage/storage.js";

export const KEYS_KEY = "keys.json";
/** How every file of keys begins: other programs have files of that name too. */
export const KEYS_START = `{"cursorKey":`;

/** The secret keys of a store, created when it is first opened. */
export interface StoreKeys {
  /** 32 bytes that seal cursors. */
  readonly cursorKey: Uint8Array;
  /** 32 bytes that key the hashes of erased persons' ids. */
  readonly suppressionKey: Uint8Array;
}

export function keysOf(cursorKey: Uint8Array): StoreKeys {
  return { cursorKey, suppressionKey: hmacSha256(cursorKey, new TextEncoder().encode("suppression")) };
}

interface StoreKeysOptions {
  readonly random: (bytes: Uint8Array) => void;
  /** False for a reader beside a writer, which makes keys only for itself. */
  readonly mayWrite: boolean;
  /** Whether keys may be missing: nothing was accepted yet, so an opening may have ended before it made them, or their loss is known. */
  readonly mayBeMissing: boolean;
}

/** Reads the keys, or makes them if they may be missing. Other keys would not recognize erased persons. @throws corruption */
export async function storeKeys(storage: Storage, { random, mayWrite, mayBeMissing }: StoreKeysOptions): Promise<StoreKeys> {
  const stored = await storage.read(KEYS_KEY);
  if (stored !== null) return keysOf(parseKey(stored));
  if (!mayBeMissing) throw damaged(KEYS_KEY, "it is missing, although the store contains events");
  const cursorKey = new Uint8Array(32);
  random(cursorKey);
  if (mayWrite) await storage.write(KEYS_KEY, new TextEncoder().encode(`${JSON.stringify({ cursorKey: toHex(cursorKey), check: checkOf(cursorKey, 16) })}\n`));
  return keysOf(cursorKey);
}

/** Parses the cursor key from the file. @throws corruption */
export function parseKey(stored: Uint8Array): Uint8Array {
  const file = membersOf(KEYS_KEY, stored);
  const key = keyOfHex(file.cursorKey);
  if (key === null) throw damaged(KEYS_KEY, "cursorKey is not 64 hex digits");
  if (file.check !== checkOf(key, 16)) throw damaged(KEYS_KEY, "its checksum is wrong");
  return key;
}

/** The 32 bytes of a key written as hex; null for anything else. */
export function keyOfHex(hex: unknown): Uint8Array | null {
  if (typeof hex !== "string" || !/^[0-9a-f]{64}$/.test(hex)) return null;
  return Uint8Array.from({ length: 32 }, (_, at) => Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16));
}

/** Key of a file that no manifest names; replaced as a whole. */
export const SAVED_SEGMENTS_KEY = "segments.json";

export interface StoredPeopleSegment {
  readonly name: string;
  readonly groups: readonly unknown[];
}

export function encodeSavedSegments(segments: readonly StoredPeopleSegment[]): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ segments, check: checkOfSegments(segments) })}\n`);
}

/** Decodes the saved segments. @throws corruption */
export function decodeSavedSegments(bytes: Uint8Array): readonly StoredPeopleSegment[] {
  const file = membersOf(SAVED_SEGMENTS_KEY, bytes);
  const { segments } = file;
  if (!Array.isArray(segments)) throw damaged(SAVED_SEGMENTS_KEY, "it contains no list of segments");
  if (file.check !== checkOfSegments(segments)) throw damaged(SAVED_SEGMENTS_KEY, "its checksum is wrong");
  return segments as readonly StoredPeopleSegment[];
}

function checkOfSegments(segments: readonly unknown[]): string {
  return checkOf(new TextEncoder().encode(JSON.stringify(segments)), 32);
}

/** The first characters of the SHA-256, hex. */
export function checkOf(bytes: Uint8Array, charCount: number): string {
  return toHex(sha256(bytes)).slice(0, charCount);
}

/** The members of a file of JSON; none if it holds no object. @throws corruption */
export function membersOf(key: string, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as Readonly<Record<string, unknown>> | null) ?? {};
  } catch (cause) {
    throw damaged(key, "it is not JSON", cause);
  }
}
