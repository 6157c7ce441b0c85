import type { Clock } from "../../base/clock.js";
import { toHex } from "../../base/hash.js";
import { KeyedHash } from "../../base/keyed-hash.js";
import { SERVER_LIMITS } from "../../base/server-limits.js";
import { dayOf, dayStartMs, MS_PER_DAY } from "../../base/time.js";
import { readSalts, saltsBytes, saltsOfDay } from "./salts.js";
import type { SaltKeeper, Salts } from "./salts.js";

/** What tells a visitor from another. None of it is kept. */
export interface Sender {
  /** Organization and project. */
  readonly site: string;
  readonly address: string;
  readonly userAgent: string;
}

/** When an id was seen last, epoch ms. */
export interface LastSeen {
  readonly id: string;
  readonly atMs: number;
}

export interface VisitorsOptions {
  readonly keeper: SaltKeeper;
  readonly clock: Clock;
  readonly random: (bytes: Uint8Array) => void;
  /** Who was seen since a time: asked once, of what was stored before this process began. */
  readonly seenSince: (sinceMs: number) => AsyncIterable<LastSeen>;
  /** Called when a new salt begins to count: what else was remembered of the senders of its day before is to be forgotten. */
  readonly onNewSalt: () => void;
}

/** A longer pause ends a session: docs/reference/semantics.md. */
const PAUSE_MS = 30 * 60_000;
const RETRY_MS = 60_000;
const ID_BYTES = 16;

/**
 * Names visitors without cookies: HMAC-SHA-256 of who sends under a random salt of the UTC day. Once the salt is gone nobody can find out whose an
 * id was, or whether two of different days are the same. Somebody who is in the middle of a session at midnight keeps the id until it ends.
 */
export class Visitors {
  #salts: Salts | null = null;
  /** Under the salts of today and of the day before. */
  #today: KeyedHash | null = null;
  #before: KeyedHash | null = null;
  #turning: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** By id: when those were seen last who may be in a session that began under the salt of the day before. */
  readonly #seen = new Map<string, number>();
  #sweptMs = 0;
  #isStopped = false;

  constructor(readonly options: VisitorsOptions) {}

  /** Sees to it that the salt of today counts, and is kept; null: it does. */
  ready(): Promise<void> | null {
    const daysAhead = (this.#salts?.day ?? -1) - dayOf(this.options.clock.now());
    if (daysAhead === 0 || daysAhead === 1) return null;
    return (this.#turning ??= this.#turn().finally(() => {
      this.#turning = null;
    }));
  }

  /** Sees to salts that were kept before: they go when their time is over, also when nobody comes. Never rejects. */
  async begin(): Promise<void> {
    try {
      if ((await this.options.keeper.read()) !== null && !this.#isStopped) await this.ready();
    } catch {
      // Whoever comes first hears why.
    }
  }

  /** Forgets the salts in memory, and no longer waits for midnight. */
  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#use(null);
    this.#seen.clear();
  }

  /** The id of a sender now, or up to an hour ago; `ready` was awaited. Cost: some µs, twice that while sessions of the day before go on. */
  idOf(sender: Sender, atMs: number): string {
    const salts = this.#salts;
    const today = this.#today;
    if (salts === null || today === null) throw new Error("expected the salt of the day");
    this.#sweep();
    const isOfToday = dayOf(atMs) >= salts.day;
    const goesOn = isOfToday ? this.#continued(sender, atMs) : null;
    const id = goesOn ?? idUnder(isOfToday ? today : (this.#before ?? today), sender);
    // Who is seen long before midnight has a session of today only.
    if (goesOn !== null || !isOfToday || dayStartMs(dayOf(atMs) + 1) - atMs <= PAUSE_MS) this.#note(id, atMs);
    return id;
  }

  #continued(sender: Sender, atMs: number): string | null {
    if (this.#before === null || this.#seen.size === 0) return null;
    const id = idUnder(this.#before, sender);
    const lastMs = this.#seen.get(id);
    return lastMs === undefined || atMs - lastMs > PAUSE_MS ? null : id;
  }

  #note(id: string, atMs: number): void {
    const lastMs = this.#seen.get(id);
    if (lastMs === undefined && this.#seen.size >= SERVER_LIMITS.continuedVisitorCount) return;
    this.#seen.set(id, Math.max(lastMs ?? atMs, atMs));
  }

  /** An event may come late, and tell that a session went on. */
  #sweep(): void {
    const nowMs = this.options.clock.now();
    if (Math.abs(nowMs - this.#sweptMs) < PAUSE_MS / 6) return;
    this.#sweptMs = nowMs;
    for (const [id, lastMs] of this.#seen) if (nowMs - lastMs > PAUSE_MS + SERVER_LIMITS.beaconAgeMs) this.#seen.delete(id);
  }

  async #turn(): Promise<void> {
    const { keeper, clock, random, onNewSalt } = this.options;
    const kept = this.#salts ?? readSalts(await keeper.read());
    const salts = saltsOfDay(dayOf(clock.now()), kept, random);
    // An id that is made under a salt which a crash forgets would be another visitor afterwards.
    if (salts !== kept) await keeper.keep(saltsBytes(salts));
    if (this.#salts === null && kept !== null) await this.#remember(salts);
    if (salts !== kept) onNewSalt();
    this.#use(salts);
    this.#waitForMidnight();
  }

  #use(salts: Salts | null): void {
    this.#salts = salts;
    this.#today = salts === null ? null : new KeyedHash(salts.salt);
    this.#before = salts?.before ? new KeyedHash(salts.before) : null;
  }

  /** Far from midnight nobody is in a session of the day before whose salt is not known. */
  async #remember({ before }: Salts): Promise<void> {
    const nowMs = this.options.clock.now();
    if (before === null && dayStartMs(dayOf(nowMs) + 1) - nowMs > PAUSE_MS) return;
    for await (const { id, atMs } of this.options.seenSince(nowMs - PAUSE_MS)) {
      this.#note(id, atMs);
      if (this.#seen.size >= SERVER_LIMITS.continuedVisitorCount) return;
    }
  }

  /** A salt goes when its time is over, also when nobody comes. */
  #waitForMidnight(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const nowMs = this.options.clock.now();
    const today = dayOf(nowMs);
    // What could not be kept is tried again soon.
    const ms = (this.#salts?.day ?? today) < today ? RETRY_MS : dayStartMs(today) + MS_PER_DAY - nowMs + 1;
    const timer = setTimeout(() => {
      this.#timer = null;
      // Also where the clock still shows the day before.
      void Promise.resolve(this.ready()).catch(() => undefined).then(() => this.#waitForMidnight());
    }, ms);
    // A process that has nothing else to do may end.
    if (typeof timer === "object") timer.unref();
    this.#timer = timer;
  }
}

function idUnder(hash: KeyedHash, { site, address, userAgent }: Sender): string {
  return toHex(hash.start(`${site}\0${address}\0${userAgent}`, ID_BYTES));
}
