import { pooledRandom } from "../base/random.js";
import { uuidText, writeUuidV7 } from "../base/uuid.js";

const random = pooledRandom();

/** A new id for what is sent: with it the same again is stored once. */
export function newId(nowMs: number): string {
  const bytes = new Uint8Array(16);
  writeUuidV7(nowMs, random, bytes, 0);
  return uuidText(bytes);
}

/** Whether an event or record brings no id of its own. */
export function lacksId(id: unknown): boolean {
  return id === undefined || id === null || id === "";
}
