import { areSameBytes } from "../../core/base/bytes.js";
import { DaybookError, parameterError } from "../../core/base/errors.js";
import { sha256, toHex } from "../../core/base/hash.js";
import { damaged } from "../../storage/segment/segment-file.js";
import type { SegmentFacts } from "../../storage/segment/segment.js";
import type { Storage } from "../storage/storage.js";

export const MANIFEST_KEY = "MANIFEST";

export interface FileEntry {
  readonly key: string;
  readonly byteLength: number;
  /** Of the whole file, hex. */
  readonly sha256: string;
  /** CRC-32 of the footer, which contains those of all blocks; compared on opening. */
  readonly footerCrc32: number;
}

/** What queries need to know of a segment before they read it is in the manifest, so that opening a store reads no segment without links. */
export interface SegmentEntry extends FileEntry, SegmentFacts {}

/** When events with sequences from `firstSequence` to below `nextSequence` were accepted. */
export interface ReceivedFileEntry extends FileEntry {
  readonly firstSequence: number;
  readonly nextSequence: number;
}

export interface QuarantinedFile {
  /** Its original key. Its bytes, if any, are kept under `quarantine/` and this key. */
  readonly key: string;
  readonly byteLength: number;
  readonly reason: string;
  /** Lost events by day; day null: of unknown days, possibly including records. */
  readonly lostRows: readonly { readonly day: number | null; readonly rowCount: number }[];
}

/** How many days events are kept, counted from the day after the one they happened on. */
export interface TimeToLiveRule {
  /** Null: every project without a rule of its own. */
  readonly project: string | null;
  readonly days: number;
}

/** Marks a store as a copy of a snapshot of another store. */
export interface BackupMark {
  /** When copying began, by the clock of the copying process, epoch ms. */
  readonly takenMs: number;
}

/** The file that names all other valid files; replaced as a whole. */
export interface Manifest {
  readonly format: typeof FORMAT;
  /** Increases by one with each opening for writing. */
  readonly epoch: number;
  /** Whether the store was closed cleanly, or its backup finished: the journals end with an end mark, and nothing before it may be missing. */
  readonly clean: boolean;
  /** Sequence of the first record that is not in the segments below. */
  readonly nextSequence: number;
  /** Journals below this number are obsolete. */
  readonly firstJournal: number;
  /** Number of the next file of any kind. */
  readonly nextFile: number;
  readonly segments: readonly SegmentEntry[];
  readonly dictionaries: readonly FileEntry[];
  /** Records of identify, group, alias and unlink, oldest first. */
  readonly identities: readonly FileEntry[];
  /** Privacy requests and hashes of erased ids; null before the first request. */
  readonly privacy: FileEntry | null;
  /** What was deleted lately, for copies of the events; absent if nothing ever was. */
  readonly deletions?: FileEntry;
  /** When events were accepted, ascending by sequence; times of sequences in none of them are unknown. */
  readonly received: readonly ReceivedFileEntry[];
  /** Damaged files that were moved aside; absent if there never were any. */
  readonly quarantined?: readonly QuarantinedFile[];
  /** Absent if there never were any. */
  readonly timeToLive?: readonly TimeToLiveRule[];
  /** When the clock was last trusted for deletions by time to live, epoch ms; absent if there never was a rule. */
  readonly trustedMs?: number;
  /** Present in backups only. */
  readonly backup?: BackupMark;
}

/** The only supported format; stores of others are refused. */
export const FORMAT = 8 as const;

export const EMPTY_MANIFEST: Manifest = {
  format: FORMAT,
  epoch: 0,
  clean: true,
  nextSequence: 1,
  firstJournal: 1,
  nextFile: 1,
  segments: [],
  dictionaries: [],
  identities: [],
  received: [],
  privacy: null,
};

/** How every manifest begins: other programs have files of that name too. */
export const MANIFEST_START = `{"format":`;

