import { DaybookError } from "../../base/errors.js";
import { PAGE_IDS, ROLES, SCOPES } from "../../http/access/token.js";
import type { Scope, TokenRecord } from "../../http/index.js";
import { oneOf, readArguments, required, UsageError, type Command } from "../command.js";
import { dataDirectory } from "../data-directory.js";
import { directoryOf, organizationOf, requireDirectory } from "../organizations.js";
import { plain } from "../print/format.js";
import { table } from "../print/table.js";
import { changeTokens, storedTokens } from "../token-store.js";

const help = `Usage: daybook token create --data DIR --role ROLE --scopes A,B [options]
       daybook token create --public --data DIR --project NAME --origins A,B [options]
       daybook token list --data DIR
       daybook token revoke --data DIR ID

Makes, lists and revokes the tokens of a data directory; a running "serve" sees changes within a second.

  --data DIR            data directory or store; "create" makes a data directory where absent
  --role ROLE           ${ROLES.join(", ")}
  --scopes A,B          of ${SCOPES.slice(0, 5).join(", ")},
                        ${SCOPES.slice(5).join(", ")}; or * for all
  --organization NAME   default "default"
  --project NAME        the only project the token may see and write to
  --expires TIME        RFC 3339 timestamp; default: never
  --public              a key that may stand in pages: it collects into its project, and does nothing else
  --origins A,B         of these pages: https://shop.example, https://*.shop.example for those below a host, * for any
  --ids A,B             which ids pages may tell: ${PAGE_IDS.join(", ")}; default: none, visitors are told apart without

"create" prints the value once, on standard output and nothing else. Only its hash is kept.
`;

const OPTIONS = {
  data: { type: "string" },
  role: { type: "string" },
  scopes: { type: "string" },
  organization: { type: "string" },
  project: { type: "string" },
  expires: { type: "string" },
  public: { type: "boolean" },
  origins: { type: "string" },
  ids: { type: "string" },
} as const;

type Values = ReturnType<typeof readArguments<typeof OPTIONS>>["values"];
type Made = { readonly value: string; readonly record: TokenRecord };

async function run(args: readonly string[]): Promise<void> {
  const [action, ...rest] = args;
  if (action === "create") await create(rest);
  else if (action === "list") await list(rest);
  else if (action === "revoke") await revoke(rest);
  else throw new UsageError(`expected create, list or revoke${action === undefined ? "" : `, got ${JSON.stringify(action)}`}`);
}

async function create(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, OPTIONS, false);
  const path = required(values.data, "data");
  const organization = organizationOf(values.organization);
  const { value, record } = values.public === true ? await publicKey(values, organization) : await secretToken(values, organization);
  const data = await dataDirectory(path);
  directoryOf(data, organization);
  await changeTokens(data, (records) => [...records, record]);
  process.stdout.write(`${value}\n`);
}

const ONLY_OF_SECRETS = ["role", "scopes"] as const;
const ONLY_OF_PUBLIC = ["origins", "ids"] as const;

async function secretToken(values: Values, organization: string): Promise<Made> {
  refuse(values, ONLY_OF_PUBLIC, "is for a key with --public");
  const role = oneOf(required(values.role, "role"), "role", ROLES);
  const scopes = listOf(required(values.scopes, "scopes"), "scopes", [...SCOPES, "*"] as readonly (Scope | "*")[]);
  const { createToken } = await import("../../http/index.js");
  return inOptions(() => createToken({ role, scopes, organization, project: values.project ?? null, expires_at: values.expires ?? null, nowMs: Date.now() }));
}

async function publicKey(values: Values, organization: string): Promise<Made> {
  refuse(values, ONLY_OF_SECRETS, "is not for a public key, which collects and does nothing else");
  const project = required(values.project, "project");
  const origins = required(values.origins, "origins").split(",").map((origin) => origin.trim());
  const ids = values.ids === undefined ? [] : listOf(values.ids, "ids", PAGE_IDS);
  const { createPublicKey } = await import("../../http/index.js");
  return inOptions(() => createPublicKey({ project, origins, ids, organization, expires_at: values.expires ?? null, nowMs: Date.now() }));
}

function refuse(values: Values, names: readonly (keyof Values)[], why: string): void {
  const given = names.find((name) => values[name] !== undefined);
  if (given !== undefined) throw new UsageError(`--${given} ${why}`);
}

function listOf<T extends string>(text: string, name: string, known: readonly T[]): T[] {
  return text.split(",").map((each) => oneOf(each.trim(), name, known));
}

const OPTION_OF: readonly (readonly [path: string, option: string])[] = [
  ["token.expires_at", "expires"],
  ["token.project", "project"],
  ["token.public.origins", "origins"],
];

/** What is wrong with a token, in the words of the command line. */
function inOptions(make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof DaybookError) || error.code !== "invalid_parameter") throw error;
    const { param = "", reason } = error.details;
    const option = OPTION_OF.find(([path]) => param.startsWith(path))?.[1] ?? param;
    throw new UsageError(`--${option}: ${reason?.replace(/, got another$/, "")}`);
  }
}

const HEADER = ["id", "organization", "project", "role", "scopes", "created", "state"];

async function list(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, { data: OPTIONS.data }, false);
  const data = await dataDirectory(required(values.data, "data"));
  requireDirectory(data);
  const rows = (await storedTokens(data.path)).map((record) => [
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
  const { values, positionals } = readArguments(args, { data: OPTIONS.data }, true);
  const path = required(values.data, "data");
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0) throw new UsageError("expected the ID of one token (daybook token list)");
  const data = await dataDirectory(path);
  requireDirectory(data);
  const revokedAt = new Date().toISOString();
  await changeTokens(data, (records) => {
    const found = records.find((record) => record.id === id);
    if (found === undefined) throw new Error(`${path}: there is no token with the id ${JSON.stringify(id)}`);
    if (found.revoked_at !== null) throw new Error(`the token ${id} was revoked at ${found.revoked_at} already`);
    return records.map((record) => (record === found ? { ...record, revoked_at: revokedAt } : record));
  });
  process.stdout.write(`revoked ${id}\n`);
}

export const command: Command = { help, run };
