import { memoryStorage, type Storage } from "daybook";
import { defaultCodec } from "../../src/store/storage/codec.js";

/** What a storage holds, by key. */
export type Objects = ReadonlyMap<string, Uint8Array>;

export async function objectsOf(storage: Storage): Promise<Objects> {
  const objects = new Map<string, Uint8Array>();
  for (const key of await storage.list("")) objects.set(key, (await storage.read(key)) ?? new Uint8Array(0));
  return objects;
}

/** A storage in memory that a store takes for one that lasts: with journals, and blocks that are deflated. */
export function lastingMemory(): ReturnType<typeof memoryStorage> {
  return Object.assign(memoryStorage(), { volatile: false, codec: defaultCodec });
}

/** A new storage in memory with these objects. */
export async function storageWith(objects: Objects): Promise<Required<Pick<Storage, "openAppend" | "lock">> & Storage> {
  const storage = lastingMemory();
  for (const [key, bytes] of objects) await storage.write(key, bytes);
  return storage;
}

/** The objects with one of them replaced, or (null) left out. */
export function withObject(objects: Objects, key: string, bytes: Uint8Array | null): Objects {
  const changed = new Map(objects);
  if (bytes === null) changed.delete(key);
  else changed.set(key, bytes);
  return changed;
}
