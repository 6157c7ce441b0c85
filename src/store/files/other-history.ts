import { filesOf } from "./manifest.js";
import type { Manifest } from "./manifest.js";

/** Whether numbers or files prove that `manifest` does not descend from `former`, as after restoring an older backup. */
export function isOtherHistory(former: Manifest, manifest: Manifest): boolean {
  const isBehind = former.epoch > manifest.epoch || former.firstJournal > manifest.firstJournal || former.nextFile > manifest.nextFile;
  const sums = new Map(filesOf(former).map(({ key, sha256 }) => [key, sha256]));
  const isOther = filesOf(manifest).some(({ key, sha256 }) => (sums.get(key) ?? sha256) !== sha256);
  // Dictionary files are either added, or all replaced at once.
  const keys = new Set(manifest.dictionaries.map(({ key }) => key));
  const keptCount = former.dictionaries.filter(({ key }) => keys.has(key)).length;
  return isBehind || isOther || (keptCount > 0 && keptCount < former.dictionaries.length);
}
