import { rejectUnknownOptions } from "../../core/base/options.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { FailedTokenLimits } from "../access/authenticator.js";
import { DaybookError } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { yieldToEventLoop } from "../../core/base/yield.js";
import type { WireRequest } from "../wire/request-reply.js";

/** Limits above which a handler refuses requests, so that it stays responsive. */
export interface HandlerLimits extends FailedTokenLimits {
  /** Maximum duration of a query, in ms; then it stops with `query_timeout`. Default 30,000. */
  readonly queryMs: number;
  /** Delay of the event loop, in ms, above which everything but `/healthz` is `overloaded`; needs `lagMs`. Default 50. */
  readonly eventLoopLagMs: number;
  /** Concurrent requests of one token; one more is `rate_limited`. Default 32. */
  readonly requestsPerTokenCount: number;
  /** Bytes of request bodies in memory at once; a request that would exceed them is `overloaded`. Default 64 MiB. */
  readonly heldBodyBytes: number;
}

/** All limits. @param overrides replace single defaults @throws invalid_parameter, unknown_parameter */
export function handlerLimits(overrides: Partial<HandlerLimits> = {}): HandlerLimits {
  const { queryMs, eventLoopLagMs, requestsPerTokenCount, heldBodyBytes, failedTokenCount, failedTokensPerMinute } = SERVER_LIMITS;
  const defaults: Required<HandlerLimits> = { queryMs, eventLoopLagMs, requestsPerTokenCount, heldBodyBytes, failedTokenCount, failedTokensPerMinute };
  rejectUnknownOptions(overrides, defaults, "limits");
  return { ...defaults, ...overrides };
}

/**
 * Limits the bytes of bodies that are parsed per turn of the event loop, in order of arrival.
 * Otherwise many long bodies that arrive together would be parsed in one turn, and delay even the requests that are refused.
 */
export class ParsePace {
  #takenByteLength = 0;
  /** Resolves after the turn in which bytes were taken. */
  #turn: Promise<void> | null = null;
  #last: Promise<void> | null = null;

  constructor(readonly bytesPerTurn: number = LIMITS.parsedBytesPerTurn) {}

  /** Resolves when that many bytes may be parsed. */
  wait(byteLength: number): Promise<void> {
    const entry = this.#take(this.#last, byteLength);
    this.#last = entry;
    void entry.then(() => {
      if (this.#last === entry) this.#last = null;
    });
    return entry;
  }

  async #take(before: Promise<void> | null, byteLength: number): Promise<void> {
    await before;
    if (this.#takenByteLength > 0 && this.#takenByteLength + byteLength > this.bytesPerTurn) await this.#turn;
    if (this.#takenByteLength === 0) this.#turn = this.#nextTurn();
    this.#takenByteLength += byteLength;
  }

  async #nextTurn(): Promise<void> {
    await yieldToEventLoop();
    this.#takenByteLength = 0;
  }
}

interface WaitingBody {
  readonly byteLength: number;
  readonly admit: () => void;
}

/**
 * Limits the bytes of bodies that are parsed but not yet written and answered, in order of arrival; a body alone may have any size.
 * A waiting body takes a tenth of the memory of its parsed objects, and the garbage collector does not copy it.
 */
export class ParseRoom {
  #byteLength = 0;
  readonly #waiting: WaitingBody[] = [];

  constructor(readonly parsedBytes: number = SERVER_LIMITS.parsedBytes) {}

  /** Resolves when a body of that many bytes may be parsed; null: now. Each `acquire` needs one `release`. */
  acquire(byteLength: number): Promise<void> | null {
    if (this.#waiting.length === 0 && this.#fits(byteLength)) {
      this.#byteLength += byteLength;
      return null;
    }
    return new Promise((resolve) => this.#waiting.push({ byteLength, admit: resolve }));
  }

  /** Call when the parsed values of a body are no longer needed. */
  release(byteLength: number): void {
    this.#byteLength -= byteLength;
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.byteLength); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#byteLength += next.byteLength;
      next.admit();
    }
  }

  #fits(byteLength: number): boolean {
    return this.#byteLength === 0 || this.#byteLength + byteLength <= this.parsedBytes;
  }
}

/** Requests of one token. */
interface Share {
  activeCount: number;
  /** In order of arrival. */
  readonly waiting: WaitingRequest[];
  /** Writes among `waiting`, and their bytes. */
  writeCount: number;
  writeBytes: number;
}

interface WaitingRequest {
  readonly settle: (isAdmitted: boolean) => void;
}

/** Limits the concurrent requests of each token. One more waits for a free slot: a short write for seconds, anything else for `shortWaitMs`. */
export class TokenShares {
  readonly #byToken = new Map<string, Share>();