export function filesOf({ segments, dictionaries, identities, privacy, deletions, received }: Manifest): FileEntry[] {
  return [...segments, ...dictionaries, ...identities, ...received, ...[privacy, deletions].flatMap((entry) => entry ?? [])];
}

/** How many items of pairs of first sequence and time, ascending, are of commits below a sequence. */
export function receivedCount(received: readonly number[], nextSequence: number): number {
  let count = 0;
  while ((received[count] ?? nextSequence) < nextSequence) count += 2;
  return count;
}

export function withoutMark({ backup: _, ...manifest }: Manifest): Manifest {
  return manifest;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Encodes a manifest as a line of JSON and a line with its SHA-256. */
export function encodeManifest(manifest: Manifest): Uint8Array {
  const body = encoder.encode(JSON.stringify(manifest));
  return encoder.encode(`${decoder.decode(body)}\n${toHex(sha256(body))}\n`);
}

/** Decodes a manifest. @throws corruption */
export function decodeManifest(bytes: Uint8Array): Manifest {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    throw damaged(MANIFEST_KEY, "it is not UTF-8", cause);
  }
  const [body, checksum, rest] = text.split("\n");
  if (body === undefined || rest !== "" || toHex(sha256(encoder.encode(body))) !== checksum)
    throw damaged(MANIFEST_KEY, "its checksum is wrong");
  const manifest = { ...EMPTY_MANIFEST, ...(JSON.parse(body) as Manifest) };
  const format: unknown = manifest.format;
  if (format !== FORMAT) throw damaged(MANIFEST_KEY, `expected format ${FORMAT}, got ${String(format)}: another version of Daybook wrote this store`);
  return manifest;
}

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

const partPattern = /^(?:segments|dictionaries|identities|journal)\/\d{10}(?:\/|$)/;
const NAMES_SHOWN = 5;

export function isStorePart(key: string): boolean {
  return partPattern.test(key);
}

/** Whether an object exists and begins with `start`, damaged or not. */
export async function beginsWith(storage: Pick<Storage, "read">, key: string, start: string): Promise<boolean> {
  const bytes = await storage.read(key, { start: 0, end: start.length });
  return bytes !== null && new TextDecoder().decode(bytes) === start;
}

/** Refuses a directory of stores, such as one of organizations: a new store would be mistaken for theirs. @throws invalid_parameter naming them */
export async function refuseStoresBelow(storage: Storage): Promise<void> {
  // Ignore read errors: later steps report them better, since taking the lock names the location.
  const names = await storesBelow(storage).catch(() => []);
  const [first] = names;
  if (first === undefined) return;
  const shownNames = `${names.slice(0, NAMES_SHOWN).join(", ")}${names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : ""}`;
  const reason = `expected a store or an empty location, got a directory of organizations, each with its own store: ${shownNames}; open one of them, for example with fileStorage("DIRECTORY/${first}")`;
  throw parameterError("invalid_parameter", "storage", reason);
}

async function storesBelow(storage: Storage): Promise<string[]> {
  if ((await storage.read(MANIFEST_KEY, { start: 0, end: 1 })) !== null) return [];
  const keys = await storage.list("");
  return keys.some(isStorePart) ? [] : await storesIn(storage, keys);
}

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

const READ_ATTEMPT_COUNT = 100;

/** Reads files of one manifest beside a writer. @param read returns null to retry with the next manifest @throws overloaded, what `read` throws */
export async function untilManifestStays<T>(
  storage: Storage,
  doing: "read" | "copied",
  read: (manifest: Uint8Array | null, isStillThere: () => Promise<boolean>) => Promise<T | null>,
): Promise<T> {
  for (let attempt = 1; attempt <= READ_ATTEMPT_COUNT; attempt += 1) {
    const manifest = await storage.read(MANIFEST_KEY);
    const outcome = await read(manifest, async () => areSameBytes(manifest, await storage.read(MANIFEST_KEY)));
    if (outcome !== null) return outcome;
  }
  throw new DaybookError("overloaded", `a writer replaces the files of the store faster than they can be ${doing}`);
}
