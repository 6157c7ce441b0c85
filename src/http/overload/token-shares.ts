/** How long a request waits for one of its token to be answered, in ms: bursts of short questions pass, and whoever is refused hears of it soon. */
const WAIT_MS_MAX = 10;

/** Requests of one token. */
interface Share {
  underWayCount: number;
  /** In order of arrival. */
  readonly waiting: Waiting[];
}

interface Waiting {
  readonly timer: ReturnType<typeof setTimeout>;
  readonly enter: (isIn: boolean) => void;
}

/** Lets so many requests of a token go on at a time. One more waits a moment for its turn. */
export class TokenShares {
  readonly #byToken = new Map<string, Share>();

  constructor(readonly requestsPerTokenCount: number) {}

  /** True: it may go on, and leaves when it is answered. False: there was no room. */
  enter(sha256: string): boolean | Promise<boolean> {
    let share = this.#byToken.get(sha256);
    if (share === undefined) this.#byToken.set(sha256, (share = { underWayCount: 0, waiting: [] }));
    if (share.underWayCount < this.requestsPerTokenCount) {
      share.underWayCount += 1;
      return true;
    }
    const { waiting } = share;
    return new Promise((enter) => {
      const entry: Waiting = {
        timer: setTimeout(() => {
          // Those that came before have given up before.
          waiting.splice(waiting.indexOf(entry), 1);
          enter(false);
        }, WAIT_MS_MAX),
        enter,
      };
      waiting.push(entry);
    });
  }

  leave(sha256: string): void {
    const share = this.#byToken.get(sha256);
    if (share === undefined) return;
    const next = share.waiting.shift();
    if (next !== undefined) {
      // Its place goes on to whoever waited longest.
      clearTimeout(next.timer);
      next.enter(true);
      return;
    }
    share.underWayCount -= 1;
    if (share.underWayCount === 0) this.#byToken.delete(sha256);
  }
}