  /** @param shortWaitMs how long anything but a short write waits: long enough for bursts of short queries, short enough for a quick refusal */
  constructor(
    readonly requestsPerTokenCount: number,
    readonly shortWaitMs: number,
  ) {}

  /**
   * True: the request may continue, and must `release` after its answer. False: there was no free slot.
   * @param writeBytes bytes that it writes; null: none
   */
  acquire(sha256: string, writeBytes: number | null): boolean | Promise<boolean> {
    let share = this.#byToken.get(sha256);
    if (share === undefined) this.#byToken.set(sha256, (share = { activeCount: 0, waiting: [], writeCount: 0, writeBytes: 0 }));
    if (share.activeCount < this.requestsPerTokenCount) {
      share.activeCount += 1;
      return true;
    }
    if (writeBytes !== null && mayWait(share, writeBytes)) return waitAsWrite(share, writeBytes);
    return this.shortWaitMs > 0 && wait(share, this.shortWaitMs);
  }

  release(sha256: string): void {
    const share = this.#byToken.get(sha256);
    if (share === undefined) return;
    // The request that has waited longest takes over the slot.
    const next = share.waiting.shift();
    if (next !== undefined) return next.settle(true);
    share.activeCount -= 1;
    if (share.activeCount === 0) this.#byToken.delete(sha256);
  }
}

function mayWait({ writeCount, writeBytes }: Share, byteLength: number): boolean {
  const isShort = byteLength <= SERVER_LIMITS.waitingWriteBytes;
  return isShort && writeCount < SERVER_LIMITS.waitingWriteCount && writeBytes + byteLength <= SERVER_LIMITS.waitingBytes;
}

async function waitAsWrite(share: Share, byteLength: number): Promise<boolean> {
  share.writeCount += 1;
  share.writeBytes += byteLength;
  try {
    return await wait(share, SERVER_LIMITS.waitingWriteMs);
  } finally {
    share.writeCount -= 1;
    share.writeBytes -= byteLength;
  }
}

function wait({ waiting }: Share, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const entry: WaitingRequest = {
      settle: (isAdmitted) => {
        clearTimeout(timer);
        resolve(isAdmitted);
      },
    };
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(entry), 1);
      entry.settle(false);
    }, ms);
    waiting.push(entry);
  });
}

/** How often to check whether the event loop has caught up, in ms. */
const CHECK_MS = 10;

interface WaitingWrite {
  readonly byteLength: number;
  readonly untilMs: number;
  readonly settle: (isAdmitted: boolean) => void;
}

/** Queue of short writes while the event loop is late, in order of arrival. */
class LateWrites {
  readonly #waiting: WaitingWrite[] = [];
  #byteLength = 0;

  constructor(readonly isLate: () => boolean) {}

