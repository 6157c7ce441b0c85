import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { createToken, parseTokens, type TokenRecord } from "../../http/index.js";
import { OPEN_STORE_COUNT } from "../../platform/node/open-organizations.js";
import { currencyOf, flags, itemsOf, portOf, readArguments, texts, UsageError, wholeNumberOf } from "../command.js";
import { DEFAULT_ORGANIZATION, dataDirectory } from "../../platform/node/data-directory.js";
import { CLICKHOUSE_HELP, CLICKHOUSE_OPTIONS, isOnClickHouse, openOnClickHouse } from "../on-clickhouse.js";
import { startServer, closeOnSignal, type WebOptions } from "../server.js";
import { isRereadable, changeTokens, messageOf, readTokenFile, storedTokens } from "../token-store.js";

export const help = `Usage: daybook serve [--data DIR | --memory | --clickhouse URL] [options]

Serves the HTTP API and the dashboard until SIGTERM or SIGINT; then finishes requests in progress and exits.

  --data DIR            data directory with one store per organization, or a single store, which is the organization
                        "default"; created if missing, default "./data"
  --memory              store everything in memory instead
${CLICKHOUSE_HELP}  --host HOST           default 127.0.0.1
  --port N              default 8787; 0 = any free port
  --tokens FILE         JSON array of { "token" | "sha256", "organization"?, "role", "scopes", "project"?,
                        "expires_at"? }; changes take effect at once; if the file cannot be read, serve warns and keeps
                        the previous tokens. A pipe, or anything else that is not a regular file, is read once, at the
                        start
  --insecure-token      accept secret tokens of fewer than 22 characters, which can be guessed
  --query-seconds N     time limit of a query, 1 to 3600, default 30; then it is stopped with query_timeout
  --quiet               do not log requests on stderr
  --one-thread          read requests on the thread that answers them: saves some 50 MiB and speeds up small queries,
                        but slows down refusing requests under overload. Always on if the machine has one core
  --cold                do not load at the start what all-time queries need: the first such queries take longer. Always
                        on if several organizations have events
  --trust-proxy A,B     proxies whose X-Forwarded-For is trusted: addresses or networks like 127.0.0.1/8; default: none
  --geo FILE            locates addresses: a database of countries or cities in MaxMind's format (.mmdb)
  --honor-gpc           store nothing from browsers that send Sec-GPC: 1
  --no-page             do not serve the dashboard
  --frame-ancestors A,B
                        origins whose pages may frame the dashboard, like https://app.example; default: none
  --max-open N          organizations of DIR, besides "default", that are open at a time, 1 to 10000, default 100. Others are
                        opened when a request needs them, and closed after five idle minutes or when another one
                        needs the place
  --currency CODE       reporting currency of new organizations, default USD

Environment: DAYBOOK_TOKEN=sk_... is an owner token with all scopes for the organization "default"; at least 22
characters. Tokens created or revoked by "daybook token" take effect at once, in DIR and in FILE. If there is no token
at all, an owner token is created and shown once.
`;

/** Minimum timeout of ClickHouse statements, in ms: inserts may take longer than queries. */
const STATEMENT_TIMEOUT_MS = 300_000;

export const DEFAULT_DATA_DIRECTORY = "./data";

const OPTIONS = {
  ...CLICKHOUSE_OPTIONS,
  ...texts("data", "host", "port", "tokens", "currency", "query-seconds", "trust-proxy", "geo", "frame-ancestors", "max-open"),
  ...flags("memory", "insecure-token", "quiet", "one-thread", "cold", "honor-gpc", "no-page"),
};

