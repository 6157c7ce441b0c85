import type { ByteRange, Storage } from "daybook";

/** The operations that every object store offers. */
export interface Bucket {
  get(key: string): Promise<Uint8Array | null>;
  put(key: string, bytes: Uint8Array): Promise<void>;
  delete(key: string): Promise<void>;
  keys(): Promise<readonly string[]>;
}

/** Rejects keys that the contract of `Storage` forbids. The engine never sends such keys. */
function checkedKey(key: string): string {
  for (const part of key.split("/")) {
    if (!/^[a-zA-Z0-9._-]{1,128}$/.test(part) || part === "." || part === "..") throw new Error(`${JSON.stringify(key)} is not a valid key`);
  }
  return key;
}

function checkRange({ start, end }: ByteRange): void {
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end >= start) return;
  throw new RangeError(`expected whole numbers 0 <= start <= end, got ${start} and ${end}`);
}

/**
 * A storage in a bucket. Objects cannot be appended to, so there is no `openAppend`; there is no `lock`, so you must run only
 * one writer. `put` is atomic and durable, so `sync` only checks that the objects exist.
 */
export function bucketStorage(bucket: Bucket): Storage {
  return {
    async list(prefix: string): Promise<string[]> {
      return (await bucket.keys()).filter((key) => key.startsWith(prefix)).sort();
    },
    async read(key: string, range?: ByteRange): Promise<Uint8Array | null> {
      if (range !== undefined) checkRange(range);
      const bytes = await bucket.get(checkedKey(key));
      return bytes === null || range === undefined ? bytes : bytes.slice(range.start, range.end);
    },
    async write(key: string, bytes: Uint8Array): Promise<void> {
      await bucket.put(checkedKey(key), bytes);
    },
    async remove(key: string): Promise<void> {
      await bucket.delete(checkedKey(key));
    },
    async sync(keys: readonly string[]): Promise<void> {
      for (const key of keys) if ((await bucket.get(checkedKey(key))) === null) throw new Error(`${key} is absent`);
    },
  };
}

/** A bucket in memory. Copies bytes in both directions, as a network would. */
export function mapBucket(objects = new Map<string, Uint8Array>()): Bucket {
  return {
    get: async (key) => objects.get(key)?.slice() ?? null,
    put: async (key, bytes) => void objects.set(key, bytes.slice()),
    delete: async (key) => void objects.delete(key),
    keys: async () => [...objects.keys()],
  };
}
