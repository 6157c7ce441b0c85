import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** What files hold: their bytes, and those of compressed blocks within. */
interface StoredBytes {
  /** As they are, or inflated. */
  readonly texts: readonly { readonly path: string; readonly text: string }[];
  /** Blocks that are left to be inflated, each a frame of Zstandard. */
  readonly frames: Buffer;
}

const HEADER_BYTES = 25;
const METHODS = { none: 0x02, lz4: 0x82, zstd: 0x90 } as const;

/**
 * The files below a directory in which a text of small letters stands, whatever its case there, compressed or not.
 * @param ask runs a statement on a server that may read files: nothing else here inflates Zstandard
 */
export async function pathsIn(directory: string, text: string, ask: (statement: string) => Promise<string>): Promise<string[]> {
  const { texts, frames } = storedBytes(directory);
  const paths = texts.filter((stored) => stored.text.toLowerCase().includes(text)).map(({ path }) => path);
  if (frames.length === 0) return paths;
  // Elsewhere: it would be searched too.
  const inflated = join(mkdtempSync(join(tmpdir(), "daybook-frames-")), "frames.zst");
  try {
    writeFileSync(inflated, frames);
    const found = await ask(`SELECT sum(position(lower(raw), '${text}')) FROM file('${inflated}', RawBLOB, 'raw String', 'zstd')`);
    return Number(found) > 0 ? [...paths, "a compressed block"] : paths;
  } finally {
    rmSync(dirname(inflated), { recursive: true });
  }
}

/** Reads all files below a directory. One that goes meanwhile is left out. */
function storedBytes(directory: string): StoredBytes {
  const texts: { path: string; text: string }[] = [];
  const frames: Buffer[] = [];
  for (const path of filesBelow(directory)) {
    const bytes = readIfThere(path);
    texts.push({ path, text: bytes.toString("latin1") });
    for (const { method, body, byteLength } of blocksOf(bytes)) {
      if (method === METHODS.zstd) frames.push(body);
      if (method === METHODS.lz4) texts.push({ path, text: inflateLz4(body, byteLength).toString("latin1") });
    }
  }
  return { texts, frames: Buffer.concat(frames) };
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    return stats.isDirectory() ? filesBelow(path) : [path];
  });
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}

interface Block {
  readonly method: number;
  readonly body: Buffer;
  /** Of what it holds. */
  readonly byteLength: number;
}

/** The blocks that a file is made of: 16 bytes of checksum, the method, the length with these nine bytes, the length of what it holds. */
function blocksOf(bytes: Buffer): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const method = bytes[at + 16] as number;
    const end = at + 16 + bytes.readUInt32LE(at + 17);
    if (!Object.values<number>(METHODS).includes(method) || end < at + HEADER_BYTES || end > bytes.length) break;
    blocks.push({ method, body: bytes.subarray(at + HEADER_BYTES, end), byteLength: bytes.readUInt32LE(at + 21) });
    at = end;
  }
  return blocks;
}

function inflateLz4(body: Buffer, byteLength: number): Buffer {
  const out = Buffer.alloc(byteLength);
  let [at, to] = [0, 0];
  const lengthOf = (short: number) => {
    let length = short;
    if (short === 15) for (let more = 255; more === 255; length += more) more = body[at++] as number;
    return length;
  };
  while (at < body.length) {
    const token = body[at++] as number;
    const literals = lengthOf(token >> 4);
    to += body.copy(out, to, at, at + literals);
    at += literals;
    if (at >= body.length) break;
    const distance = body.readUInt16LE(at);
    at += 2;
    for (let left = lengthOf(token & 15) + 4; left > 0; left -= 1, to += 1) out[to] = out[to - distance] as number;
  }
  return out;
}
