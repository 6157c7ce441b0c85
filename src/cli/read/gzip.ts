import { constants, createReadStream } from "node:fs";
import { access, stat } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";

/**
 * Reads a file, or standard input for `-`, decompressed; gzip is recognised by its first two bytes, whatever the name.
 * @throws the error of the file system, or of zlib for a damaged or truncated archive, with the path in the message
 */
export async function* readBytes(path: string): AsyncGenerator<Uint8Array> {
  const source: AsyncIterable<Uint8Array> = path === "-" ? process.stdin : createReadStream(path, { highWaterMark: 256 * 1024 });
  try {
    yield* inflated(source);
  } catch (error) {
    throw readError(path, error);
  }
}

/** Checks that a file can be read, without opening it: a pipe can be opened only once. @throws what `readBytes` throws */
export async function checkReadable(path: string): Promise<void> {
  if (path === "-") return;
  try {
    await access(path, constants.R_OK);
    if ((await stat(path)).isDirectory()) throw Object.assign(new Error("is a directory"), { code: "EISDIR" });
  } catch (error) {
    throw readError(path, error);
  }
}

function readError(path: string, cause: unknown): Error {
  const name = path === "-" ? "standard input" : path;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "ENOENT") return new Error(`${name}: no such file`, { cause });
  if (code === "EISDIR") return new Error(`${name}: is a directory, expected a file`, { cause });
  return new Error(`${name}: ${reason}`, { cause });
}

async function* inflated(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  let first: Uint8Array = new Uint8Array();
  let ended = false;
  while (first.length < 2 && !ended) {
    const next = await chunks.next();
    if (next.done === true) ended = true;
    else first = first.length === 0 ? next.value : Buffer.concat([first, next.value]);
  }
  const rest: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => chunks };
  const all = prepended(first, rest);
  if (first[0] !== 0x1f || first[1] !== 0x8b) {
    yield* all;
    return;
  }
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  // A failure of the source destroys `gunzip`, whose reader throws it.
  pipeline(Readable.from(all), gunzip, () => undefined);
  yield* gunzip as AsyncIterable<Uint8Array>;
}

async function* prepended(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  yield* rest;
}
