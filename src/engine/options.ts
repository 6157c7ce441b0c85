import type { Clock } from "../base/clock.js";
import { parameterError, shown } from "../base/errors.js";
import { refuseUnknown, type KnownOptions } from "../base/known-options.js";
import type { ReportName } from "../plan/plan.js";
import type { Rates } from "../plan/input.js";
import type { EventRecord } from "../schema/event.js";
import { isKeepingFuture, type FutureEvents } from "../schema/moment.js";
import type { Sealer } from "../store/files/make-segment.js";
import type { Durability } from "../store/journal/journals.js";
import type { Storage } from "../store/storage/storage.js";
import type { Work } from "./question/work.js";
import type { Notice } from "./question/notices.js";
import type { Damage, ScrubOptions } from "./upkeep/scrub.js";

export interface DaybookOptions {
  /** Where the bytes are kept: `memoryStorage()`, `fileStorage(directory)` of `daybook/node`, or `opfsStorage(name)` of `daybook/browser`. */
  readonly storage: Storage;
  /** The organization's reporting currency, ISO 4217. Default USD. */
  readonly currency?: string;
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
  /**
   * What becomes of events and records whose time is more than five minutes ahead of the clock. `adjust` (default): they are stored as of the time of
   * receipt, and answers name them in `adjusted`. `keep`: they are stored as they come, for tests, plans and copies.
   */
  readonly futureEvents?: FutureEvents;
  /** When an ingest resolves. `disk` (default): after the sync. `os`: after the write; synced once a second. */
  readonly durability?: Durability;
  /** Bound on loaded columns and derived structures, in bytes. Dictionaries and heads come on top. Default 2 GiB. */
  readonly memoryBudgetBytes?: number;
  /**
   * `sealThread()` of `daybook/node`: segment files of some thousand rows and more are made on its thread, the same to the byte. The
   * storage must have the codec of `fileStorage` or of `memoryStorage`. Otherwise the calling thread makes them, in pieces of about a
   * millisecond.
   */
  readonly sealer?: Sealer;
  /** Opens beside a writer: no lock, no writes, the state of this moment. Default false. */
  readonly readOnly?: boolean;
  /**
   * With `readOnly: true`: goes on with what the writer commits, also one in another process. A commit is shown within a second, whole, and never
   * taken back; a question sees one moment, whatever the writer seals, compacts or erases meanwhile. Looks five times a second, until it is
   * closed, and holds each sealed file open while it shows it. Default false.
   */
  readonly follow?: boolean;
  /**
   * What to do about damaged files. `refuse` (default): opening, or the question that meets them, fails with `corruption`.
   * `quarantine`: opening reads all files once, moves the damaged ones to `quarantine/` and goes on without what they held;
   * `stats` says what that was. What is damaged while open still fails the questions that need it, until the next opening.
   */
  readonly onCorruption?: "refuse" | "quarantine";
  /** What other currencies are worth. Absent: amounts in them are listed as unconverted. */
  readonly rates?: Rates;
  /** Where sessions end. Default: a gap of 30 minutes, a length of 24 hours. */
  readonly session?: { readonly gapMs?: number; readonly maxMs?: number };
  /** Slugs of events that are page views. Default: pageview, page-view, page, screen-view. */
  readonly pageviewSlugs?: readonly string[];
  /** Names of events whose metadata holds an amount, compared by slug. Default: Payment, Purchase, Order Completed; Refund, Order Refunded. */
  readonly revenue?: { readonly paymentNames?: readonly string[]; readonly refundNames?: readonly string[] };
  /**
   * Which visits count as brought by somebody. Hosts stand for their subdomains too; `pay.*` for `pay.com`, `pay.co.uk` and any other ending. An app
   * is the name of its package.
   */
  readonly attribution?: {
    /** Referrers that bring nobody, beside the usual payment pages. */
    readonly excludedHosts?: readonly string[];
    /** Whose medium is organic, instead of the usual search engines. */
    readonly searchHosts?: readonly string[];
    /** Whose medium is social, instead of the usual networks. */
    readonly socialHosts?: readonly string[];
    /** A touch counts for this long. Default: for ever. */
    readonly lookbackMs?: number | null;
  };
  /** Called once for each event with `notify: true`, after it is durable. What it throws is passed to nobody. */
  readonly onNotify?: (event: EventRecord) => unknown;
  /** Reads all sealed files again and again, slowly, and compares their checksums. Absent: only `verify` does. */
  readonly scrub?: ScrubOptions;
  /** Called once for each file that a scrub finds damaged. What it throws is passed to nobody. */
  readonly onDamage?: (damage: Damage) => unknown;
  /**
   * Called for each name in a question that is no field, and no metadata key of any stored event; and once for each call that stored events or
   * records as of the time of receipt because theirs was too far ahead. What it throws is passed to nobody.
   */
  readonly onNotice?: (notice: Notice) => unknown;
  /** Called after each question with what answering it touched. */
  readonly onWork?: (report: ReportName, work: Work) => void;
  /** Fills bytes with random bits. Default: `crypto.getRandomValues`. */
  readonly random?: (bytes: Uint8Array) => void;
}

