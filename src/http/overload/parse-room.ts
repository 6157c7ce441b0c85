import { SERVER_LIMITS } from "../../core/base/server-limits.js";

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
