import { toHex, KeyedHash } from "../../core/base/hash.js";
import { dayOf, dayStartMs, MS_PER_DAY, type Clock } from "../../core/base/time.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";

/** Salts of a UTC day and of the day before. */
export interface Salts {
  /** Days since 1970. */
  readonly day: number;
  readonly salt: Uint8Array;
  /** Salt of the day before; null: it had none. */
  readonly previous: Uint8Array | null;
}

/** Storage that keeps salts across restarts. Once `keep` resolves, earlier content must be gone: overwritten, not moved aside. */
export interface SaltKeeper {
  /** The last kept bytes; null: none. */
  read(): Promise<Uint8Array | null>;
  /** Resolves when a read after a crash would return these bytes. */
  keep(bytes: Uint8Array): Promise<void>;
}

/** Stores nothing: visitors are forgotten when the process ends. */
export const discardingKeeper: SaltKeeper = { read: () => Promise.resolve(null), keep: () => Promise.resolve() };

const SALT_BYTES = 32;
const NONE = "-".repeat(SALT_BYTES * 2);
const TEXT = /^(\d{8}) ([0-9a-f]{64}) ([0-9a-f]{64}|-{64})\n$/;

/** Encodes salts in a constant number of bytes, so that they can be overwritten in place. */
export function saltsBytes({ day, salt, previous }: Salts): Uint8Array {
  return new TextEncoder().encode(`${String(day).padStart(8, "0")} ${toHex(salt)} ${previous === null ? NONE : toHex(previous)}\n`);
}

/** Decodes what `saltsBytes` wrote; null for anything else: a partial file is useless. */
export function readSalts(bytes: Uint8Array | null): Salts | null {
  const [, day = "", salt = "", previous = ""] = TEXT.exec(new TextDecoder().decode(bytes ?? new Uint8Array(0))) ?? [];
  if (day === "") return null;
  return { day: Number(day), salt: fromHex(salt), previous: previous === NONE ? null : fromHex(previous) };
}

/** The salts of a day: `current` if they cover it, else new ones, which keep yesterday's salt as `previous`. */
export function saltsOfDay(day: number, current: Salts | null, random: (bytes: Uint8Array) => void): Salts {
  // A corrected clock may go back to before the last midnight: these salts cover both days.
  if (current !== null && (current.day === day || current.day === day + 1)) return current;
  const salt = new Uint8Array(SALT_BYTES);
  random(salt);
  // A clock that is set back further gets new salts: a salt of a future day must not stay in use.
  return { day, salt, previous: current !== null && current.day === day - 1 ? current.salt : null };
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, at) => parseInt(text.slice(at * 2, at * 2 + 2), 16));
}

/** The values that distinguish visitors. None of them is stored. */
export interface Sender {
  /** Organization and project. */
  readonly site: string;
  readonly address: string;
  readonly userAgent: string;
}

/** When an id was last seen, epoch ms. */
export interface LastSeen {
  readonly id: string;
  readonly atMs: number;
}

export interface VisitorsOptions {
  readonly keeper: SaltKeeper;
  readonly clock: Clock;
  readonly random: (bytes: Uint8Array) => void;
  /** Ids seen since a time; called at most once, for events stored before this process began. */
  readonly seenSince: (sinceMs: number) => AsyncIterable<LastSeen>;
  /** Called when a new salt takes effect: the callee must forget all it remembers about senders of the day before. */
  readonly onNewSalt: () => void;
}

/** A longer pause ends a session (docs/reference/semantics.md). */
const PAUSE_MS = 30 * 60_000;
const RETRY_MS = 60_000;
const ID_BYTES = 16;

/**
 * Identifies visitors without cookies: HMAC-SHA-256 of the sender under a random salt of the UTC day. Once the salt is gone, an id cannot be traced
 * to its sender, and ids of different days cannot be linked. A visitor in a session at midnight keeps the id until the session ends.
 */
export class Visitors {
  #salts: Salts | null = null;
  /** Hashes under the salts of today and of the day before. */
  #today: KeyedHash | null = null;
  #yesterday: KeyedHash | null = null;
  #rotation: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Time of the last event, by id, of visitors who may be in a session that began under the salt of the day before. */
  readonly #lastSeenMs = new Map<string, number>();
  #sweptMs = 0;
  #isStopped = false;

  constructor(readonly options: VisitorsOptions) {}

