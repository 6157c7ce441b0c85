import { parseTimestamp, type Clock } from "../../core/base/time.js";
import { DaybookError } from "../../core/base/errors.js";
import type { Scope, TokenRecord } from "./token.js";
import type { TokenStore } from "./tokens.js";
import type { IngestResult } from "../../core/schema/event.js";
import type { ReportName } from "../../query/queries.js";
import type { Daybook } from "../../engine/daybook.js";

/** Rights that a route requires, checked in the order of the members. */
export interface RequiredAccess {
  /** Null: no scope is required. */
  readonly scope: Scope | null;
  /** The lowest role; absent: any. */
  readonly role?: "admin";
  /** True: tokens of one project are refused. */
  readonly organizationWide?: boolean;
  /** True: the token may also be the user name of Basic authentication, with an empty password. */
  readonly basic?: boolean;
}

const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/** The decoded credentials must be a user name and a colon: the password is empty. */
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i;
const USER_NAME = /^([A-Za-z0-9._~+/-]+=*):$/;

/** The token in an Authorization header; undefined if there is none. @param acceptsBasic also reads the user name of Basic authentication */
export function tokenIn(header: string | null, acceptsBasic = false): string | undefined {
  return BEARER.exec(header ?? "")?.[1] ?? (acceptsBasic ? userNameOf(header ?? "") : undefined);
}

/** The error for a request without a token. @param acceptsBasic the message also names Basic authentication */
export function missingToken(acceptsBasic: boolean): DaybookError {
  const basicHint = acceptsBasic ? ", or Basic with the token as user name and no password" : "";
  return new DaybookError("missing_token", `expected the header Authorization: Bearer <token>${basicHint}`);
}

/** Routes for secret tokens refuse public keys, and routes for public keys refuse secret tokens. */
export type TokenKind = "secret" | "public";

/** Finds the record of a valid token by its hash. @throws invalid_token (one error for unknown, expired, revoked, and the other kind) */
export async function findValidToken(hash: string, kind: TokenKind, tokens: TokenStore, clock: Clock): Promise<TokenRecord> {
  const record = await tokens.find(hash);
  const isKnown = record !== undefined && equalInConstantTime(record.sha256, hash);
  if (!isKnown || !isValid(record, clock.now()) || kindOf(record) !== kind) throw invalidToken();
  return record;
}

function kindOf(record: TokenRecord): TokenKind {
  return record.public === undefined || record.public === null ? "secret" : "public";
}

/** The one error for every token that is not valid. */
export function invalidToken(): DaybookError {
  return new DaybookError("invalid_token", "the token is unknown, expired or revoked");
}

/**
 * @param prefix of the message: what requires the rights
 * @throws insufficient_scope, insufficient_role, organization_token_required, in this order
 */
export function authorize(access: RequiredAccess, token: TokenRecord, prefix = ""): void {
  if (access.scope !== null && !token.scopes.includes("*") && !token.scopes.includes(access.scope)) {
    throw new DaybookError("insufficient_scope", `${prefix}expected a token with the scope ${access.scope}`);
  }
  if (access.role === "admin" && token.role !== "owner" && token.role !== "admin") {
    throw new DaybookError("insufficient_role", `${prefix}expected a token with the role owner or admin, got ${token.role}`);
  }
  if (access.organizationWide === true && token.project !== null) {
    throw new DaybookError("organization_token_required", `${prefix}expected an organization token, got a project token`);
  }
}

/**
 * The project whose rows a caller may read: the one in the path, else the token's, else null for the whole organization.
 * @throws project_not_found (the same message for unknown projects and for those of others)
 */
export async function projectOf(requested: string | undefined, token: TokenRecord, daybook: ServedDaybook): Promise<string | null> {
  if (requested === undefined) return token.project;
  if ((token.project !== null && token.project !== requested) || !(await daybook.projects()).includes(requested)) {
    throw new DaybookError("project_not_found", "project_id: no such project", { param: "project_id" });
  }
  return requested;
}

function userNameOf(header: string): string | undefined {
  const encoded = BASIC.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  try {
    return USER_NAME.exec(atob(encoded))?.[1];
  } catch {
    return undefined;
  }
}

/** A time that cannot be parsed counts as past. */
function isValid(record: TokenRecord, nowMs: number): boolean {
  if (record.revoked_at !== null) return false;
  return record.expires_at === null || (parseTimestamp(record.expires_at) ?? 0) > nowMs;
}

/** Compares in constant time, so that a response time reveals nothing about a hash. */
function equalInConstantTime(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < other.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}

/** The error for an alias sent with a token of one project: it would change identities in all projects. */
export function aliasRefused(): DaybookError {
  return new DaybookError(
    "organization_token_required",
    "alias: expected an organization token, got a project token; an alias changes identities in every project",
  );
}

/**
 * Hides rejections that a token may not see. For a token of one project, an event or record of an erased person counts as accepted, because the
 * rejection would reveal a person of another project.
 */
export function hideSuppressed<Result extends Pick<IngestResult, "accepted" | "rejected">>(result: Result, { project }: TokenRecord): Result {
  if (project === null) return result;
  const rejected = result.rejected.filter(({ code }) => code !== "suppressed");
  return { ...result, accepted: result.accepted + result.rejected.length - rejected.length, rejected };
}

/** Members that are absent from a Daybook whose events are stored elsewhere. */
export type OptionalMembers = Pick<
  Daybook,
  "currency" | "segments" | "privacyRequests" | "timeToLive" | "deleteEvents" | "deleteProject" | "explain" | "changes" | "stats"
>;

type TransferMethods = "ingest" | "identify" | "group" | "alias" | "unlink" | "ingestRecords" | "exportEvents" | "exportRecords";

/** State of a Daybook; `unreachable`: the servers that store its events do not answer. */
export type Health = Daybook["health"] | "unreachable";

/** A Daybook to serve: an embedded one, or one with events elsewhere. Routes that need a missing member answer `not_supported`. */
export interface ServedDaybook extends Pick<Daybook, ReportName | TransferMethods>, Partial<OptionalMembers> {
  /** Names of all projects. */
  projects(): readonly string[] | Promise<readonly string[]>;
  /** A function if the events are elsewhere. Absent: `ok`. */
  readonly health?: Health | (() => Promise<Health>);
}
