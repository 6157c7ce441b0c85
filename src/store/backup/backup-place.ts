import { parameterError } from "../../base/errors.js";
import type { DaybookError } from "../../base/errors.js";
import { areSameBytes } from "../../base/same-bytes.js";
import { MANIFEST_KEY, decodeManifest } from "../files/manifest.js";
import type { Manifest } from "../files/manifest.js";
import { isOtherHistory } from "../files/other-history.js";
import { KEYS_KEY } from "../files/store-keys.js";
import type { Storage } from "../storage/storage.js";

/**
 * The manifest of the backup that a place holds; null for an empty place, and for one in which the first backup was cut: that has the keys already.
 * @param keys of the store to be backed up
 * @throws invalid_parameter for anything else, corruption
 */
export async function formerBackup(place: Storage, keys: Uint8Array | null): Promise<Manifest | null> {
  const stored = await place.read(MANIFEST_KEY);
  const former = stored === null ? null : decodeManifest(stored);
  if (former !== null && former.backup === undefined) throw unfit("it holds a store that is no backup");
  const formerKeys = await place.read(KEYS_KEY);
  if (formerKeys !== null && !areSameBytes(formerKeys, keys)) throw unfit("it holds a backup of another store");
  if (former === null && formerKeys === null) await refuseFilled(place);
  return former;
}

/** @throws invalid_parameter unless there is nothing in a place */
export async function refuseFilled(place: Storage): Promise<void> {
  const [key] = await place.list("");
  if (key !== undefined) throw unfit(`it holds ${key}`);
}

/**
 * Refuses to put a moment in the place of one that it does not follow on, as happens to a store that was restored from an older one.
 * @throws invalid_parameter where numbers or files tell
 */
export function refuseOtherHistory(former: Manifest, manifest: Manifest): void {
  if (isOtherHistory(former, manifest)) throw unfit("it holds a moment that this store did not come to, as one that was restored from an older backup");
}

function unfit(reason: string): DaybookError {
  return parameterError("invalid_parameter", "storage", `expected an empty place, or a backup of this store: ${reason}`);
}
