import { sha256, toHex } from "../../core/base/hash.js";
import { damaged } from "../../storage/segment/segment-file.js";

export const MANIFEST_KEY = "MANIFEST";

/** A stored file that the manifest names, with its checksums. */
export interface FileEntry {
  readonly key: string;
  readonly byteLength: number;
  /** Of the whole file, hex. */
  readonly sha256: string;
  /** CRC-32 of the footer, which contains those of all blocks; compared on opening. */
  readonly footerCrc32: number;
}

export interface SegmentEntry extends FileEntry {
  readonly day: number;
  readonly rowCount: number;
}

/** A damaged file and the rows lost with it. */
export interface QuarantinedFile {
  /** Its original key. Its bytes, if any, are kept under `quarantine/` and this key. */
  readonly key: string;
  readonly byteLength: number;
  /** What was wrong with it. */
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
  /** Format of all files of the store. */
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
export const FORMAT = 3 as const;

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
  privacy: null,
};

/** How every manifest begins: other programs have files of that name too. */
export const MANIFEST_START = `{"format":`;

/** Lists every file that a manifest names. */
export function filesOf({ segments, dictionaries, identities, privacy }: Manifest): FileEntry[] {
  return [...segments, ...dictionaries, ...identities, ...(privacy === null ? [] : [privacy])];
}

/** Returns a manifest without its backup mark. */
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
