import type { ByteRange, Storage, WriteOptions } from "daybook";

/** What every object store offers, whatever it is called there. */
export interface Bucket {
  get(key: string): Promise<Uint8Array | null>;
  /** Stores the object; with `ifAbsent` only where there is none, answering whether it did. */
  put(key: string, bytes: Uint8Array, ifAbsent: boolean): Promise<boolean>;
  delete(key: string): Promise<void>;
  keys(): Promise<readonly string[]>;
}

/** Refuses what the contract of `Storage` calls no key: the engine never sends one, so this meets mistakes only. */
function checked(key: string): string {
  for (const part of key.split("/")) {
    if (!/^[a-zA-Z0-9._-]{1,128}$/.test(part) || part === "." || part === "..") throw new Error(`${JSON.stringify(key)} is no key`);
  }
  return key;
}

function checkRange({ start, end }: ByteRange): void {
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end >= start) return;
  throw new RangeError(`expected whole numbers 0 <= start <= end, got ${start} and ${end}`);
}

/**
 * A Daybook's storage in a bucket: whole objects only, so there is no `openAppend`, and one writer by agreement, so there
 * is no `lock`. A bucket's `put` replaces at once and for good: nothing is left for `sync` to do.
 */
export function bucketStorage(bucket: Bucket): Storage {
  return {
    async list(prefix: string): Promise<string[]> {
      return (await bucket.keys()).filter((key) => key.startsWith(prefix)).sort();
    },
    async read(key: string, range?: ByteRange): Promise<Uint8Array | null> {
      if (range !== undefined) checkRange(range);
      const bytes = await bucket.get(checked(key));
      return bytes === null || range === undefined ? bytes : bytes.slice(range.start, range.end);
    },
    async write(key: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<void> {
      const stored = await bucket.put(checked(key), bytes, options.ifAbsent === true);
      if (!stored) throw new Error(`${key} exists already`);
    },
    async remove(key: string): Promise<void> {
      await bucket.delete(checked(key));
    },
    async sync(keys: readonly string[]): Promise<void> {
      for (const key of keys) if ((await bucket.get(checked(key))) === null) throw new Error(`${key} is absent`);
    },
  };
}

/** A bucket in memory, which keeps and hands out copies as a network would. */
export function mapBucket(objects = new Map<string, Uint8Array>()): Bucket {
  return {
    get: async (key) => objects.get(key)?.slice() ?? null,
    put: async (key, bytes, ifAbsent) => {
      if (ifAbsent && objects.has(key)) return false;
      objects.set(key, bytes.slice());
      return true;
    },
    delete: async (key) => void objects.delete(key),
    keys: async () => [...objects.keys()],
  };
}
