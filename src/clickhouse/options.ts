import { systemClock, wholeClock, type Clock } from "../core/base/time.js";
import { parameterError, shown } from "../core/base/errors.js";
import { isThrowing, rejectUnknownOptions, type KnownOptions, type OnRejected } from "../core/base/options.js";
import { pooledRandom } from "../core/base/uuid.js";
import type { Rates } from "../query/plan/input.js";
import { isKeepingFuture, type FutureEvents } from "../core/schema/instant.js";
import { readTrackQueueOptions, type TrackQueueOptions } from "../core/schema/track-queue.js";
import type { RuleOptions } from "../query/plan/report-rules.js";
import type { ClickHouseClient } from "./connection/settings.js";

/** Where ClickHouse is, and the rules of answers. The rules are those of `openDaybook`, and must be the same in every process that queries. */
export interface ClickHouseOptions extends RuleOptions {
  /** The HTTP interface, such as `http://127.0.0.1:8123`; give either this or `client`. */
  readonly url?: string | URL;
  /** Default `default`. */
  readonly username?: string;
  /** Sent only to `url`, and never shown. */
  readonly password?: string;
  /** The database of one organization: a letter or `_`, then letters, digits and `_`. With `client`: the one it was made for. */
  readonly database: string;
  /** The cluster whose shards hold the rows, by its name in `remote_servers`. Absent: one server. */
  readonly cluster?: string;
  /**
   * Whether the servers of a shard hold the same rows. Absent: as in the cluster, or as in the tables. `true` creates tables that can have replicas
   * later; a value that contradicts existing tables is an error.
   */
  readonly replicas?: boolean;
  /** A client of `@clickhouse/client`, made by the application for this database; closing the Daybook closes it. Probes share its sockets. */
  readonly client?: ClickHouseClient;
  /**
   * Time limit of a statement, in ms. Default 300,000. With `client`: its own.
   * An export may take longer, as long as data arrives within the limit; erasures and deletions have none.
   */
  readonly timeoutMs?: number;
  /** Exchange rates. Absent: amounts in other currencies are left out. */
  readonly rates?: Rates;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** As in `openDaybook`: `keep` stores times more than five minutes ahead of the clock unchanged. Default `adjust`. */
  readonly futureEvents?: FutureEvents;
  /** As in `openDaybook`: `throw` makes `ingest` throw rejected events. Default `list`. */
  readonly onRejected?: OnRejected;
  /** Bounds and times of the queue of `track`. */
  readonly track?: TrackQueueOptions;
  /** Fills bytes with random bits. Default: `crypto.getRandomValues`. */
  readonly random?: (bytes: Uint8Array) => void;
}

export interface CheckedOptions {
  readonly url: string | null;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  readonly cluster: string | null;
  readonly replicas: boolean | null;
  readonly client: ClickHouseClient | null;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly keepsFuture: boolean;
  readonly throwsRejected: boolean;
  readonly track: TrackQueueOptions;
  readonly random: (bytes: Uint8Array) => void;
}

const KNOWN: KnownOptions<ClickHouseOptions> = {
  url: true,
  username: true,
  password: true,
  database: true,
  cluster: true,
  replicas: true,
  client: true,
  timeoutMs: true,
  clock: true,
  futureEvents: true,
  onRejected: true,
  track: true,
  random: true,
  rates: true,
  currency: true,
  session: true,
  pageviewSlugs: true,
  revenue: true,
  attribution: true,
};

const TIMEOUT_MS = 300_000;
/** Names become part of statements that create tables, where nothing can be bound. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** @throws invalid_parameter, unknown_parameter, exactly_one_required; no message shows a password */
export function checkClickHouseOptions(options: ClickHouseOptions): CheckedOptions {
  rejectUnknownOptions(options, KNOWN);
  const { url, client, database, cluster, replicas, currency, timeoutMs = TIMEOUT_MS, clock = systemClock, random = pooledRandom() } = options;
  if ((url === undefined) === (client === undefined))
    throw parameterError("exactly_one_required", "url", `expected exactly one of url and client, got ${url === undefined ? "neither" : "both"}`);
  if (currency !== undefined && !/^[A-Z]{3}$/.test(currency)) throw unexpected("currency", "an ISO 4217 code such as USD", currency);
  if (client !== undefined && typeof (client as Partial<ClickHouseClient> | null)?.query !== "function")
    throw unexpected("client", "a client of @clickhouse/client", client);
  if (replicas !== undefined && typeof replicas !== "boolean") throw unexpected("replicas", "true or false", replicas);
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31)) throw unexpected("timeoutMs", "a positive number", timeoutMs);
  if (typeof (clock as Partial<Clock> | null)?.now !== "function") throw unexpected("clock", "an object with now()", clock);
  for (const [name, value] of [["random", random], ["rates", options.rates]] as const)
    if (value !== undefined && typeof value !== "function") throw unexpected(name, "a function", value);
  return {
    url: url === undefined ? null : addressOf(url),
    username: textOf("username", options.username ?? "default"),
    password: textOf("password", options.password ?? ""),
    database: nameOf("database", database),
    cluster: cluster === undefined ? null : nameOf("cluster", cluster),
    replicas: replicas ?? null,
    client: client ?? null,
    timeoutMs,
    clock: wholeClock(clock),
    keepsFuture: isKeepingFuture(options.futureEvents),
    throwsRejected: isThrowing(options.onRejected),
    track: readTrackQueueOptions(options.track),
    random,
  };
}

function addressOf(url: unknown): string {
  const text = typeof url === "string" || url instanceof URL ? String(url) : "";
  const parsed = URL.canParse(text) ? new URL(text) : null;
  if (parsed === null || (parsed.protocol !== "http:" && parsed.protocol !== "https:"))
    throw parameterError("invalid_parameter", "url", "expected an http or https URL");
  if (parsed.username !== "" || parsed.password !== "" || parsed.search !== "" || parsed.hash !== "")
    throw parameterError("invalid_parameter", "url", "expected a URL without user, password, query or fragment");
  return text;
}

function nameOf(option: string, value: unknown): string {
  if (typeof value === "string" && NAME.test(value)) return value;
  throw unexpected(option, "a letter or _, then letters, digits and _", value);
}

function textOf(option: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw parameterError("invalid_parameter", option, `expected a string, got ${typeof value}`);
}

function unexpected(option: string, expected: string, came: unknown) {
  return parameterError("invalid_parameter", option, `expected ${expected}, got ${shown(came)}`);
}
