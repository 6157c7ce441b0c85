import { readFile } from "node:fs/promises";
import { DaybookError } from "../../core/base/errors.js";
import { PAGE_IDS, ROLES, SCOPES } from "../../http/access/token.js";
import type { TokenScope, TokenRecord } from "../../http/index.js";
import type { Scope } from "../../query/plan/scope.js";
import { flags, itemsOf, oneOf, readArguments, required, texts, UsageError } from "../command.js";
import { CLICKHOUSE_HELP, LOCATION_OPTIONS } from "../on-clickhouse.js";
import { organizationOf } from "../organizations.js";
import { plain, table } from "../print/format.js";
import { TOKEN_LOCATION_OPTIONS, tokenFileOf } from "../token-store.js";

export const help = `Usage: daybook token create (--data DIR | --tokens FILE) --role ROLE --scopes A,B [options]
       daybook token create --public (--data DIR | --tokens FILE) --project NAME --origins A,B [options]
       daybook token list (--data DIR | --tokens FILE)
       daybook token revoke (--data DIR | --tokens FILE) ID
       daybook token sign (--data DIR | --clickhouse URL) --scope FILE|JSON (--expires-in TIME | --expires TIME) [options]
       daybook token rotate-signing-key (--data DIR | --clickhouse URL) [options]

Creates, lists and revokes the tokens of a data directory or of a file; a running "serve" applies changes within a second.
"sign" prints a token that can only run queries within a scope. It is not stored, and its holder can read the scope.

  --data DIR            data directory or store; "create" creates a data directory if missing
  --tokens FILE         the file of "serve --tokens FILE", which a server on ClickHouse needs; "create" creates it where
                        missing, with mode 0600. An existing file is rewritten with its owner, group and mode:
                        hand-written entries keep their meaning, but values are replaced by their hashes, and defaults
                        are written out. Locked by "FILE.lock" beside it
${CLICKHOUSE_HELP}  --role ROLE           ${ROLES.join(", ")}
  --scopes A,B          of ${SCOPES.slice(0, 5).join(", ")},
                        ${SCOPES.slice(5, 9).join(", ")},
                        ${SCOPES.slice(9).join(", ")}; or * for all
  --organization NAME   default "default"
  --project NAME        the only project that the token may read and write
  --expires TIME        RFC 3339 timestamp; default: never
  --scope FILE|JSON     what a signed token opens: an object of "filterGroups", "projects", "lastDays" and others
  --expires-in TIME     of a signed token, from now: 90s, 15m, 1h, 7d; at most 24 hours
  --long-lived          allows 366 days; only a rotation of the signing key revokes a signed token
  --public              a key for use in pages: it can collect events into its project, and nothing else
  --origins A,B         their origins: https://shop.example, https://*.shop.example for its subdomains, * for any;
                        a signed token without origins works on servers only
  --ids A,B             ids that pages may send: ${PAGE_IDS.join(", ")}; default: none; visitors are counted without ids

"create" prints only the value, once, on standard output. Only its hash is stored. "rotate-signing-key" makes a new
key for later tokens. Tokens of the previous key stay valid, older ones do not: two rotations revoke all.
`;

const OPTIONS = {
  ...TOKEN_LOCATION_OPTIONS,
  ...texts("role", "scopes", "organization", "project", "expires", "origins", "ids"),
  ...flags("public"),
};

type TokenArguments = ReturnType<typeof readArguments<typeof OPTIONS>>["values"];
type NewToken = { readonly value: string; readonly record: TokenRecord };

export async function run(args: readonly string[]): Promise<void> {
  const [action, ...rest] = args;
  if (action === "create") await create(rest);
  else if (action === "list") await list(rest);
  else if (action === "revoke") await revoke(rest);
  else if (action === "sign") await sign(rest);
  else if (action === "rotate-signing-key") await rotateSigningKey(rest);
  else throw new UsageError(`expected create, list, revoke, sign or rotate-signing-key${action === undefined ? "" : `, got ${JSON.stringify(action)}`}`);
}

async function create(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, OPTIONS, false);
  const file = tokenFileOf(values);
  const organization = organizationOf(values.organization);
  const { value, record } = values.public === true ? await publicKey(values, organization) : await secretToken(values, organization);
  await file.add(record);
  process.stdout.write(`${value}\n`);
}

async function secretToken(values: TokenArguments, organization: string): Promise<NewToken> {
  refuseOptions(values, ["origins", "ids"], "requires --public");
  const role = oneOf(required(values.role, "role"), "role", ROLES);
  const scopes = listOf(required(values.scopes, "scopes"), "scopes", [...SCOPES, "*"] as readonly (TokenScope | "*")[]);
  const { createToken } = await import("../../http/index.js");
  return withOptionNames(() => createToken({ role, scopes, organization, project: values.project ?? null, expires_at: values.expires ?? null, nowMs: Date.now() }));
}

