/* eslint-disable @typescript-eslint/no-non-null-assertion -- slots are bounded by their number */
import type { SessionsSoFar } from "./latest-sessions.js";

/** Multiplying by it spreads consecutive identities over the slots: 2^32 over the golden ratio (Knuth, volume 3, section 6.4). */
const SPREAD = 0x9e3779b1;
const FIRST_SLOT_BITS = 12;

/** Free slots have identity 0. */
class SessionSlots {
  readonly identities: Uint32Array;
  readonly sessions: Uint32Array;
  /** Epoch ms. */
  readonly ends: Float64Array;

  constructor(readonly bits: number) {
    this.identities = new Uint32Array(2 ** bits);
    this.sessions = new Uint32Array(2 ** bits);
    this.ends = new Float64Array(2 ** bits);
  }
}

/**
 * The sessions that an event may still continue, while events come in order of time: a few thousand of millions of identities, so that the CPU caches
 * hold them. A hash table with open addressing, at most half full, and room for its copy: 32 bytes a slot.
 */
export class OpenSessions implements SessionsSoFar {
  #slots = new SessionSlots(FIRST_SLOT_BITS);
  #others = new SessionSlots(FIRST_SLOT_BITS);
  #count = 0;

  constructor(readonly gapMs: number) {}

  of(identity: number): number {
    const slot = this.#slotOf(identity);
    return this.#slots.identities[slot] === 0 ? -1 : this.#slots.sessions[slot]!;
  }

  endOf(identity: number): number {
    return this.#slots.ends[this.#slotOf(identity)]!;
  }

  put(identity: number, session: number, ms: number): void {
    if (this.#count * 2 >= this.#slots.identities.length) this.#makeRoom(ms);
    this.#set(identity, session, ms);
  }

  goOn(identity: number, ms: number): void {
    this.#slots.ends[this.#slotOf(identity)] = ms;
  }

  /** The slot of an identity, or the free one where it belongs. */
  #slotOf(identity: number): number {
    const { identities, bits } = this.#slots;
    let slot = Math.imul(identity, SPREAD) >>> (32 - bits);
    while (identities[slot] !== identity && identities[slot] !== 0) slot = (slot + 1) % identities.length;
    return slot;
  }

  #set(identity: number, session: number, ms: number): void {
    const slot = this.#slotOf(identity);
    const { identities, sessions, ends } = this.#slots;
    if (identities[slot] === 0) this.#count += 1;
    identities[slot] = identity;
    sessions[slot] = session;
    ends[slot] = ms;
  }

  /** Drops the sessions that are over; if few are, doubles the slots. */
  #makeRoom(ms: number): void {
    this.#moveTo(this.#others, ms);
    if (this.#count * 4 <= this.#slots.identities.length) return;
    const bits = this.#slots.bits + 1;
    this.#moveTo(new SessionSlots(bits), ms);
    this.#others = new SessionSlots(bits);
  }

  #moveTo(slots: SessionSlots, ms: number): void {
    const former = this.#slots;
    const { identities, sessions, ends } = former;
    slots.identities.fill(0);
    this.#slots = slots;
    this.#others = former;
    this.#count = 0;
    const lastMs = ms - this.gapMs;
    for (let slot = 0; slot < identities.length; slot += 1) if (ends[slot]! >= lastMs && identities[slot] !== 0) this.#set(identities[slot]!, sessions[slot]!, ends[slot]!);
  }
}