const KNOWN: KnownOptions<DaybookOptions> = {
  storage: true,
  currency: true,
  clock: true,
  futureEvents: true,
  durability: true,
  memoryBudgetBytes: true,
  sealer: true,
  readOnly: true,
  follow: true,
  onCorruption: true,
  rates: true,
  session: true,
  pageviewSlugs: true,
  revenue: true,
  attribution: true,
  onNotify: true,
  onNotice: true,
  scrub: true,
  onDamage: true,
  onWork: true,
  random: true,
};
const KNOWN_OF_SCRUB: KnownOptions<ScrubOptions> = { bytesPerSecond: true, restMs: true };

/** @throws invalid_parameter, unknown_parameter */
export function checkOptions(options: DaybookOptions): void {
  refuseUnknown(options, KNOWN);
  // Programs without types hand over anything.
  const given = options as Partial<DaybookOptions>;
  const { storage, currency, durability, memoryBudgetBytes, onCorruption, readOnly, follow, scrub, sealer, clock, futureEvents } = given;
  if (typeof storage?.read !== "function") throw unexpected("storage", "memoryStorage() or another storage", storage);
  if (currency !== undefined && !/^[A-Z]{3}$/.test(currency)) throw unexpected("currency", "an ISO 4217 code such as USD", currency);
  if (durability !== undefined && durability !== "disk" && durability !== "os") throw unexpected("durability", '"disk" or "os"', durability);
  if (memoryBudgetBytes !== undefined && !(typeof memoryBudgetBytes === "number" && memoryBudgetBytes >= 0))
    throw unexpected("memoryBudgetBytes", "a number of bytes, 0 or more", memoryBudgetBytes);
  if (sealer !== undefined && typeof (sealer as Partial<Sealer> | null)?.make !== "function") throw unexpected("sealer", "sealThread() of daybook/node", sealer);
  if (onCorruption !== undefined && onCorruption !== "refuse" && onCorruption !== "quarantine")
    throw unexpected("onCorruption", '"refuse" or "quarantine"', onCorruption);
  if (onCorruption === "quarantine" && readOnly === true) throw unexpected("onCorruption", '"refuse" where readOnly is true', onCorruption);
  isKeepingFuture(futureEvents);
  if (readOnly !== undefined && typeof readOnly !== "boolean") throw unexpected("readOnly", "true or false", readOnly);
  if (follow !== undefined && typeof follow !== "boolean") throw unexpected("follow", "true or false", follow);
  if (follow === true && readOnly !== true) throw unexpected("follow", "false where readOnly is not true: a writer follows nobody", follow);
  for (const name of ["rates", "onNotify", "onNotice", "onDamage", "onWork", "random"] as const)
    if (given[name] !== undefined && typeof given[name] !== "function") throw unexpected(name, "a function", given[name]);
  if (clock !== undefined && typeof (clock as Partial<Clock> | null)?.now !== "function") throw unexpected("clock", "an object with now()", clock);
  if (scrub !== undefined && (typeof scrub !== "object" || scrub === null)) throw unexpected("scrub", "an object", scrub);
  if (scrub !== undefined) refuseUnknown(scrub, KNOWN_OF_SCRUB, "scrub");
  if (scrub !== undefined && readOnly === true) throw unexpected("scrub", "none where readOnly is true: files may be replaced", scrub);
  for (const [name, value] of [["bytesPerSecond", scrub?.bytesPerSecond], ["restMs", scrub?.restMs]] as const)
    if (value !== undefined && !(typeof value === "number" && value >= (name === "restMs" ? 0 : 1) && value < Infinity))
      throw unexpected(`scrub.${name}`, "a positive number", value);
}

function unexpected(option: string, expected: string, came: unknown) {
  return parameterError("invalid_parameter", option, `expected ${expected}, got ${shown(came)}`);
}
