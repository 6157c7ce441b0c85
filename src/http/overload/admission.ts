import { DaybookError } from "../../base/errors.js";
import { SERVER_LIMITS } from "../../base/server-limits.js";
import { LIMITS } from "../../base/limits.js";
import { nextTurn } from "../../base/turn.js";
import type { WireRequest } from "../wire/exchange.js";
import type { HandlerLimits } from "./limits.js";
import { ParseRoom } from "./parse-room.js";
import { TokenShares } from "./token-shares.js";

/**
 * Lets so many bytes of bodies be parsed in one turn of the event loop, in order of arrival. Many long bodies that
 * arrive together would be parsed in a row, and whoever is to be refused would hear of it after all of them.
 */
export class ParsePace {
  #takenByteLength = 0;
  /** Ends with the turn in which bodies were taken. */
  #turn: Promise<void> | null = null;
  #last: Promise<void> | null = null;

  constructor(readonly bytesPerTurn: number = LIMITS.parsedBytesPerTurn) {}

  /** Resolves when a body of so many bytes may be parsed. */
  wait(byteLength: number): Promise<void> {
    const mine = this.#take(this.#last, byteLength);
    this.#last = mine;
    void mine.then(() => {
      if (this.#last === mine) this.#last = null;
    });
    return mine;
  }

  async #take(before: Promise<void> | null, byteLength: number): Promise<void> {
    await before;
    if (this.#takenByteLength > 0 && this.#takenByteLength + byteLength > this.bytesPerTurn) await this.#turn;
    if (this.#takenByteLength === 0) this.#turn = this.#nextTurn();
    this.#takenByteLength += byteLength;
  }

  async #nextTurn(): Promise<void> {
    await nextTurn();
    this.#takenByteLength = 0;
  }
}

/** How often it is looked whether the event loop has caught up, in ms. */
const LOOK_MS = 10;

interface WaitingRequest {
  readonly byteLength: number;
  readonly untilMs: number;
  readonly enter: (isIn: boolean) => void;
}

/** Short writes that wait while the event loop is late, in order of arrival. */
class Calm {
  readonly #waiting: WaitingRequest[] = [];
  #byteLength = 0;

  constructor(readonly isLate: () => boolean) {}