  /** Resolves when today's salt is stored and in use; null: it already is. */
  ready(): Promise<void> | null {
    const daysAhead = (this.#salts?.day ?? -1) - dayOf(this.options.clock.now());
    if (daysAhead === 0 || daysAhead === 1) return null;
    return (this.#rotation ??= this.#rotate().finally(() => {
      this.#rotation = null;
    }));
  }

  /** Activates salts that an earlier process stored, so that they expire in time even without visitors. Never rejects. */
  async begin(): Promise<void> {
    try {
      if ((await this.options.keeper.read()) !== null && !this.#isStopped) await this.ready();
    } catch {
      // The first request reports the error.
    }
  }

  /** Forgets the salts in memory, and stops the midnight timer. */
  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#use(null);
    this.#lastSeenMs.clear();
  }

  /**
   * The id of a sender at a time that is at most an hour ago; await `ready` first. Cost: a few µs, twice that while sessions of the day before
   * continue.
   */
  idOf(sender: Sender, atMs: number): string {
    const salts = this.#salts;
    const today = this.#today;
    if (salts === null || today === null) throw new Error("expected the salt of the day");
    this.#sweep();
    const isOfToday = dayOf(atMs) >= salts.day;
    const continuedId = isOfToday ? this.#continuedId(sender, atMs) : null;
    const id = continuedId ?? idUnder(isOfToday ? today : (this.#yesterday ?? today), sender);
    // A session whose last event is long before midnight cannot continue after it.
    if (continuedId !== null || !isOfToday || dayStartMs(dayOf(atMs) + 1) - atMs <= PAUSE_MS) this.#remember(id, atMs);
    return id;
  }

  /** The id under the salt of the day before, if the sender's session goes on; else null. */
  #continuedId(sender: Sender, atMs: number): string | null {
    if (this.#yesterday === null || this.#lastSeenMs.size === 0) return null;
    const id = idUnder(this.#yesterday, sender);
    const lastMs = this.#lastSeenMs.get(id);
    return lastMs === undefined || atMs - lastMs > PAUSE_MS ? null : id;
  }

  #remember(id: string, atMs: number): void {
    const lastMs = this.#lastSeenMs.get(id);
    if (lastMs === undefined && this.#lastSeenMs.size >= SERVER_LIMITS.continuedVisitorCount) return;
    this.#lastSeenMs.set(id, Math.max(lastMs ?? atMs, atMs));
  }

  /** Entries stay longer than a session's pause, because a late event may show that the session continued. */
  #sweep(): void {
    const nowMs = this.options.clock.now();
    if (Math.abs(nowMs - this.#sweptMs) < PAUSE_MS / 6) return;
    this.#sweptMs = nowMs;
    for (const [id, lastMs] of this.#lastSeenMs) if (nowMs - lastMs > PAUSE_MS + SERVER_LIMITS.beaconAgeMs) this.#lastSeenMs.delete(id);
  }

  async #rotate(): Promise<void> {
    const { keeper, clock, random, onNewSalt } = this.options;
    const current = this.#salts ?? readSalts(await keeper.read());
    const salts = saltsOfDay(dayOf(clock.now()), current, random);
    // Store the salt before using it: if a crash lost it, its visitors would get new ids.
    if (salts !== current) await keeper.keep(saltsBytes(salts));
    if (this.#salts === null && current !== null) await this.#loadLastSeen(salts);
    if (salts !== current) onNewSalt();
    this.#use(salts);
    this.#waitForMidnight();
  }

  #use(salts: Salts | null): void {
    this.#salts = salts;
    this.#today = salts === null ? null : new KeyedHash(salts.salt);
    this.#yesterday = salts?.previous ? new KeyedHash(salts.previous) : null;
  }

  /** Without a salt of the day before, sessions matter only close to the next midnight. */
  async #loadLastSeen({ previous }: Salts): Promise<void> {
    const nowMs = this.options.clock.now();
    if (previous === null && dayStartMs(dayOf(nowMs) + 1) - nowMs > PAUSE_MS) return;
    for await (const { id, atMs } of this.options.seenSince(nowMs - PAUSE_MS)) {
      this.#remember(id, atMs);
      if (this.#lastSeenMs.size >= SERVER_LIMITS.continuedVisitorCount) return;
    }
  }

  /** Rotates the salt at midnight even without requests. */
  #waitForMidnight(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const nowMs = this.options.clock.now();
    const today = dayOf(nowMs);
    // Retry soon if the new salt could not be stored.
    const ms = (this.#salts?.day ?? today) < today ? RETRY_MS : dayStartMs(today) + MS_PER_DAY - nowMs + 1;
    const timer = setTimeout(() => {
      this.#timer = null;
      // Repeats if the clock still shows the day before.
      void Promise.resolve(this.ready()).catch(() => undefined).then(() => this.#waitForMidnight());
    }, ms);
    // The timer must not keep the process alive.
    if (typeof timer === "object") timer.unref();
    this.#timer = timer;
  }
}

function idUnder(hash: KeyedHash, { site, address, userAgent }: Sender): string {
  return toHex(hash.start(`${site}\0${address}\0${userAgent}`, ID_BYTES));
}
