import type { Random } from "../random.js";
import { type DirectoryNames, type Names, renamed, settledDirectory } from "./directory-names.js";
import { type FileContent, changed, resized, settledFile } from "./file-content.js";
import { type DiskState, ROOT } from "./simulated-disk.js";

/** Bytes that a disk writes atomically. */
const SECTOR_BYTES = 512;

/** How much of the unsynced changes survives. */
interface Luck {
  /** Of each directory, a prefix of the changes, or any subset. */
  readonly names: "prefix" | "subset";
  /** Of each file, a prefix of the changes with the next one torn, or any sectors of any changes. */
  readonly content: "prefix" | "sectors";
  /** The probability that a change, or a sector of one, survives. */
  readonly chance: number;
}

/**
 * A possible state of the disk after a power loss, one of very many: files as of their last sync, with any part of later writes
 * and cuts, in sectors of 512 bytes; directories as of their last sync, with any of the later changes. Everything in it is durable.
 */
export function powerLoss(state: DiskState, random: Random): DiskState {
  const luck: Luck = {
    names: random.chance(0.5) ? "prefix" : "subset",
    content: random.chance(0.4) ? "prefix" : "sectors",
    chance: random.pick([0, 0.2, 0.5, 0.5, 0.8, 0.8, 1]),
  };
  const files = new Map<number, FileContent>();
  const directories = new Map<number, DirectoryNames>();
  const visit = (node: number): void => {
    const directory = state.directories.get(node);
    if (directory === undefined) {
      if (!files.has(node)) files.set(node, survivingFile(state.files.get(node), luck, random));
      return;
    }
    const names = survivingNames(directory, luck, random);
    directories.set(node, settledDirectory(names));
    for (const child of names.values()) visit(child);
  };
  visit(ROOT);
  return { files, directories };
}

/** Whether a power loss would lose nothing. */
export function isSettled({ files, directories }: DiskState): boolean {
  const isSynced = ({ changes }: FileContent | DirectoryNames) => changes.length === 0;
  return [...files.values()].every((file) => isSynced(file) && !file.isDetached) && [...directories.values()].every(isSynced);
}

function survivingNames({ durable, changes }: DirectoryNames, { names, chance }: Luck, random: Random): Names {
  if (changes.length === 0) return durable;
  const survivors = names === "subset" ? changes.filter(() => random.chance(chance)) : changes.slice(0, prefixLength(changes.length, chance, random));
  return renamed(durable, survivors);
}

/** Picks the length of a surviving prefix, uniformly; with a chance of 0 or 1, none or all survive. */
function prefixLength(count: number, chance: number, random: Random): number {
  if (chance === 0 || chance === 1) return chance * count;
  return random.below(count + 1);
}

function survivingFile(file: FileContent | undefined, { content, chance }: Luck, random: Random): FileContent {
  if (file === undefined) return settledFile(new Uint8Array(0));
  if (file.changes.length === 0) return settledFile(file.durable);
  return settledFile(content === "prefix" ? survivingPrefix(file, chance, random) : survivingSectors(file, chance, random));
}

function survivingPrefix({ durable, changes }: FileContent, chance: number, random: Random): Uint8Array {
  const wholeCount = prefixLength(changes.length, chance, random);
  let bytes = changes.slice(0, wholeCount).reduce(changed, durable);
  const torn = changes[wholeCount];
  if (torn?.kind !== "write" || chance === 0) return bytes;
  for (const { from, to } of sectorsOf(torn.position, torn.bytes.length)) {
    if (random.chance(0.3)) break;
    bytes = changed(bytes, { kind: "write", position: from, bytes: torn.bytes.subarray(from - torn.position, to - torn.position) });
  }
  return bytes;
}

function survivingSectors({ durable, changes }: FileContent, chance: number, random: Random): Uint8Array {
  let bytes = durable;
  let whole = durable;
  const byteLengths = [durable.length];
  for (const change of changes) {
    whole = changed(whole, change);
    byteLengths.push(whole.length);
    if (change.kind === "truncate") {
      if (random.chance(chance)) bytes = changed(bytes, change);
      continue;
    }
    const { position } = change;
    for (const { from, to } of sectorsOf(position, change.bytes.length))
      if (random.chance(chance)) bytes = changed(bytes, { kind: "write", position: from, bytes: change.bytes.subarray(from - position, to - position) });
  }
  // The length is written separately: it may be that of any time since the sync.
  return random.chance(0.3) ? resized(bytes, random.pick(byteLengths)) : bytes;
}

function sectorsOf(position: number, byteLength: number): { readonly from: number; readonly to: number }[] {
  const sectors: { from: number; to: number }[] = [];
  for (let from = position; from < position + byteLength; ) {
    const to = Math.min((Math.floor(from / SECTOR_BYTES) + 1) * SECTOR_BYTES, position + byteLength);
    sectors.push({ from, to });
    from = to;
  }
  return sectors;
}
