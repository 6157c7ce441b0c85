import { DaybookError } from "../../base/errors.js";
import { hmacSha256, toHex } from "../../base/hash.js";
import type { DecodedRecord } from "../../identity/decode-record.js";
import { emailsInTraits, looksLikeEmail, normalEmail, traitsWithoutEmails } from "../../identity/emails.js";
import { RECORD_KINDS } from "../../identity/record-table.js";
import { EventFault } from "../../schema/decode-event.js";

/** What an id is: the same text may be erased as one and free as another. */
export type SuppressedKind = "userId" | "anonymousId" | "email";

export const ERASED_EVENT = new EventFault("suppressed", "the subject of this event was erased after it happened");

export function erasedRecord(): DaybookError {
  return new DaybookError("suppressed", "the subject of this record was erased after it happened");
}

/** Ids found free that are kept at hand; emptied when full. Erased ones are not kept. */
const FREE_COUNT_MAX = 100_000;

/** Keyed hashes of erased ids: what is about them and not newer than the erasure stays out. */
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

  /** The same with more ids erased at a time. */
  with(ids: Iterable<readonly [SuppressedKind, string]>, atMs: number): Suppression {
    const entries = new Map(this.#erasedAtMs);
    for (const [kind, id] of ids) entries.set(this.#hashOf(kind, id), atMs);
    return new Suppression(this.#key, entries);
  }

  /** Whether an id was erased after this time. `""` is nobody. Cost: an HMAC for each new id. */
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

  /** Whether an event or record of these ids is about somebody who was erased. What has a user id is that user's, whatever the device. */
  coversPerson(userId: string, anonymousId: string, createdAtMs: number): boolean {
    return userId === "" ? this.covers("anonymousId", anonymousId, createdAtMs) : this.#coversUser(userId, createdAtMs);
  }

  /**
   * A record as it may be stored, as `erase` leaves those that are there: null where it is about somebody who was erased; without the device and
   * the emails of the erased where it is about somebody else.
   */
  admitted(record: DecodedRecord): DecodedRecord | null {
    const { kind, texts, createdAtMs } = record;
    if (this.isEmpty) return record;
    const { userId, anonymousId, fromUserId, email, traits } = texts;
    if (this.coversPerson(userId, anonymousId, createdAtMs) || this.#coversUser(fromUserId, createdAtMs)) return null;
    const hasDevice = this.covers("anonymousId", anonymousId, createdAtMs);
    // The id that an alias is from may be either.
    if (hasDevice && kind === RECORD_KINDS.alias) return null;
    const isCut = (one: string) => this.covers("email", one, createdAtMs);
    const hasEmail = isCut(email);
    const tellsEmail = emailsInTraits(traits).some(isCut);
    if (!hasDevice && !hasEmail && !tellsEmail) return record;
    const left = {
      ...(hasDevice ? { anonymousId: "" } : {}), ...(hasEmail ? { email: "" } : {}), ...(tellsEmail ? { traits: traitsWithoutEmails(traits, isCut) } : {}),
    };
    return { ...record, texts: { ...texts, ...left } };
  }

  /** A user id that is an email is one of the person of that email. */
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
