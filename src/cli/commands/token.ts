import { DaybookError } from "../../base/errors.js";
import { ROLES, SCOPES } from "../../http/access/token.js";
import type { createToken as CreateToken, CreateTokenInput, Scope, TokenRecord } from "../../http/index.js";
import { oneOf, readArguments, required, UsageError, type Command } from "../command.js";
import { dataDirectory } from "../data-directory.js";
import { directoryOf, organizationOf, requireDirectory } from "../organizations.js";
import { plain } from "../print/format.js";
import { table } from "../print/table.js";
import { changeTokens, storedTokens } from "../token-store.js";

const help = `Usage: daybook token create --data DIR --role ROLE --scopes A,B [options]
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

"create" prints the value once, on standard output and nothing else. Only its hash is kept.
`;

const OPTIONS = {
  data: { type: "string" },
  role: { type: "string" },
  scopes: { type: "string" },
  organization: { type: "string" },
  project: { type: "string" },
  expires: { type: "string" },
} as const;

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
  const role = oneOf(required(values.role, "role"), "role", ROLES);
  const scopes = required(values.scopes, "scopes")
    .split(",")
    .map((scope) => oneOf<Scope | "*">(scope.trim(), "scopes", [...SCOPES, "*"]));
  const organization = organizationOf(values.organization);
  const { value, record } = await made({ role, scopes, organization, project: values.project ?? null, expires_at: values.expires ?? null });
  const data = await dataDirectory(path);
  directoryOf(data, organization);
  await changeTokens(data, (records) => [...records, record]);
  process.stdout.write(`${value}\n`);
}

const OPTION_OF: Readonly<Record<string, string>> = { "token.expires_at": "expires", "token.project": "project" };

async function made(input: Omit<CreateTokenInput, "nowMs">): Promise<ReturnType<typeof CreateToken>> {
  const { createToken } = await import("../../http/index.js");
  try {
    return createToken({ ...input, nowMs: Date.now() });
  } catch (error) {
    if (error instanceof DaybookError && error.code === "invalid_parameter") {
      const { param, reason } = error.details;
      throw new UsageError(`--${OPTION_OF[param ?? ""] ?? param}: ${reason?.replace(/, got another$/, "")}`);
    }
    throw error;
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
    record.role,
    record.scopes.join(","),
    record.created_at ?? "-",
    stateOf(record),
  ]);
  process.stdout.write(table([HEADER, ...rows], "<<<<<<<"));
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
