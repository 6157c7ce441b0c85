import { sha256, toHex } from "../../base/hash.js";
import { damaged } from "../../segment/container.js";

export const MANIFEST_KEY = "MANIFEST";

/** A stored file the manifest vouches for. */
export interface FileEntry {
  readonly key: string;
  readonly byteLength: number;
  /** Of the whole file, hex. */
  readonly sha256: string;
  /** Checksum of the footer, which names those of all blocks: compared at opening. */
  readonly footerCrc32: number;
}

export interface SegmentEntry extends FileEntry {
  readonly day: number;
  readonly rowCount: number;
}

/** A file that was damaged, and what went with it. */
export interface QuarantinedFile {
  /** Where it was. Its bytes, if there were any, are kept under `quarantine/` and this key. */
  readonly key: string;
  readonly byteLength: number;
  /** What was wrong with it. */
  readonly reason: string;
  /** Events that went with it, by day; day null: of unknown days, and there may be records among them. */
  readonly lostRows: readonly { readonly day: number | null; readonly rowCount: number }[];
}

/** For how many days after the one it happened on an event is kept. */
export interface TimeToLiveRule {
  /** Null: of every project without a rule of its own. */
  readonly project: string | null;
  readonly days: number;
}

/** That a store is a copy of one moment of another, and of which. */
export interface BackupMark {
  /** When the copying began, by the clock of who did it, epoch ms. */
  readonly takenMs: number;
}

/** The one file that says which others count. Replaced as a whole. */
export interface Manifest {
  /** Of all files of the store. */
  readonly format: typeof FORMAT;
  /** One more at each opening for writing. */
  readonly epoch: number;
  /** The store was closed in good order, or its backup finished: the journals end with an end mark, and nothing may be missing before it. */
  readonly clean: boolean;
  /** Sequence of the first record that is not in the segments below. */
  readonly nextSequence: number;
  /** Journals below this number are history. */
  readonly firstJournal: number;
  /** Number of the next file of any kind. */
  readonly nextFile: number;
  readonly segments: readonly SegmentEntry[];
  readonly dictionaries: readonly FileEntry[];
  /** Records of identify, group, alias and unlink, oldest first. */
  readonly identities: readonly FileEntry[];
  /** Privacy requests, and who was erased; null while there was none. */
  readonly privacy: FileEntry | null;
  /** Damaged files that were moved aside; absent where there never were any. */
  readonly quarantined?: readonly QuarantinedFile[];
  /** Absent where there never were any. */
  readonly timeToLive?: readonly TimeToLiveRule[];
  /** When the clock was last trusted to delete by time to live, epoch ms; absent where there never was a rule. */
  readonly trustedMs?: number;
  /** Absent in a store that somebody writes. */
  readonly backup?: BackupMark;
}

/** A store of another format is refused. */
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

/** How each manifest begins: other programs have files of that name too. */
export const MANIFEST_START = `{"format":`;

/** Every file that a manifest vouches for. */
export function filesOf({ segments, dictionaries, identities, privacy }: Manifest): FileEntry[] {
  return [...segments, ...dictionaries, ...identities, ...(privacy === null ? [] : [privacy])];
}

/** The manifest of a store that is no backup, or none any more. */
export function withoutMark({ backup: _, ...manifest }: Manifest): Manifest {
  return manifest;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The manifest as a line of JSON and a line with its SHA-256. */
export function encodeManifest(manifest: Manifest): Uint8Array {
  const body = encoder.encode(JSON.stringify(manifest));
  return encoder.encode(`${decoder.decode(body)}\n${toHex(sha256(body))}\n`);
}

/** @throws corruption */
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
