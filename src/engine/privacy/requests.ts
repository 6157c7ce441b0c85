import type { StopOptions } from "../../core/base/stop-options.js";

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
