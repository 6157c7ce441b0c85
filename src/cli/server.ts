import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createHandler, loadAgentReader, loadBotTest, type TokenRecord, type ServedDaybook, type Answered, type TokenStore } from "../http/index.js";
import { memoryStorage, openDaybook } from "../index.js";
import { eventLoopLag, geoLocator, listen, loadBrowserFiles, processGauges, saltFile, sha256Hex } from "../node/index.js";
import { listenOnThreadOr } from "../node/listen-on-thread.js";
import { DaybookError } from "../base/errors.js";
import { SERVER_LIMITS } from "../base/server-limits.js";
import { byHash } from "../http/access/token.js";
import { DEFAULT_ORGANIZATION, SALTS_NAME, type DataDirectory } from "./data-directory.js";
import { openOrganization } from "./organizations.js";
import { readTokenFile, readTokens, type TokensText } from "./token-store.js";

const RELOAD_EVERY_MS = 500;

/** Hears of the tokens of a place after each change; a failure is told and tried again. */
type OnChange = (records: readonly TokenRecord[]) => Promise<void>;

/** Tokens of one place, which may change. */
class WatchedTokens {
  stored: ReadonlyMap<string, TokenRecord> = new Map();
  #text: string | null = null;
  #warning = "";

  /** @param onStored hears when `stored` is another, before `onChange` */
  constructor(
    readonly read: () => Promise<TokensText>,
    readonly onChange: OnChange,
    readonly onStored: () => void,
  ) {}

  /** Reads the tokens if their text has changed. @throws what `read` and `onChange` throw */
  async reload(): Promise<void> {
    await this.#take(await this.read());
  }

  /** The same; says what went wrong once, not twice a second. What cannot be read leaves the tokens that there were. */
  async reloadOrWarn(): Promise<void> {
    let failure = "tokens not reloaded";
    try {
      const read = await this.read();
      failure = "tokens reloaded, but not all of them can be served yet";
      await this.#take(read);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // That a store is locked is said each time with other seconds.
      const thing = error instanceof DaybookError ? String(error.details["lockFile"] ?? message) : message;
      if (thing === this.#warning) return;
      this.#warning = thing;
      process.stderr.write(`${JSON.stringify({ level: "warn", message: `${failure}: ${message}` })}\n`);
    }
  }

  async #take({ text, records }: TokensText): Promise<void> {
    if (text !== this.#text) {
      // A revoked token must fall even when the rest of the change cannot be carried out yet.
      this.stored = byHash(records);
      this.onStored();
      await this.onChange(records);
      this.#text = text;
    }
    this.#warning = "";
  }
}

/** Fixed tokens plus those of files, which are read again whenever they change. */
export class LiveTokens implements TokenStore {
  readonly #fixed: ReadonlyMap<string, TokenRecord>;
  readonly #watched: readonly WatchedTokens[];
  readonly #watchers = new Set<() => void>();
  #timer: NodeJS.Timeout | null = null;

  /** @param places what reads the tokens of each; of one token that is in several the first counts, or one that is revoked */
  constructor(fixed: readonly TokenRecord[], places: readonly (() => Promise<TokensText>)[], onChange: OnChange = () => Promise.resolve()) {
    this.#fixed = byHash(fixed);
    this.#watched = places.map((read) => new WatchedTokens(read, onChange, () => this.#watchers.forEach((watcher) => watcher())));
  }

  watch(watcher: () => void): () => void {
    // A function of its own: who watches twice ends each by itself.
    const own = () => watcher();
    this.#watchers.add(own);
    return () => void this.#watchers.delete(own);
  }

