import { parameterError } from "../../core/base/errors.js";
import { MANIFEST_KEY, MANIFEST_START } from "./manifest.js";
import type { Storage } from "../storage/storage.js";

/** Matches the numbered files in the folders of a store. */
const partPattern = /^(?:segments|dictionaries|identities|journal)\/\d{10}(?:\/|$)/;
const NAMES_SHOWN = 5;

/** Whether a key is a numbered file that only a store has. */
export function isStorePart(key: string): boolean {
  return partPattern.test(key);
}

/** Whether an object exists and begins with `start`, damaged or not. */
export async function beginsWith(storage: Pick<Storage, "read">, key: string, start: string): Promise<boolean> {
  const bytes = await storage.read(key, { start: 0, end: start.length });
  return bytes !== null && new TextDecoder().decode(bytes) === start;
}

/**
 * Refuses a location that is not a store but contains some, such as a directory of organizations: a new store beside them would be
 * mistaken for theirs. Writes nothing. Cost: one read if there is a manifest, else a list of all keys.
 * @throws invalid_parameter naming the stores
 */
export async function refuseStoresBelow(storage: Storage): Promise<void> {
  // Ignore read errors: later steps report them better, since taking the lock names the location.
  const names = await storesBelow(storage).catch(() => []);
  const [first] = names;
  if (first === undefined) return;
  const shownNames = `${names.slice(0, NAMES_SHOWN).join(", ")}${names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : ""}`;
  const reason = `expected a store or an empty location, got a directory of organizations, each with its own store: ${shownNames}; open one of them, for example with fileStorage("DIRECTORY/${first}")`;
  throw parameterError("invalid_parameter", "storage", reason);
}

/** Names of the stores below a location that is no store itself, ascending. */
async function storesBelow(storage: Storage): Promise<string[]> {
  if ((await storage.read(MANIFEST_KEY, { start: 0, end: 1 })) !== null) return [];
  const keys = await storage.list("");
  return keys.some(isStorePart) ? [] : await storesIn(storage, keys);
}

/** Names of the folders that are stores, ascending. */
async function storesIn(storage: Storage, keys: readonly string[]): Promise<string[]> {
  const names = new Set<string>();
  for (const key of keys) {
    const slash = key.indexOf("/");
    const name = key.slice(0, Math.max(slash, 0));
    if (name === "" || names.has(name)) continue;
    const rest = key.slice(slash + 1);
    if (isStorePart(rest) || (rest === MANIFEST_KEY && (await beginsWith(storage, key, MANIFEST_START)))) names.add(name);
  }
  return [...names].sort();
}