async function publicKey(values: TokenArguments, organization: string): Promise<NewToken> {
  refuseOptions(values, ["role", "scopes"], "cannot be combined with --public: a public key can only collect events");
  const project = required(values.project, "project");
  const origins = itemsOf(required(values.origins, "origins"));
  const ids = values.ids === undefined ? [] : listOf(values.ids, "ids", PAGE_IDS);
  const { createPublicKey } = await import("../../http/index.js");
  return withOptionNames(() => createPublicKey({ project, origins, ids, organization, expires_at: values.expires ?? null, nowMs: Date.now() }));
}

const SIGN_OPTIONS = { ...LOCATION_OPTIONS, ...texts("scope", "expires-in", "expires", "origins"), ...flags("long-lived") };

async function sign(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, SIGN_OPTIONS, false);
  const scope = await scopeIn(required(values.scope, "scope"));
  const options = {
    expiresIn: values["expires-in"] ?? null,
    expiresAt: values.expires ?? null,
    longLived: values["long-lived"] ?? false,
    origins: values.origins === undefined ? null : itemsOf(values.origins),
  };
  const { withScopeTokens } = await import("../scope-tokens.js");
  const token = await withScopeTokens(values, ({ organization, sign: signed }) => withSigningNames(() => signed(scope, { ...options, organization })));
  process.stdout.write(`${token}\n`);
}

/** The scope itself, or that of a file; the library checks it. */
async function scopeIn(text: string): Promise<Scope> {
  const isFile = !text.trimStart().startsWith("{");
  const json = isFile ? await readFile(text, "utf8") : text;
  try {
    return JSON.parse(json) as Scope;
  } catch (error) {
    throw new UsageError(`--scope: expected JSON${isFile ? ` in ${text}` : ""}: ${(error as Error).message}`);
  }
}

/** @throws UsageError for a fault in the options or the scope, which names the option */
async function withSigningNames(make: () => Promise<string>): Promise<string> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof DaybookError) || error.details["param"] === undefined) throw error;
    throw new UsageError(error.message.replace(/^scope\b/, "--scope").replaceAll("expiresIn", "--expires-in").replaceAll("expiresAt", "--expires").replace("longLived", "--long-lived").replace(/^origins/, "--origins"));
  }
}

async function rotateSigningKey(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, LOCATION_OPTIONS, false);
  const { withScopeTokens } = await import("../scope-tokens.js");
  const name = await withScopeTokens(values, async ({ organization, rotate }) => {
    await rotate();
    return organization;
  });
  process.stdout.write(`rotated the signing key of ${name}\n`);
}

function refuseOptions(values: TokenArguments, names: readonly (keyof TokenArguments)[], why: string): void {
  const given = names.find((name) => values[name] !== undefined);
  if (given !== undefined) throw new UsageError(`--${given} ${why}`);
}

function listOf<T extends string>(text: string, name: string, allowed: readonly T[]): T[] {
  return itemsOf(text).map((item) => oneOf(item, name, allowed));
}

function withOptionNames(make: () => NewToken): NewToken {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof DaybookError) || error.code !== "invalid_parameter") throw error;
    const { param = "", reason } = error.details;
    const [, option = param] = /^token\.(?:public\.)?(expires(?=_at)|project|origins)/.exec(param) ?? [];
    throw new UsageError(`--${option}: ${reason?.replace(/, got something else$/, "")}`);
  }
}

const HEADER = ["id", "organization", "project", "role", "scopes", "created", "state"];

async function list(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, TOKEN_LOCATION_OPTIONS, false);
  const rows = (await tokenFileOf(values).read()).map((record) => [
    record.id,
    record.organization,
    plain(record.project ?? "-", 40),
    ...rightsOf(record),
    record.created_at ?? "-",
    stateOf(record),
  ]);
  process.stdout.write(table([HEADER, ...rows], "<<<<<<<"));
}

function rightsOf({ public: rules, role, scopes }: TokenRecord): [role: string, scopes: string] {
  return rules === undefined || rules === null ? [role, scopes.join(",")] : ["public", `collects from ${plain(rules.origins.join(","), 80)}`];
}

function stateOf(record: TokenRecord): string {
  if (record.revoked_at !== null) return `revoked ${record.revoked_at}`;
  if (record.expires_at === null) return "valid";
  return Date.parse(record.expires_at) > Date.now() ? `valid until ${record.expires_at}` : `expired ${record.expires_at}`;
}

async function revoke(args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(args, TOKEN_LOCATION_OPTIONS, true);
  const file = tokenFileOf(values);
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0) throw new UsageError("expected the ID of one token (daybook token list)");
  const revokedAt = new Date().toISOString();
  await file.change((records) => {
    const found = records.find((record) => record.id === id);
    if (found === undefined) throw new Error(`${file.path}: there is no token with the id ${JSON.stringify(id)}`);
    // A hand-written file may list a token twice, or two tokens with one id.
    const hashes = new Set(records.filter((record) => record.id === id).map((record) => record.sha256));
    const isValidMatch = (record: TokenRecord) => hashes.has(record.sha256) && record.revoked_at === null;
    if (!records.some(isValidMatch)) throw new Error(`the token ${id} was already revoked at ${found.revoked_at}`);
    return records.map((record) => (isValidMatch(record) ? { ...record, revoked_at: revokedAt } : record));
  });
  process.stdout.write(`revoked ${id}\n`);
}
