import type { StopOptions } from "../../core/base/options.js";
import { parameterError, shown } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { memberError, readMembers, readText, type InputMembers } from "../../query/plan/members.js";
import { normalEmail } from "../../query/plan/reports/identity.js";

/** What a person requests. */
export type PrivacyType = "access" | "erasure" | "portability" | "rectification" | "opt_out";
export type PrivacyStatus = "pending_verification" | "submitted" | "acknowledged" | "resolved";
export type PrivacyResolution = "completed" | "no_records_found" | "partially_completed" | "denied" | "withdrawn";
export type Regulation = "gdpr" | "ccpa" | "lgpd" | "other";

export type PrivacySubject = { readonly email: string } | { readonly userId: string } | { readonly erased: true };

/** What an erasure removed, by kind of record. */
export interface ErasureReceipt {
  readonly erasedAt: string;
  readonly events: number;
  readonly identifyCalls: number;
  readonly groupCalls: number;
  readonly aliasCalls: number;
  readonly userIds: number;
  readonly anonymousIds: number;
  readonly emails: number;
  /** Texts of any field that no other event uses. */
  readonly dictionaryValues: number;
  readonly segmentsRewritten: number;
}

/** Instants are ISO 8601 with milliseconds, UTC; null: not yet, or never. */
export interface PrivacyRequest {
  readonly id: string;
  readonly type: PrivacyType;
  readonly status: PrivacyStatus;
  readonly resolution: PrivacyResolution | null;
  readonly regulation: Regulation;
  readonly subject: PrivacySubject;
  /** Null if no identity was found for the subject. */
  readonly identityId: string | null;
  /** Always null: a request is about a person, in all projects. */
  readonly project: null;
  readonly createdAt: string;
  readonly verifiedAt: string | null;
  readonly acknowledgedAt: string | null;
  readonly resolvedAt: string | null;
  readonly dueAt: string;
  readonly extendedAt: string | null;
  /** Due, and not resolved. */
  readonly overdue: boolean;
  readonly receipt: ErasureReceipt | null;
}

export interface PrivacyRequestInput {
  readonly type: PrivacyType;
  /** Exactly one of the two. */
  readonly subject: { readonly email?: string | null | undefined; readonly userId?: string | null };
  /** Default `gdpr`. */
  readonly regulation?: Regulation | null | undefined;
}

/** Data subject requests and their handling. Every change is durable when it resolves. */
export interface PrivacyRequests {
  /** Stores a new request; its deadline counts from now. @throws invalid_parameter, exactly_one_required, unknown_parameter, read_only, closed */
  create(input: PrivacyRequestInput): Promise<PrivacyRequest>;
  /** All requests ever made, newest first. @throws closed */
  list(): Promise<readonly PrivacyRequest[]>;
  /** One request by its id. @throws privacy_request_not_found, closed */
  get(id: string): Promise<PrivacyRequest>;
  /** pending_verification → submitted. @throws invalid_transition, privacy_request_not_found */
  verify(id: string): Promise<PrivacyRequest>;
  /** submitted → acknowledged. @throws invalid_transition, privacy_request_not_found */
  acknowledge(id: string): Promise<PrivacyRequest>;
  /** Moves the deadline, once, where the regulation allows it. @throws invalid_transition, privacy_request_not_found */
  extend(id: string): Promise<PrivacyRequest>;
  /**
   * Resolves a request. An erasure resolved as completed or partially_completed has removed every byte of the person when the call resolves.
   * @throws invalid_transition, invalid_parameter, privacy_request_not_found
   */
  resolve(id: string, resolution: PrivacyResolution): Promise<PrivacyRequest>;
  /**
   * NDJSON of all data about the subject of an access or portability request, line by line.
   * @throws invalid_transition, privacy_request_not_found, identity_not_found, aborted
   */
  bundle(id: string, options?: StopOptions): AsyncIterable<string>;
}

/** A validated request. The email is normalized. */
export interface CheckedPrivacyInput {
  readonly type: PrivacyType;
  readonly subject: { readonly email: string } | { readonly userId: string };
  readonly regulation: Regulation;
}

const TYPES: readonly PrivacyType[] = ["access", "erasure", "portability", "rectification", "opt_out"];
const REGULATIONS: readonly Regulation[] = ["gdpr", "ccpa", "lgpd", "other"];
const RESOLUTIONS: readonly PrivacyResolution[] = ["completed", "no_records_found", "partially_completed", "denied", "withdrawn"];

/** @throws invalid_parameter, unknown_parameter, exactly_one_required */
export function readPrivacyInput(input: unknown): CheckedPrivacyInput {
  const { project = null } = (input ?? {}) as { readonly project?: unknown };
  if (project !== null) throw parameterError("unknown_parameter", "project", "unknown, as an erasure is of a person, in all projects");
  const members = readMembers(input ?? {}, "", ["type", "subject", "regulation"]);
  const given = members.values.get("subject");
  const readSubjectMembers = () => readMembers(given, "subject", ["email", "userId"]);
  // A misspelled member is reported before anything that is missing because of it.
  if (given !== undefined) readSubjectMembers();
  return {
    type: oneOf(TYPES, "type", members.values.get("type")),
    subject: readSubject(readSubjectMembers()),
    regulation: oneOf(REGULATIONS, "regulation", members.values.get("regulation") ?? "gdpr"),
  };
}

/** @throws invalid_parameter */
export function readResolution(resolution: unknown): PrivacyResolution {
  return oneOf(RESOLUTIONS, "resolution", resolution);
}

function readSubject(members: InputMembers): CheckedPrivacyInput["subject"] {
  const email = readId(members, "email");
  const userId = readId(members, "userId");
  if (email !== null && userId === null) return { email };
  if (userId !== null && email === null) return { userId };
  const came = email === null ? "neither" : "both";
  throw parameterError("exactly_one_required", members.path, `expected exactly one of email and userId, got ${came}`);
}

/** An empty text counts as missing, also if trimming makes it empty. */
function readId(members: InputMembers, name: "email" | "userId"): string | null {
  if (members.values.get(name) === "") return null;
  const text = readText(members, name) ?? "";
  if (text.length > LIMITS.fieldTextBytes)
    throw memberError(members, name, `expected at most ${LIMITS.fieldTextBytes} characters, got ${text.length}`);
  return (name === "email" ? normalEmail(text) : text) || null;
}

function oneOf<T extends string>(allowed: readonly T[], param: string, value: unknown): T {
  const found = allowed.find((each) => each === value);
  if (found !== undefined) return found;
  throw parameterError("invalid_parameter", param, `expected one of ${allowed.join(", ")}, got ${shown(value)}`);
}