  find(sha256Hex: string): TokenRecord | undefined {
    const places = [this.#fixed, ...this.#watched.map(({ stored }) => stored)];
    const found = places.flatMap((records) => records.get(sha256Hex) ?? []);
    return found.find((record) => record.revoked_at !== null) ?? found[0];
  }

  /** Reads the tokens and keeps watching their files until `stop`. @throws like `reload` */
  async start(): Promise<void> {
    await this.reload();
    const next = (): void => {
      this.#timer = setTimeout(() => {
        void Promise.all(this.#watched.map((watched) => watched.reloadOrWarn())).then(() => {
          if (this.#timer !== null) next();
        });
      }, RELOAD_EVERY_MS);
    };
    if (this.#watched.length > 0) next();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Reads the tokens that have changed. @throws what reading and hearing of them throws */
  async reload(): Promise<void> {
    for (const watched of this.#watched) await watched.reload();
  }
}

const SECOND_MS = 1_000;

/** Tells of requests on stderr, one JSON object a line: never what was asked, nor who asked. */
export class RequestLog {
  #secondMs = 0;
  #lineCount = 0;
  #leftOutCount = 0;

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

  /** Messages of errors that are not ours may quote what a caller sent: of these only the place is told. */
  defect(thrown: unknown, requestId: string): void {
    const message = thrown instanceof DaybookError ? `${thrown.code}: ${thrown.message}` : thrown instanceof Error ? thrown.name : typeof thrown;
    const stack = thrown instanceof Error ? (thrown.stack ?? "").split("\n").filter((line) => line.startsWith("    at ")) : [];
    this.#line({ level: "error", request_id: requestId, message, stack: stack.map((line) => line.trim()) });
  }

  #line(entry: object): void {
    const nowMs = this.nowMs();
    if (nowMs - this.#secondMs >= SECOND_MS) {
      if (this.#leftOutCount > 0) this.#write(nowMs, { level: "warn", message: "lines were left out", count: this.#leftOutCount });
      this.#secondMs = nowMs;
      this.#lineCount = 0;
      this.#leftOutCount = 0;
    }
    this.#lineCount += 1;
    if (this.#lineCount > SERVER_LIMITS.logLinesPerSec) this.#leftOutCount += 1;
    else this.#write(nowMs, entry);
  }

  #write(nowMs: number, entry: object): void {
    this.write(`${JSON.stringify({ time: new Date(nowMs).toISOString(), ...entry })}\n`);
  }
}

/** The questions of the page that read what is kept of all time, those first that it asks first. */
const QUESTIONS: readonly ((daybook: ServedDaybook, project: string, signal: AbortSignal) => Promise<unknown>)[] = [
  (daybook, project, signal) => daybook.webOverview({ project }, { signal }),
  (daybook, _, signal) => daybook.topCompanies({}, { signal }),
  (daybook, project, signal) => daybook.ltvCohorts({ project }, { signal }),
  (daybook, project, signal) => daybook.revenueByAttribution({ project }, { signal }),
];

/**
 * Asks what the page asks of the project with the most events, before anybody does: sessions, payments, touches and who was seen are then in memory,
 * within the budget. One question after the other, each of which gives others their turns; what somebody asks meanwhile waits for what it needs.
 * Where several organizations have events, nothing is asked. Never rejects: who asks again hears what went wrong. Cost: all rows, once.
 */
export async function warm(organizations: Iterable<ServedDaybook>, signal: AbortSignal): Promise<void> {
  try {
    const [daybook, ...others] = await withEvents(organizations);
    if (daybook === undefined || others.length > 0) return;
    const [busiest] = await daybook.aggregate({ field: "project", limit: 1 }, { signal });
    if (busiest === undefined) return;
    for (const ask of QUESTIONS) await ask(daybook, busiest.property, signal);
  } catch {
    // Stopped, or damaged: a question that is asked says so.
  }
}

/** The default organization is always open, and often empty. */
async function withEvents(organizations: Iterable<ServedDaybook>): Promise<ServedDaybook[]> {
  const found: ServedDaybook[] = [];
  for (const daybook of organizations) if (((await daybook.stats?.())?.eventCount ?? 0) > 0) found.push(daybook);
  return found;
}

export interface ServerOptions {
  /** null: everything stays in memory. */
  readonly data: DataDirectory | null;
  readonly host: string;
  readonly port: number;
  readonly currency: string | undefined;
  /** Tokens besides those that are stored. */
  readonly tokens: readonly TokenRecord[];
  /** A file of tokens, beside those of the data directory. */
  readonly tokenFile?: string | undefined;
  /** True: tokens count that are short enough to be guessed. */
  readonly insecure?: boolean;
  /** How long a question may take. Default: that of a handler. */
  readonly questionMs?: number;
  /** True: every request is told of on stderr. Defects always are. */
  readonly logsRequests: boolean;
  /** True: no thread for the sockets. A machine of one core has none anyway. */
  readonly oneThread: boolean;
  /** True: what questions read of all time is loaded when the first one asks for it. Else it is read ahead, where one organization has events. */
  readonly cold: boolean;
  /** What browsers get and send. */
  readonly web: WebOptions;
  /** Organizations that are open already; the server closes them. */
  readonly open?: Readonly<Record<string, OpenedDaybook>>;
  /** Opens an organization that a token names, where it is neither open nor in `data`. Default: in memory. */
  readonly others?: (name: string) => Promise<OpenedDaybook>;
}

/** What can be served, and let go of. */
export type OpenedDaybook = ServedDaybook & { close(): Promise<void> };

export interface WebOptions {
  /** True: the page that shows the numbers. */
  readonly page: boolean;
  /** Proxies whose word on addresses is believed. */
  readonly trustProxy: readonly string[];
  /** File of places by address. */
  readonly geo: string | undefined;
  /** True: who does not want to be measured is not. */
  readonly honorGpc: boolean;
}

export interface RunningServer {
  readonly url: string;
  /** Reads the stored tokens now instead of within half a second. */
  reloadTokens(): Promise<void>;
  /** Stops accepting, finishes what is in flight, seals and releases every store. */
  close(): Promise<void>;
}

/** Serves a store, or all organizations of a data directory; those that a later token names are opened when it appears. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const daybooks = new Map<string, OpenedDaybook>(Object.entries(options.open ?? {}));
  const { data, tokenFile, insecure = false } = options;
  const places = [
    ...(tokenFile === undefined ? [] : [() => readTokenFile(tokenFile, { insecure })]),
    ...(data === null ? [] : [() => readTokens(data.path, { insecure })]),
  ];
  const tokens = new LiveTokens(options.tokens, places, async (records) => {
    await openAll(namedBy(records));
  });
  const [readAgent, isBot, files, locate] = await Promise.all([
    loadAgentReader(),
    loadBotTest(),
    loadBrowserFiles({ page: options.web.page }),
    options.web.geo === undefined ? () => ({}) : geoLocator(options.web.geo),
  ]);
  let isStarting = true;

  const openAll = async (names: Iterable<string>): Promise<void> => {
    for (const name of new Set(names)) {
      if (daybooks.has(name)) continue;
      daybooks.set(name, await openOne(options, name, isStarting));
    }
  };
  const closeAll = async (): Promise<void> => {
    tokens.stop();
    await Promise.all([...daybooks.values()].map((daybook) => daybook.close()));
  };

  try {
    await openAll([DEFAULT_ORGANIZATION, ...(options.data?.names ?? []), ...namedBy(options.tokens)]);
    await tokens.start();
    // What a later token names must not keep us from hearing that another was revoked; it is tried again with the next look at the tokens.
    isStarting = false;
    // Not before: opening stores takes the thread for long, and is over.
    const lag = eventLoopLag();
    const log = new RequestLog((text) => void process.stderr.write(text), Date.now);
    const handler = createHandler({
      organizations: daybooks,
      tokens,
      readAgent,
      files,
      trustProxy: options.web.trustProxy,
      collect: { isBot, locate, honorGpc: options.web.honorGpc, ...(options.data === null ? {} : { salts: saltFile(join(options.data.path, SALTS_NAME)) }) },
      sha256Hex,
      lagMs: lag.lagMs,
      ...(options.questionMs === undefined ? {} : { limits: { questionMs: options.questionMs } }),
      processGauges: () => ({ ...processGauges(), daybook_event_loop_lag_seconds: lag.lagMs() / 1_000 }),
      onDefect: (thrown, requestId) => log.defect(thrown, requestId),
      ...(options.logsRequests ? { onAnswer: (answered) => log.answered(answered) } : {}),
    });
    const address = { host: options.host, port: options.port };
    const isAlone = options.oneThread || availableParallelism() === 1;
    const listening = await (isAlone ? listen(handler, address) : listenOnThreadOr((text) => void process.stderr.write(`daybook: ${text}\n`), handler, address));
    const stopping = new AbortController();
    const warming = options.cold || options.data === null ? null : warm([...daybooks.values()], stopping.signal);
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
      throw new Error(`port ${options.port} on ${options.host} is in use: give another with --port (0 = any free one)`, { cause: error });
    }
    throw error;
  }
}

/** Organizations that somebody may ask for. */
function namedBy(records: readonly TokenRecord[]): string[] {
  return records.filter((record) => record.revoked_at === null).map((record) => record.organization);
}

function openOne(options: ServerOptions, name: string, waits: boolean): Promise<OpenedDaybook> {
  if (options.others !== undefined) return options.others(name);
  if (options.data !== null) return openOrganization(options.data, name, { currency: options.currency, waits });
  return openDaybook({ storage: memoryStorage(), ...(options.currency === undefined ? {} : { currency: options.currency }) });
}

/** How long a stop may take before the process ends anyway. */
const STOP_MS_MAX = 15_000;

/** Ends the process after SIGTERM or SIGINT and an orderly close; a second signal ends it at once. */
export async function untilStopped(server: RunningServer): Promise<void> {
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
  // What a stopped question began to load goes on, and would keep the process for as long as that takes.
  process.exit();
}
