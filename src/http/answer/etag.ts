import { digestOf, toHex } from "../../core/base/hash.js";

const encoder = new TextEncoder();
/** From this length on the platform's asynchronous hash is faster than the synchronous one. */
const LARGE_CHARS = 4_096;

/** Strong entity tag of a body: half of its SHA-256. */
export async function etagOf(text: string, sha256Hex: (text: string) => string): Promise<string> {
  if (text.length < LARGE_CHARS) return `"${sha256Hex(text).slice(0, 32)}"`;
  return await etagOfBytes(encoder.encode(text));
}

/** The same for UTF-8 bytes. */
export async function etagOfBytes(bytes: Uint8Array): Promise<string> {
  const digest = await digestOf(bytes);
  return `"${toHex(digest.subarray(0, 16))}"`;
}

/** Whether an `If-None-Match` header names the tag (weak comparison) or is `*`. */
export function matchesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").some((part) => {
    const tag = part.trim();
    return tag === "*" || tag === etag || tag === `W/${etag}`;
  });
}
