import type { Clock } from "../core/base/time.js";
import { parameterError, shown } from "../core/base/errors.js";
import { isThrowing, rejectUnknownOptions, type KnownOptions, type OnRejected } from "../core/base/options.js";
import type { ReportName } from "../query/queries.js";
import type { Rates } from "../query/plan/input.js";
import type { RuleOptions } from "../query/plan/report-rules.js";
import type { EventRecord } from "../core/schema/event.js";
import { isKeepingFuture, type FutureEvents } from "../core/schema/instant.js";
import type { TrackQueueOptions } from "../core/schema/track-queue.js";
import type { SealWorker } from "../store/files/make-segment.js";
import type { Durability } from "../store/journal/journals.js";
import type { Storage } from "../store/storage/storage.js";
import type { QueryStats } from "./query/scan.js";
import type { Notice } from "./query/notices.js";
import type { Damage, ScrubOptions } from "./upkeep/scrub.js";

export interface DaybookOptions extends RuleOptions {
  /** Where data is stored: `memoryStorage()`, `fileStorage(directory)` of `daybook/node`, or `opfsStorage(name)` of `daybook/browser`. */
  readonly storage: Storage;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /**
   * How events and records are stored whose time is more than five minutes ahead of the clock. `adjust` (default): as of the time of receipt, and
   * results list them in `adjusted`. `keep`: as they come, for tests, plans and copies.
   */
  readonly futureEvents?: FutureEvents;
  /** How `ingest` reports rejected events, unless a call says otherwise. `list` (default): in its result. `throw`: by an error. */
  readonly onRejected?: OnRejected;
  /** Bounds and times of the queue of `track`. */
  readonly track?: TrackQueueOptions;
  /** When an ingest resolves. `disk` (default): after the sync. `os`: after the write; synced once a second. */
  readonly durability?: Durability;
  /** Bound on loaded columns and derived structures, in bytes. Dictionaries and heads are not included. Default 2 GiB. */
  readonly memoryBudgetBytes?: number;
  /**
   * `backgroundSealing()` of `daybook/node`: makes segment files of some thousand rows or more on its thread, with the same bytes. The storage must
   * have the codec of `fileStorage` or `memoryStorage`. Without it the calling thread makes them, in chunks of about a millisecond.
   */
  readonly sealWorker?: SealWorker;
  /** Opens beside a writer: no lock, no writes, a snapshot of the state at opening. Default false. */
  readonly readOnly?: boolean;
  /**
   * With `readOnly: true`: keeps up with the commits of the writer, which may be in another process. A commit shows within a second, whole, and is
   * never taken back; a query sees one snapshot, whatever the writer seals, compacts or erases meanwhile. Checks the storage five times a second
   * until it is closed, and holds each sealed file open while it shows it. Default false.
   */
  readonly follow?: boolean;
  /**
   * How damaged files are handled. `refuse` (default): opening, or the query that reads them, fails with `corruption`. `quarantine`: opening reads
   * all files once, moves damaged ones to `quarantine/` and continues without their content, which `stats` lists. Files damaged later still fail the
   * queries that need them, until the next opening.
   */
  readonly onCorruption?: "refuse" | "quarantine";
  /** Exchange rates of other currencies. Absent: amounts in them are listed as unconverted. */
  readonly rates?: Rates;
  /** Called once for each event with `notify: true`, after it is durable. Errors it throws are ignored. */
  readonly onNotify?: (event: EventRecord) => unknown;
  /** Rereads all sealed files slowly and repeatedly, and compares their checksums. Absent: only `verify` does. */
  readonly scrub?: ScrubOptions;
  /** Called once for each file that a scrub finds damaged. Errors it throws are ignored. */
  readonly onDamage?: (damage: Damage) => unknown;
  /**
   * Called for each name in a query that is no field and no metadata key of any stored event; and once for each call whose events or records were
   * stored as of the time of receipt because their own was too far ahead. Errors it throws are ignored.
   */
  readonly onNotice?: (notice: Notice) => unknown;
  /** Called after each query with the work it took. */
  readonly onWork?: (report: ReportName, stats: QueryStats) => void;
  /** Fills bytes with random bits. Default: `crypto.getRandomValues`. */
  readonly random?: (bytes: Uint8Array) => void;
}

export const KNOWN_OPTIONS: KnownOptions<DaybookOptions> = {
  storage: true,
  currency: true,
  clock: true,
  futureEvents: true,
  onRejected: true,
  track: true,
  durability: true,
  memoryBudgetBytes: true,
  sealWorker: true,
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
  rejectUnknownOptions(options, KNOWN_OPTIONS);
  // Untyped callers may pass anything.
  const given = options as Partial<DaybookOptions>;
  const { storage, currency, durability, memoryBudgetBytes, onCorruption, readOnly, follow, scrub, sealWorker, clock, futureEvents } = given;
  if (typeof storage?.read !== "function") throw unexpected("storage", "memoryStorage() or another storage", storage);
  if (currency !== undefined && !/^[A-Z]{3}$/.test(currency)) throw unexpected("currency", "an ISO 4217 code such as USD", currency);
  if (durability !== undefined && durability !== "disk" && durability !== "os") throw unexpected("durability", '"disk" or "os"', durability);
  if (memoryBudgetBytes !== undefined && !(typeof memoryBudgetBytes === "number" && memoryBudgetBytes >= 0))
    throw unexpected("memoryBudgetBytes", "a number of bytes, 0 or more", memoryBudgetBytes);
  if (sealWorker !== undefined && typeof (sealWorker as Partial<SealWorker> | null)?.make !== "function") throw unexpected("sealWorker", "backgroundSealing() of daybook/node", sealWorker);
  if (onCorruption !== undefined && onCorruption !== "refuse" && onCorruption !== "quarantine")
    throw unexpected("onCorruption", '"refuse" or "quarantine"', onCorruption);
  if (onCorruption === "quarantine" && readOnly === true) throw unexpected("onCorruption", '"refuse" when readOnly is true', onCorruption);
  isKeepingFuture(futureEvents);
  isThrowing(given.onRejected);
  if (readOnly !== undefined && typeof readOnly !== "boolean") throw unexpected("readOnly", "true or false", readOnly);
  if (follow !== undefined && typeof follow !== "boolean") throw unexpected("follow", "true or false", follow);
  if (follow === true && readOnly !== true) throw unexpected("follow", "false unless readOnly is true, as only readers follow a store", follow);
  for (const name of ["rates", "onNotify", "onNotice", "onDamage", "onWork", "random"] as const)
    if (given[name] !== undefined && typeof given[name] !== "function") throw unexpected(name, "a function", given[name]);
  if (clock !== undefined && typeof (clock as Partial<Clock> | null)?.now !== "function") throw unexpected("clock", "an object with now()", clock);
  if (scrub !== undefined && (typeof scrub !== "object" || scrub === null)) throw unexpected("scrub", "an object", scrub);
  if (scrub !== undefined) rejectUnknownOptions(scrub, KNOWN_OF_SCRUB, "scrub");
  if (scrub !== undefined && readOnly === true) throw unexpected("scrub", "none when readOnly is true, as a writer may replace the files", scrub);
  for (const [name, value] of [["bytesPerSecond", scrub?.bytesPerSecond], ["restMs", scrub?.restMs]] as const)
    if (value !== undefined && !(typeof value === "number" && value >= (name === "restMs" ? 0 : 1) && value < Infinity))
      throw unexpected(`scrub.${name}`, "a positive number", value);
}

function unexpected(option: string, expected: string, came: unknown) {
  return parameterError("invalid_parameter", option, `expected ${expected}, got ${shown(came)}`);
}