  /** Resolves to true when the write may continue. False: there is no room to wait, or it waited too long. */
  wait(byteLength: number): false | Promise<boolean> {
    const isFull = this.#waiting.length >= SERVER_LIMITS.waitingWriteCount || this.#byteLength + byteLength > SERVER_LIMITS.waitingBytes;
    if (byteLength > SERVER_LIMITS.waitingWriteBytes || isFull) return false;
    this.#byteLength += byteLength;
    if (this.#waiting.length === 0) setTimeout(this.#check, CHECK_MS);
    return new Promise((settle) => this.#waiting.push({ byteLength, untilMs: performance.now() + SERVER_LIMITS.waitingWriteMs, settle }));
  }

  readonly #check = (): void => {
    // Only a few at a time, or the event loop would be late again.
    const admittedCount = this.isLate() ? 0 : SERVER_LIMITS.resumedWriteCount;
    for (let count = 0; count < admittedCount && this.#waiting.length > 0; count += 1) this.#settleFirst(true);
    const nowMs = performance.now();
    while ((this.#waiting[0]?.untilMs ?? Infinity) <= nowMs) this.#settleFirst(false);
    if (this.#waiting.length > 0) setTimeout(this.#check, CHECK_MS);
  };

  #settleFirst(isAdmitted: boolean): void {
    const first = this.#waiting.shift();
    if (first === undefined) return;
    this.#byteLength -= first.byteLength;
    first.settle(isAdmitted);
  }
}

/** Parsing a shorter body takes less time than waiting for a turn. */
const SHORT_BODY_BYTES = 16 * 1024;

/** Bodies with unknown keys may use at most `heldBodyBytes / KEYLESS_SHARE`. */
const KEYLESS_SHARE = 8;

/** Bytes that one request holds in memory. */
export interface HeldMemory {
  /** True: the organization is not known until the body is read. */
  readonly isKeyless: boolean;
  /** Counts bytes that arrived or were inflated. @throws overloaded */
  take(byteLength: number): void;
  /** Checks that there is room for that many bytes, without counting them. @throws overloaded */
  expect(byteLength: number): void;
  /** Resolves when a body of that many bytes may be parsed; one that will be written also waits for room in memory. Null: now. Call it once. */
  parseTurn(byteLength: number, isWritten: boolean): Promise<void> | null;
  /** Resolves when that many more bytes of the body may be parsed. */
  pace(byteLength: number): Promise<void>;
  /**
   * Moves the bytes held without a key to the shared budget and to the room of the organization. Resolves when there is room; null: now.
   * @throws overloaded
   */
  assignOrganization(organization: string): Promise<void> | null;
  release(): void;
}

/** A limit of bytes that several requests share. */
interface ByteBudget {
  readonly byteLengthMax: number;
  byteLength: number;
}

/** Refuses requests under overload, before they use much time or memory. */
export class Admission {
  // Created once, because the stack trace of an error takes longer than the rest of a refusal.
  readonly #late = new DaybookError("overloaded", "requests arrive faster than they can be answered");
  readonly #tooMany: DaybookError;
  readonly #shares: TokenShares;
  readonly #lateWrites: LateWrites;
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
    this.#lateWrites = new LateWrites(() => this.#isLate());
    this.#all = { byteLengthMax: limits.heldBodyBytes, byteLength: 0 };
    this.#keyless = { byteLengthMax: Math.min(SERVER_LIMITS.heldKeylessBytes, limits.heldBodyBytes / KEYLESS_SHARE), byteLength: 0 };
  }

  /**
   * Refuses requests while the event loop is late. A short write waits until it has caught up; null: it continues now.
   * @param writeBytes bytes that the request writes; null: none
   * @throws overloaded
   */
  admitUnlessLate(writeBytes: number | null): Promise<void> | null {
    if (!this.#isLate()) return null;
    const waiting = writeBytes !== null && this.#lateWrites.wait(writeBytes);
    if (waiting === false) throw this.#late;
    return waiting.then((isAdmitted) => {
      if (!isAdmitted) throw this.#late;
    });
  }

  /** Takes a slot of a token until the returned function is called. A short write waits for a free one. @throws rate_limited */
  async acquire(sha256: string, writeBytes: number | null): Promise<() => void> {
    const acquired = this.#shares.acquire(sha256, writeBytes);
    if (acquired !== true && !(await acquired)) throw this.#tooMany;
    return () => this.#shares.release(sha256);
  }

  /**
   * Counts the bytes that one request holds. If no other request holds bytes, only the route limits its size.
   * @param organization null: not known until the body is read
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
  /** Bytes that are being parsed, and the room that counts them. */
  #parsed = 0;
  #room: ParseRoom | null = null;

  constructor(
    readonly organization: string | null,
    readonly all: ByteBudget,
    keyless: ByteBudget,
    readonly parsePace: ParsePace,
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
    const acquired = this.#room.acquire(byteLength);
    return acquired === null ? this.pace(byteLength) : acquired.then(() => this.pace(byteLength));
  }

  pace(byteLength: number): Promise<void> {
    return this.parsePace.wait(byteLength);
  }

  assignOrganization(organization: string): Promise<void> | null {
    refuseOver(this.all, 0, this.#own);
    this.#budget.byteLength -= this.#own;
    this.all.byteLength += this.#own;
    this.#budget = this.all;
    const keyless = this.#room;
    if (keyless === null) return null;
    const room = this.roomOf(organization);
    const move = () => {
      keyless.release(this.#parsed);
      this.#room = room;
    };
    const acquired = room.acquire(this.#parsed);
    if (acquired !== null) return acquired.then(move);
    move();
    return null;
  }

  release(): void {
    this.#room?.release(this.#parsed);
    this.#budget.byteLength -= this.#own;
    this.#own = 0;
  }
}

function refuseOver({ byteLength: held, byteLengthMax }: ByteBudget, own: number, byteLength: number): void {
  const others = held - own;
  if (others > 0 && others + own + byteLength > byteLengthMax)
    throw new DaybookError("overloaded", "too many bytes of requests are waiting to be processed");
}

/** Bytes that a request will write, by its headers. Without a declared length: the maximum for a write that may wait. */
export function writtenBytes(request: WireRequest): number {
  if (request.method === "GET") return request.target.length;
  const declared = request.header("content-length");
  return declared === null ? SERVER_LIMITS.waitingWriteBytes : Number(declared);
}

export function tooManyOfToken({ requestsPerTokenCount }: HandlerLimits): DaybookError {
  return new DaybookError("rate_limited", `expected at most ${requestsPerTokenCount} requests per token at a time`);
}
