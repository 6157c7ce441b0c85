import { SERVER_LIMITS } from "../../core/base/server-limits.js";

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
