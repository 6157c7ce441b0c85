import { DaybookError } from "../../core/base/errors.js";
import { hmacSha256, toHex } from "../../core/base/hash.js";
import type { DecodedRecord } from "../../identity/decode-record.js";
import { emailsInTraits, looksLikeEmail, normalEmail, traitsWithoutEmails } from "../../identity/emails.js";
import { RECORD_KINDS } from "../../identity/record-table.js";
import { EventFault } from "../../core/schema/decode-event.js";
import { MS_PER_DAY, dayOf, dayStartMs, isoOfDay } from "../../core/base/time.js";
import type { TimeToLiveRule } from "../../store/files/manifest.js";

/** The kind of an id: the same text may be erased as one kind and allowed as another. */
export type SuppressedKind = "userId" | "anonymousId" | "email";

export const ERASED_EVENT = new EventFault("suppressed", "the subject of this event was erased after it happened");

export function erasedRecord(): DaybookError {
  return new DaybookError("suppressed", "the subject of this record was erased after it happened");
}

/** Bound on cached ids known not to be erased; the cache is cleared when full. Erased ids are never cached. */
const FREE_COUNT_MAX = 100_000;

/** Keyed hashes of erased ids: data about them that is not newer than the erasure stays out. */
export class Suppression {
  readonly #key: Uint8Array;
  readonly #erasedAtMs: Map<string, number>;
  readonly #free = new Set<string>();

  /** @param entries hash and time of erasure, epoch ms */
  constructor(
    key: Uint8Array,
    entries: Iterable<readonly [string, number]>,
  ) {
    this.#key = key;
    this.#erasedAtMs = new Map(entries);
  }

  get isEmpty(): boolean {
    return this.#erasedAtMs.size === 0;
  }

  entries(): readonly (readonly [string, number])[] {
    return [...this.#erasedAtMs];
  }

  with(ids: Iterable<readonly [SuppressedKind, string]>, atMs: number): Suppression {
    const entries = new Map(this.#erasedAtMs);
    for (const [kind, id] of ids) entries.set(this.#hashOf(kind, id), atMs);
    return new Suppression(this.#key, entries);
  }

  /** Whether an id was erased at this time or later. `""` never was. Cost: an HMAC for each id that is not cached. */
  covers(kind: SuppressedKind, id: string, createdAtMs: number): boolean {
    if (id === "" || this.isEmpty) return false;
    const mark = `${kind}\0${id}`;
    if (this.#free.has(mark)) return false;
    const atMs = this.#erasedAtMs.get(this.#hashOf(kind, id));
    if (atMs !== undefined) return createdAtMs <= atMs;
    if (this.#free.size >= FREE_COUNT_MAX) this.#free.clear();
    this.#free.add(mark);
    return false;
  }

  /** Whether an event or record with these ids is about an erased person. A user id alone decides, whatever the device. */
  coversPerson(userId: string, anonymousId: string, createdAtMs: number): boolean {
    return userId === "" ? this.covers("anonymousId", anonymousId, createdAtMs) : this.#coversUser(userId, createdAtMs);
  }

  /** In the form in which `erase` leaves records: null if about an erased person, else without the device and emails of erased persons. */
  admitted(record: DecodedRecord): DecodedRecord | null {
    const { kind, texts, createdAtMs } = record;
    if (this.isEmpty) return record;
    const { userId, anonymousId, fromUserId, email, traits } = texts;
    if (this.coversPerson(userId, anonymousId, createdAtMs) || this.#coversUser(fromUserId, createdAtMs)) return null;
    const hasDevice = this.covers("anonymousId", anonymousId, createdAtMs);
    // The source id of an alias may be a user's or a device's.
    if (hasDevice && kind === RECORD_KINDS.alias) return null;
    const isCut = (one: string) => this.covers("email", one, createdAtMs);
    const hasEmail = isCut(email);
    const traitsHaveEmail = emailsInTraits(traits).some(isCut);
    if (!hasDevice && !hasEmail && !traitsHaveEmail) return record;
    const left = {
      ...(hasDevice ? { anonymousId: "" } : {}), ...(hasEmail ? { email: "" } : {}), ...(traitsHaveEmail ? { traits: traitsWithoutEmails(traits, isCut) } : {}),
    };
    return { ...record, texts: { ...texts, ...left } };
  }

  /** A user id that is an email belongs to the person with that email. */
  #coversUser(userId: string, createdAtMs: number): boolean {
    if (userId === "" || this.isEmpty) return false;
    const email = normalEmail(userId);
    return this.covers("userId", userId, createdAtMs) || (looksLikeEmail(email) && this.covers("email", email, createdAtMs));
  }

  /** 128 bits of the HMAC, hex. */
  #hashOf(kind: SuppressedKind, id: string): string {
    return toHex(hmacSha256(this.#key, new TextEncoder().encode(`${kind}\0${id}`)).subarray(0, 16));
  }
}

export class TimeToLiveRules {
  readonly #days: ReadonlyMap<string | null, number>;

  constructor(rules: readonly TimeToLiveRule[] = []) {
    this.#days = new Map(rules.map(({ project, days }) => [project, days]));
  }

  get isEmpty(): boolean {
    return this.#days.size === 0;
  }

  /** The instant before which events of a project are expired, epoch ms; -Infinity: they never expire. */
  beforeMs(project: string, nowMs: number): number {
    const days = this.#days.get(project) ?? this.#days.get(null);
    return days === undefined ? -Infinity : dayStartMs(dayOf(nowMs) - days);
  }

  /** The latest of these instants over all rules; -Infinity without rules. */
  latestMs(nowMs: number): number {
    return Math.max(...[...this.#days.values()].map((days) => dayStartMs(dayOf(nowMs) - days)), -Infinity);
  }

  faultOf(project: string, createdAtMs: number, nowMs: number): EventFault | null {
    const beforeMs = this.beforeMs(project, nowMs);
    if (createdAtMs >= beforeMs) return null;
    const days = Math.round((dayStartMs(dayOf(nowMs)) - beforeMs) / MS_PER_DAY);
    const kept = `this project keeps its events for ${days} ${days === 1 ? "day" : "days"}`;
    return new EventFault("expired", `createdAt: expected ${isoOfDay(dayOf(beforeMs))} or later, as ${kept}`);
  }
}