export async function run(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, OPTIONS, false);
  if (values.memory === true && values.data !== undefined) throw new UsageError("--data and --memory cannot be combined");
  const port = portOf(values.port ?? "8787");
  const currency = currencyOf(values.currency);
  const queryMs = wholeNumberOf(values["query-seconds"] ?? String(SERVER_LIMITS.queryMs / 1_000), "query-seconds", 1, SERVER_LIMITS.queryMsMax / 1_000) * 1_000;
  const maxOpen = wholeNumberOf(values["max-open"] ?? String(OPEN_STORE_COUNT), "max-open", 1, 10_000);
  const insecure = values["insecure-token"] === true;
  const tokenFile = values.tokens !== undefined && (await isRereadable(values.tokens)) ? values.tokens : undefined;
  const fixed = environmentTokens(insecure);
  const tokens = [...fixed, ...(values.tokens === undefined ? [] : (await readTokenFile(values.tokens, { insecure })).records)];
  const isRemote = isOnClickHouse(values, { data: values.data, memory: values.memory });
  // Do not generate a token: it could not be stored, so each start would print another one.
  if (isRemote && !tokens.some(isSecret)) throw new UsageError("--clickhouse requires a token, from --tokens or DAYBOOK_TOKEN");
  const clickHouseOptions = { timeoutMs: Math.max(queryMs, STATEMENT_TIMEOUT_MS), ...(currency === undefined ? {} : { currency }) };
  const clickHouseDaybook = isRemote ? await openOnClickHouse(values, clickHouseOptions) : null;
  const data = values.memory === true || clickHouseDaybook !== null ? null : await dataDirectory(values.data ?? DEFAULT_DATA_DIRECTORY);
  const needsToken = tokens.length === 0 && (data === null || !(await storedTokens(data.path, { insecure })).some(isSecret));
  const ownerToken = needsToken ? createToken({ role: "owner", scopes: ["*"], nowMs: Date.now() }) : null;
  const host = values.host ?? "127.0.0.1";
  const memoryTokens = ownerToken !== null && data === null ? [ownerToken.record] : [];
  const web: WebOptions = {
    page: values["no-page"] !== true,
    trustProxy: values["trust-proxy"] === undefined ? [] : itemsOf(values["trust-proxy"]),
    geo: values.geo,
    honorGpc: values["honor-gpc"] === true,
    frameAncestors: values["frame-ancestors"] === undefined ? [] : itemsOf(values["frame-ancestors"]),
  };
  const logsRequests = values.quiet !== true;
  const clickHouse = clickHouseDaybook === null ? {} : { open: { [DEFAULT_ORGANIZATION]: clickHouseDaybook }, openOther: refuseOther };
  const { cold = false, "one-thread": oneThread = false } = values;
  const tokenOptions = { tokens: [...(tokenFile === undefined ? tokens : fixed), ...memoryTokens], tokenFile, insecure };
  const server = await startServer({ ...clickHouse, ...tokenOptions, data, host, port, currency, queryMs, maxOpen, logsRequests, oneThread, cold, web });
  if (ownerToken !== null) {
    // Store it only after the start: a failed start must not store a token that was never shown.
    if (data !== null) await changeTokens(data, (records) => [...records, ownerToken.record]);
    await server.reloadTokens();
    process.stdout.write(`owner token, shown only once: ${ownerToken.value}\n`);
  }
  if (web.page) process.stdout.write(`page: ${server.url}/${ownerToken === null ? "" : `#token=${ownerToken.value}`}\n`);
  process.stdout.write(`daybook listening on ${server.url}\n`);
  await closeOnSignal(server);
}

function refuseOther(name: string): never {
  throw new UsageError(`there is no organization ${JSON.stringify(name)}: a database on ClickHouse stores a single organization, named "${DEFAULT_ORGANIZATION}"`);
}

function isSecret({ public: rules, revoked_at: revokedAt }: TokenRecord): boolean {
  return (rules === undefined || rules === null) && revokedAt === null;
}

/** @throws UsageError, without the value */
export function environmentTokens(insecure: boolean): TokenRecord[] {
  const value = process.env["DAYBOOK_TOKEN"];
  if (value === undefined || value === "") return [];
  try {
    return parseTokens(JSON.stringify([{ token: value, role: "owner", scopes: ["*"] }]), { insecure });
  } catch (error) {
    throw new UsageError(messageOf(error).replace("tokens[0].token", "DAYBOOK_TOKEN"), { cause: error });
  }
}
