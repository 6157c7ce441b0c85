import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createHandler, loadAgentReader, loadBotTest, type TokenRecord } from "../http/index.js";
import { memoryStorage, openDaybook } from "../index.js";
import type { ServedDaybook } from "../http/index.js";
import { eventLoopLag, geoLocator, listen, loadBrowserFiles, processGauges, saltFile, sha256Hex } from "../node/index.js";
import { listenOnThreadOr } from "../node/listen-on-thread.js";
import { DEFAULT_ORGANIZATION, SALTS_NAME, type DataDirectory } from "./data-directory.js";
import { LiveTokens } from "./live-tokens.js";
import { openOrganization } from "./organizations.js";
import { RequestLog } from "./request-log.js";
import { readTokenFile, readTokens } from "./token-store.js";
import { warm } from "./warm.js";

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