  /** Resolves with true when it may go on. False: there is no room to wait, or it waited too long. */
  wait(byteLength: number): false | Promise<boolean> {
    const isFull = this.#waiting.length >= SERVER_LIMITS.waitingWriteCount || this.#byteLength + byteLength > SERVER_LIMITS.waitingBytes;
    if (byteLength > SERVER_LIMITS.waitingWriteBytes || isFull) return false;
    this.#byteLength += byteLength;
    if (this.#waiting.length === 0) setTimeout(this.#look, LOOK_MS);
    return new Promise((enter) => this.#waiting.push({ byteLength, untilMs: performance.now() + SERVER_LIMITS.waitingWriteMs, enter }));
  }

  readonly #look = (): void => {
    // Not all at once: it would be late again.
    const calmCount = this.isLate() ? 0 : SERVER_LIMITS.calmWriteCount;
    for (let count = 0; count < calmCount && this.#waiting.length > 0; count += 1) this.#leave(true);
    const nowMs = performance.now();
    while ((this.#waiting[0]?.untilMs ?? Infinity) <= nowMs) this.#leave(false);
    if (this.#waiting.length > 0) setTimeout(this.#look, LOOK_MS);
  };

  #leave(isIn: boolean): void {
    const first = this.#waiting.shift();
    if (first === undefined) return;
    this.#byteLength -= first.byteLength;
    first.enter(isIn);
  }
}

/** Below it, parsing takes less time than waiting for a turn. */
const SHORT_BODY_BYTES = 16 * 1024;

/** Of all bytes, the part that bodies may hold whose keys are not known. */
const KEYLESS_SHARE = 8;

/** Bytes that one request holds in memory. */
export interface HeldMemory {
  /** True: whose bytes they are is not known when they come. */
  readonly isKeyless: boolean;
  /** Counts bytes that have arrived or were inflated. @throws overloaded */
  take(byteLength: number): void;
  /** Counts nothing, but tells whether so many bytes are worth reading. @throws overloaded */
  expect(byteLength: number): void;
  /** Resolves when a body of so many bytes may be parsed, one to be written once there is room for what it becomes; null: now. Called once. */
  parseTurn(byteLength: number, isWritten: boolean): Promise<void> | null;
  /** Resolves when so many bytes more of it may be parsed. */
  pace(byteLength: number): Promise<void>;
  /**
   * The key is known: what was held without one counts to the organization from now on. Resolves when there is room for it; null: now.
   * @throws overloaded
   */
  keyKnown(organization: string): Promise<void> | null;
  release(): void;
}

/** Bytes that are held together, of all requests that share a bound. */
interface ByteBudget {
  readonly byteLengthMax: number;
  byteLength: number;
}

/** Refuses requests before they cost anything, while there is too much to do. */
export class Admission {
  // Made once: the stack that comes with an error takes longer to make than the rest of a refusal.
  readonly #late = new DaybookError("overloaded", "requests come in faster than they can be answered");
  readonly #tooMany: DaybookError;
  readonly #shares: TokenShares;
  readonly #calm: Calm;
  readonly #pace = new ParsePace();
  readonly #rooms = new Map<string, ParseRoom>();
  readonly #all: ByteBudget;
  readonly #keyless: ByteBudget;
  readonly #keylessRoom = new ParseRoom();

  constructor(
    readonly limits: HandlerLimits,
    readonly lagMs: () => number,
  ) {
    this.#tooMany = tooManyOfToken(limits);
    this.#shares = new TokenShares(limits.requestsPerTokenCount, 0);
    this.#calm = new Calm(() => this.#isLate());
    this.#all = { byteLengthMax: limits.heldBodyBytes, byteLength: 0 };
    this.#keyless = { byteLengthMax: Math.min(SERVER_LIMITS.heldKeylessBytes, limits.heldBodyBytes / KEYLESS_SHARE), byteLength: 0 };
  }

  /**
   * Refuses what comes while the event loop is late. A short write waits until it no longer is; null: it goes on now.
   * @param writeBytes how much the request writes; null: it writes nothing
   * @throws overloaded
   */
  refuseLate(writeBytes: number | null): Promise<void> | null {
    if (!this.#isLate()) return null;
    const waiting = writeBytes !== null && this.#calm.wait(writeBytes);
    if (waiting === false) throw this.#late;
    return waiting.then((isCalm) => {
      if (!isCalm) throw this.#late;
    });
  }

  /** Counts a request of a token until the answer of this call is called. A short write waits for its turn. @throws rate_limited */
  async enter(sha256: string, writeBytes: number | null): Promise<() => void> {
    const entered = this.#shares.enter(sha256, writeBytes);
    if (entered !== true && !(await entered)) throw this.#tooMany;
    return () => this.#shares.leave(sha256);
  }

  /**
   * What one request will hold. A request that is alone is let in whatever it brings: its route has a bound of its own.
   * @param organization null: whose it is will be known by the body alone
   */
  hold(organization: string | null): HeldMemory {
    return new HeldBytes(organization, this.#all, this.#keyless, this.#pace, this.#roomOf);
  }

  #isLate(): boolean {
    return this.lagMs() > this.limits.eventLoopLagMs;
  }

  readonly #roomOf = (organization: string | null): ParseRoom => {
    if (organization === null) return this.#keylessRoom;
    const room = this.#rooms.get(organization) ?? new ParseRoom();
    this.#rooms.set(organization, room);
    return room;
  };
}

class HeldBytes implements HeldMemory {
  readonly isKeyless: boolean;
  #own = 0;
  #budget: ByteBudget;
  /** Bytes that are being parsed, and where. */
  #parsed = 0;
  #room: ParseRoom | null = null;

  constructor(
    readonly organization: string | null,
    readonly all: ByteBudget,
    keyless: ByteBudget,
    readonly allPaces: ParsePace,
    readonly roomOf: (organization: string | null) => ParseRoom,
  ) {
    this.isKeyless = organization === null;
    this.#budget = this.isKeyless ? keyless : all;
  }

  expect(byteLength: number): void {
    refuseOver(this.#budget, this.#own, byteLength);
  }

  take(byteLength: number): void {
    refuseOver(this.#budget, this.#own, byteLength);
    this.#own += byteLength;
    this.#budget.byteLength += byteLength;
  }

  parseTurn(byteLength: number, isWritten: boolean): Promise<void> | null {
    if (byteLength < SHORT_BODY_BYTES) return null;
    if (!isWritten) return this.pace(byteLength);
    this.#room = this.roomOf(this.organization);
    this.#parsed = byteLength;
    const entered = this.#room.enter(byteLength);
    return entered === null ? this.pace(byteLength) : entered.then(() => this.pace(byteLength));
  }

  pace(byteLength: number): Promise<void> {
    return this.allPaces.wait(byteLength);
  }

  keyKnown(organization: string): Promise<void> | null {
    refuseOver(this.all, 0, this.#own);
    this.#budget.byteLength -= this.#own;
    this.all.byteLength += this.#own;
    this.#budget = this.all;
    const keyless = this.#room;
    if (keyless === null) return null;
    const room = this.roomOf(organization);
    const move = () => {
      keyless.leave(this.#parsed);
      this.#room = room;
    };
    const entered = room.enter(this.#parsed);
    if (entered !== null) return entered.then(move);
    move();
    return null;
  }

  release(): void {
    this.#room?.leave(this.#parsed);
    this.#budget.byteLength -= this.#own;
    this.#own = 0;
  }
}

function refuseOver({ byteLength: held, byteLengthMax }: ByteBudget, own: number, byteLength: number): void {
  const others = held - own;
  if (others > 0 && others + own + byteLength > byteLengthMax) throw new DaybookError("overloaded", "too many bytes are waiting");
}

/** Bytes that a request brings to be written, as far as it says before they are read. Who does not say it brings many. */
export function writtenBytes(request: WireRequest): number {
  if (request.method === "GET") return request.target.length;
  const declared = request.header("content-length");
  return declared === null ? SERVER_LIMITS.waitingWriteBytes : Number(declared);
}

export function tooManyOfToken({ requestsPerTokenCount }: HandlerLimits): DaybookError {
  return new DaybookError("rate_limited", `expected at most ${requestsPerTokenCount} requests of one token at a time`);
}
