import { SERVER_LIMITS } from "../../core/base/server-limits.js";

interface WaitingBody {
  readonly byteLength: number;
  readonly enter: () => void;
}

/**
 * Limits the bytes of bodies that are parsed but not yet written and answered, in order of arrival; a body alone may have any size.
 * A waiting body takes a tenth of the memory of its parsed objects, and the garbage collector does not move it.
 */
export class ParseRoom {
  #byteLength = 0;
  readonly #waiting: WaitingBody[] = [];

  constructor(readonly parsedBytes: number = SERVER_LIMITS.parsedBytes) {}

  /** Resolves when a body of that many bytes may be parsed; null: now. Each `enter` needs one `leave`. */
  enter(byteLength: number): Promise<void> | null {
    if (this.#waiting.length === 0 && this.#has(byteLength)) {
      this.#byteLength += byteLength;
      return null;
    }
    return new Promise((resolve) => this.#waiting.push({ byteLength, enter: resolve }));
  }

  /** Releases an entered body once its parsed values are no longer needed. */
  leave(byteLength: number): void {
    this.#byteLength -= byteLength;
    for (let next = this.#waiting[0]; next !== undefined && this.#has(next.byteLength); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#byteLength += next.byteLength;
      next.enter();
    }
  }

  #has(byteLength: number): boolean {
    return this.#byteLength === 0 || this.#byteLength + byteLength <= this.parsedBytes;
  }
}

/** Requests of one token. */
interface Share {
  underWayCount: number;
  /** In order of arrival. */
  readonly waiting: WaitingCaller[];
  /** Writes among `waiting`, and their bytes. */
  writeCount: number;
  writeBytes: number;
}

interface WaitingCaller {
  readonly enter: (isIn: boolean) => void;
}

/** Limits the concurrent requests of each token. One more waits for a free slot: a short write for seconds, anything else for a moment. */
export class TokenShares {
  readonly #byToken = new Map<string, Share>();

  /** @param momentMs how long anything but a short write waits: long enough for bursts of short queries, short enough for a quick refusal */
  constructor(
    readonly requestsPerTokenCount: number,
    readonly momentMs: number,
  ) {}

  /**
   * True: the request may continue, and must `leave` after its answer. False: there was no free slot.
   * @param writeBytes bytes that it writes; null: none
   */
  enter(sha256: string, writeBytes: number | null): boolean | Promise<boolean> {
    let share = this.#byToken.get(sha256);
    if (share === undefined) this.#byToken.set(sha256, (share = { underWayCount: 0, waiting: [], writeCount: 0, writeBytes: 0 }));
    if (share.underWayCount < this.requestsPerTokenCount) {
      share.underWayCount += 1;
      return true;
    }
    if (writeBytes !== null && mayWait(share, writeBytes)) return waitAsWrite(share, writeBytes);
    return this.momentMs > 0 && wait(share, this.momentMs);
  }

  leave(sha256: string): void {
    const share = this.#byToken.get(sha256);
    if (share === undefined) return;
    // The request that waited longest takes over the slot.
    const next = share.waiting.shift();
    if (next !== undefined) return next.enter(true);
    share.underWayCount -= 1;
    if (share.underWayCount === 0) this.#byToken.delete(sha256);
  }
}

function mayWait({ writeCount, writeBytes }: Share, byteLength: number): boolean {
  return byteLength <= SERVER_LIMITS.waitingWriteBytes && writeCount < SERVER_LIMITS.waitingWriteCount && writeBytes + byteLength <= SERVER_LIMITS.waitingBytes;
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
    const entry: WaitingCaller = {
      enter: (isIn) => {
        clearTimeout(timer);
        resolve(isIn);
      },
    };
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(entry), 1);
      entry.enter(false);
    }, ms);
    waiting.push(entry);
  });
}
