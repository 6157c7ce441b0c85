import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createHandler, loadUserAgentParser, loadBotTest, type TokenRecord, type ServedDaybook, type Answered, type TokenStore } from "../http/index.js";
import { eventLoopLag, geoLocator, listen, loadBrowserFiles, processGauges, saltFile, sha256Hex } from "../platform/node/index.js";
import { listenOnWorkerOr } from "../platform/node/listen-on-worker.js";
import { DaybookError } from "../core/base/errors.js";
import { SERVER_LIMITS } from "../core/base/server-limits.js";
import { byHash } from "../http/access/token.js";
import { SALTS_NAME, type DataDirectory } from "../platform/node/data-directory.js";
import { StoresInMemory, StoresOnDisk, type StoresOptions } from "./served-stores.js";
import { readTokenFile, readTokens, type TokensText } from "./token-store.js";

const RELOAD_INTERVAL_MS = 500;

/** Called with the tokens of one source after each change. A failure is reported, and the call repeated. */
type OnChange = (records: readonly TokenRecord[]) => Promise<void>;

class WatchedTokens {
  stored: ReadonlyMap<string, TokenRecord> = new Map();
  #text: string | null = null;
  #warning = "";

  /** @param onStored called when `stored` is replaced, before `onChange` */
  constructor(
    readonly read: () => Promise<TokensText>,
    readonly onChange: OnChange,
    readonly onStored: () => void,
  ) {}

  async reload(): Promise<void> {
    await this.#apply(await this.read());
  }

  /** Like `reload`, but prints each failure once instead of throwing it. If the tokens are unreadable, the previous ones stay in force. */
  async reloadOrWarn(): Promise<void> {
    let failure = "tokens not reloaded";
    try {
      const read = await this.read();
      failure = "tokens reloaded, but not all of them can be served yet";
      await this.#apply(read);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // The message of a locked store contains a changing number of seconds, so compare the lock file instead.
      const subject = error instanceof DaybookError ? String(error.details["lockFile"] ?? message) : message;
      if (subject === this.#warning) return;
      this.#warning = subject;
      process.stderr.write(`${JSON.stringify({ level: "warn", message: `${failure}: ${message}` })}\n`);
    }
  }

  async #apply({ text, records }: TokensText): Promise<void> {
    if (text !== this.#text) {
      // A revoked token must stop working even if the rest of the change cannot be applied yet.
      this.stored = byHash(records);
      this.onStored();
      await this.onChange(records);
      this.#text = text;
    }
    this.#warning = "";
  }
}

/** Fixed tokens, and tokens of files, which are reread when they change. */
export class LiveTokens implements TokenStore {
  readonly #fixed: ReadonlyMap<string, TokenRecord>;
  readonly #watched: readonly WatchedTokens[];
  readonly #watchers = new Set<() => void>();
  #timer: NodeJS.Timeout | null = null;

  /** @param sources read the tokens of one source each; if several contain a token, a revoked record wins, else the first */
  constructor(fixed: readonly TokenRecord[], sources: readonly (() => Promise<TokensText>)[], onChange: OnChange = () => Promise.resolve()) {
    this.#fixed = byHash(fixed);
    this.#watched = sources.map((read) => new WatchedTokens(read, onChange, () => this.#watchers.forEach((watcher) => watcher())));
  }

  watch(watcher: () => void): () => void {
    // A new function per call, so that two subscriptions of one watcher end separately.
    const own = () => watcher();
    this.#watchers.add(own);
    return () => void this.#watchers.delete(own);
  }

  find(sha256Hex: string): TokenRecord | undefined {
    const sources = [this.#fixed, ...this.#watched.map(({ stored }) => stored)];
    const found = sources.flatMap((records) => records.get(sha256Hex) ?? []);
    return found.find((record) => record.revoked_at !== null) ?? found[0];
  }

  async start(): Promise<void> {
    await this.reload();
    const next = (): void => {
      this.#timer = setTimeout(() => {
        void Promise.all(this.#watched.map((watched) => watched.reloadOrWarn())).then(() => {
          if (this.#timer !== null) next();
        });
      }, RELOAD_INTERVAL_MS);
    };
    if (this.#watched.length > 0) next();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async reload(): Promise<void> {
    for (const watched of this.#watched) await watched.reload();
  }
}

const SECOND_MS = 1_000;

/** Logs requests as one JSON object per line. Leaves out queries and callers. */
export class RequestLog {
  #secondMs = 0;
  #lineCount = 0;
  #droppedCount = 0;

