/** Bytes between two ranges that are read along: about what another read would cost. */
const GAP_BYTES = 128 * 1024;
/** A longer read would hold more bytes at once than it saves. */
const READ_BYTES_MAX = 4 * 1024 * 1024;

interface Asked {
  readonly start: number;
  readonly end: number;
  readonly resolve: (bytes: Uint8Array | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads ranges of one object: those that are asked for in one turn and lie close together are one read, of 4 MiB unless one is longer. */
export class CoalescedReads {
  #asked: Asked[] = [];

  /** @param read null for an object that is not there; fewer bytes where it ends before */
  constructor(readonly read: (start: number, end: number) => Promise<Uint8Array | null>) {}

  /** Bytes of their own. */
  of(start: number, end: number): Promise<Uint8Array | null> {
    return new Promise((resolve, reject) => {
      if (this.#asked.push({ start, end, resolve, reject }) === 1) queueMicrotask(() => this.#readAsked());
    });
  }

  #readAsked(): void {
    const asked = this.#asked.sort((a, b) => a.start - b.start);
    this.#asked = [];
    let run: Asked[] = [];
    let end = 0;
    for (const range of asked) {
      const isClose = run[0] === undefined || (range.start - end <= GAP_BYTES && range.end - run[0].start <= READ_BYTES_MAX);
      if (!isClose) {
        void this.#readRun(run, end);
        run = [];
      }
      end = run.length === 0 ? range.end : Math.max(end, range.end);
      run.push(range);
    }
    void this.#readRun(run, end);
  }

  /** Never rejects: whoever asked hears of what fails, be it at once. */
  async #readRun(run: readonly Asked[], end: number): Promise<void> {
    const from = run[0]?.start ?? 0;
    try {
      const bytes = await this.read(from, end);
      for (const range of run) range.resolve(bytes === null || run.length === 1 ? bytes : bytes.slice(range.start - from, range.end - from));
    } catch (error) {
      for (const { reject } of run) reject(error);
    }
  }
}
