import { Scratch, type Allocate } from "../../core/base/scratch.js";

/** Largest gap between two ranges that are read together: reading it costs about as much as another read. */
const GAP_BYTES = 128 * 1024;
/** Longer combined reads would hold more bytes at once than they save. */
const READ_BYTES_MAX = 4 * 1024 * 1024;

/** Bytes in memory that is used again once they are released. */
export interface BorrowedBytes {
  readonly bytes: Uint8Array;
  release(): void;
}

interface BlockRequest {
  readonly start: number;
  readonly end: number;
  readonly resolve: (bytes: BorrowedBytes | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads ranges of one object, combining those that are requested at once and lie close together; up to 4 MiB, unless one range is longer. */
export class CoalescedReads {
  #pending: BlockRequest[] = [];

  /** @param read resolves to null if the object is missing, and to fewer bytes if it ends before `end` */
  constructor(readonly read: (start: number, end: number, allocate: Allocate) => Promise<Uint8Array | null>) {}

  of(start: number, end: number): Promise<BorrowedBytes | null> {
    return new Promise((resolve, reject) => {
      if (this.#pending.push({ start, end, resolve, reject }) === 1) queueMicrotask(() => this.#readPending());
    });
  }

  #readPending(): void {
    const requests = this.#pending.sort((a, b) => a.start - b.start);
    this.#pending = [];
    let run: BlockRequest[] = [];
    let end = 0;
    for (const range of requests) {
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

  /** Never rejects: an error, even one thrown synchronously, rejects the requests of the run. */
  async #readRun(run: readonly BlockRequest[], end: number): Promise<void> {
    const from = run[0]?.start ?? 0;
    const memory = new Scratch();
    let count = run.length;
    const release = () => {
      count -= 1;
      if (count === 0) memory.releaseAll();
    };
    try {
      const bytes = await this.read(from, end, (byteLength) => memory.takeBytes(byteLength));
      for (const range of run) range.resolve(bytes === null ? null : { bytes: bytes.subarray(range.start - from, range.end - from), release });
    } catch (error) {
      for (const { reject } of run) reject(error);
    }
  }
}