  constructor(
    readonly write: (text: string) => void,
    readonly nowMs: () => number,
  ) {}

  answered({ requestId, method, route, status, code, organization, durationMs }: Answered): void {
    if (route === "/healthz" && status === 200) return;
    const level = status >= 500 && code !== "overloaded" ? "error" : "info";
    const rounded = Math.round(durationMs * 10) / 10;
    this.#line({ level, request_id: requestId, method, route, status, code: code ?? undefined, organization, duration_ms: rounded });
  }

  /** Messages of foreign errors may quote a caller's input: log only their type and stack. */
  defect(thrown: unknown, requestId: string): void {
    const message = thrown instanceof DaybookError ? `${thrown.code}: ${thrown.message}` : thrown instanceof Error ? thrown.name : typeof thrown;
    const stack = thrown instanceof Error ? (thrown.stack ?? "").split("\n").filter((line) => line.startsWith("    at ")) : [];
    this.#line({ level: "error", request_id: requestId, message, stack: stack.map((line) => line.trim()) });
  }

  #line(entry: object): void {
    const nowMs = this.nowMs();
    if (nowMs - this.#secondMs >= SECOND_MS) {
      if (this.#droppedCount > 0) this.#write(nowMs, { level: "warn", message: "log lines were dropped", count: this.#droppedCount });
      this.#secondMs = nowMs;
      this.#lineCount = 0;
      this.#droppedCount = 0;
    }
    this.#lineCount += 1;
    if (this.#lineCount > SERVER_LIMITS.logLinesPerSec) this.#droppedCount += 1;
    else this.#write(nowMs, entry);
  }

  #write(nowMs: number, entry: object): void {
    this.write(`${JSON.stringify({ time: new Date(nowMs).toISOString(), ...entry })}\n`);
  }
}

const WARM_UP_QUERIES: readonly ((daybook: ServedDaybook, project: string, signal: AbortSignal) => Promise<unknown>)[] = [
  (daybook, project, signal) => daybook.webOverview({ project }, { signal }),
  (daybook, _, signal) => daybook.topCompanies({}, { signal }),
  (daybook, project, signal) => daybook.ltvCohorts({ project }, { signal }),
  // The first query finds the labels of its payments alone; the second makes the table.
  (daybook, project, signal) => daybook.revenueByAttribution({ project }, { signal }),
  (daybook, project, signal) => daybook.revenueByAttribution({ project }, { signal }),
];

/** Caches for later requests what the dashboard's queries need, unless several organizations have events. Never rejects. Reads all rows once. */
export async function warm(organizations: Iterable<ServedDaybook>, signal: AbortSignal): Promise<void> {
  try {
    const [daybook, ...others] = await withEvents(organizations);
    if (daybook === undefined || others.length > 0) return;
    const [busiest] = await daybook.aggregate({ field: "project", limit: 1 }, { signal });
    if (busiest === undefined) return;
    for (const run of WARM_UP_QUERIES) await run(daybook, busiest.property, signal);
  } catch {
    // Aborted or damaged: later queries report it.
  }
}

/** The organizations that have events: the default one is always open, and often empty. */
async function withEvents(organizations: Iterable<ServedDaybook>): Promise<ServedDaybook[]> {
  const found: ServedDaybook[] = [];
  for (const daybook of organizations) if (((await daybook.stats?.())?.eventCount ?? 0) > 0) found.push(daybook);
  return found;
}

export interface ServerOptions extends StoresOptions {
  /** Null: keep everything in memory. */
  readonly data: DataDirectory | null;
  readonly host: string;
  readonly port: number;
  readonly tokens: readonly TokenRecord[];
  readonly tokenFile?: string | undefined;
  /** True: accept secret tokens that are short enough to be guessed. */
  readonly insecure?: boolean;
  /** Time limit of a query in ms. Default: that of the handler. */
  readonly queryMs?: number;
  readonly logsRequests: boolean;
  /** True: handle sockets on the main thread, as on a machine with one core. */
  readonly oneThread: boolean;
  /** True: load all-time tables on first use. False: load them at the start if only one organization has events. */
  readonly cold: boolean;
  readonly web: WebOptions;
}

export interface WebOptions {
  readonly page: boolean;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustProxy: readonly string[];
  readonly geo: string | undefined;
  /** True: store nothing from browsers that send `Sec-GPC: 1`. */
  readonly honorGpc: boolean;
  /** Origins whose pages may frame the dashboard. */
  readonly frameAncestors: readonly string[];
}

interface RunningServer {
  readonly url: string;
  /** Rereads the stored tokens now, instead of within half a second. */
  reloadTokens(): Promise<void>;
  /** Stops accepting requests, finishes those in flight, seals and releases every store. */
  close(): Promise<void>;
}

/** Serves a store, or all organizations of a data directory; organizations that a later token names are created when it appears. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { data, tokenFile, insecure = false } = options;
  let isStarting = true;
  const served = data === null ? new StoresInMemory(options) : new StoresOnDisk(data, options, () => isStarting);
  const sources = [
    ...(tokenFile === undefined ? [] : [() => readTokenFile(tokenFile, { insecure })]),
    ...(data === null ? [] : [() => readTokens(data.path, { insecure })]),
  ];
  const tokens = new LiveTokens(options.tokens, sources, async (records) => {
    await served.ensure(organizationsOf(records));
  });
  const [parseUserAgent, isBot, files, locate] = await Promise.all([
    loadUserAgentParser(),
    loadBotTest(),
    loadBrowserFiles({ page: options.web.page }),
    options.web.geo === undefined ? () => ({}) : geoLocator(options.web.geo),
  ]);
  const closeAll = async (): Promise<void> => {
    tokens.stop();
    await served.close();
  };

  try {
    await served.start();
    await served.ensure(organizationsOf(options.tokens));
    await tokens.start();
    // From now on, do not wait for locks: opening a store for a new token must not delay revocations. It is retried at the next poll.
    isStarting = false;
    // Measure lag only from now on: opening stores blocks the thread.
    const lag = eventLoopLag();
    const log = new RequestLog((text) => void process.stderr.write(text), Date.now);
    const handler = createHandler({
      organizations: served.organizations,
      tokens,
      parseUserAgent,
      files,
      trustProxy: options.web.trustProxy,
      frameAncestors: options.web.frameAncestors,
      collect: { isBot, locate, honorGpc: options.web.honorGpc, ...(options.data === null ? {} : { salts: saltFile(join(options.data.path, SALTS_NAME)) }) },
      sha256Hex,
      lagMs: lag.lagMs,
      ...(options.queryMs === undefined ? {} : { limits: { queryMs: options.queryMs } }),
      processGauges: () => ({ ...processGauges(), daybook_event_loop_lag_seconds: lag.lagMs() / 1_000 }),
      onDefect: (thrown, requestId) => log.defect(thrown, requestId),
      ...(options.logsRequests ? { onAnswer: (answered) => log.answered(answered) } : {}),
    });
    const address = { host: options.host, port: options.port };
    const isSingleThreaded = options.oneThread || availableParallelism() === 1;
    const listening = await (isSingleThreaded ? listen(handler, address) : listenOnWorkerOr((text) => void process.stderr.write(`daybook: ${text}\n`), handler, address));
    const stopping = new AbortController();
    const warming = options.cold || options.data === null ? null : warm(served.opened(), stopping.signal);
    return {
      url: listening.url,
      reloadTokens: () => tokens.reload(),
      close: async () => {
        tokens.stop();
        await listening.close();
        handler.stop();
        lag.stop();
        stopping.abort();
        await warming;
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
      throw new Error(`port ${options.port} on ${options.host} is in use: choose another one with --port (0 = any free port)`, { cause: error });
    }
    throw error;
  }
}

function organizationsOf(records: readonly TokenRecord[]): string[] {
  return records.filter((record) => record.revoked_at === null).map((record) => record.organization);
}

/** Then the process exits anyway. */
const STOP_MS_MAX = 15_000;

/** Closes the server on SIGTERM or SIGINT, then exits; a second signal exits at once. */
export async function closeOnSignal(server: RunningServer): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        resolve();
      });
    }
  });
  setTimeout(() => {
    process.stderr.write("daybook: could not stop in time\n");
    process.exit(1);
  }, STOP_MS_MAX).unref();
  await server.close();
  // Exit here: loads of aborted queries continue, and would delay the exit.
  process.exit();
}
