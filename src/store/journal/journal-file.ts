import { DaybookError } from "../../core/base/errors.js";
import { journalKey, journalNumber } from "./journal.js";
import type { AppendFile, Storage } from "../storage/storage.js";

/** Opens a journal for appending; on storage that cannot append, every write becomes its own object. */
export async function openJournalFile(storage: Storage, number: number): Promise<AppendFile> {
  const key = journalKey(number);
  return storage.openAppend === undefined ? new ObjectJournalFile(storage, key) : await storage.openAppend(key);
}

/** Lists the numbers of all journals, ascending. */
export async function listJournals(storage: Storage): Promise<number[]> {
  const numbers = new Set<number>();
  for (const key of await storage.list("journal/")) {
    const number = journalNumber(key);
    if (number !== null) numbers.add(number);
  }
  return [...numbers].sort((a, b) => a - b);
}

/** Lists the keys under which a journal's bytes are stored, in order. */
export async function journalKeys(storage: Storage, number: number): Promise<string[]> {
  const key = journalKey(number);
  return (await storage.list(key)).filter((found) => found === key || found.startsWith(`${key}/`));
}

/** Reads a whole journal, with the keys of its objects. */
export async function readJournal(storage: Storage, number: number): Promise<{ keys: string[]; bytes: Uint8Array }> {
  const keys = await journalKeys(storage, number);
  const parts = await Promise.all(keys.map((part) => storage.read(part)));
  const byteLength = parts.reduce((sum, part) => sum + (part?.length ?? 0), 0);
  const bytes = new Uint8Array(byteLength);
  let at = 0;
  for (const part of parts) {
    bytes.set(part ?? new Uint8Array(0), at);
    at += part?.length ?? 0;
  }
  return { keys, bytes };
}

/** A journal stored as numbered objects; each write is atomic and durable. */
class ObjectJournalFile implements AppendFile {
  byteLength = 0;
  #next = 0;

  constructor(
    readonly storage: Storage,
    readonly key: string,
  ) {}

  async write(bytes: Uint8Array): Promise<void> {
    await this.storage.write(`${this.key}/${String(this.#next).padStart(10, "0")}`, bytes);
    this.#next += 1;
    this.byteLength += bytes.length;
  }

  async sync(): Promise<void> {}

  truncate(byteLength: number): Promise<void> {
    if (byteLength === this.byteLength) return Promise.resolve();
    return Promise.reject(new DaybookError("internal", "an object journal is never cut within an object"));
  }

  async close(): Promise<void> {}
}
