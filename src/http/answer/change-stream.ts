import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { Change } from "../../engine/follow/changes.js";
import type { BodyStream } from "../wire/exchange.js";

export interface ChangeStreamOptions {
  /** Converts a sequence for the listener. Default: unchanged. */
  readonly shown?: (sequence: number) => number;
  /** Only changes of this project are sent; null: those of all projects. */
  readonly project: string | null;
  /** Checked at the start, before each change and at each heartbeat: false ends the stream. */
  readonly isTokenValid: () => Promise<boolean>;
  readonly heartbeatMs?: number;
}

/** Delay after which a client reconnects, in ms. */
const RETRY_MS = 1_000;
const HEARTBEAT = ":\n\n";

/**
 * Changes as server-sent events (WHATWG HTML, 9.2): `id` is the sequence, so that a client that reconnects misses nothing.
 * Comments between them keep the connection alive.
 */
export class ChangeStream implements BodyStream {
  readonly #changes: AsyncIterator<Change>;
  readonly #signal = { aborted: false };
  readonly #options: ChangeStreamOptions;
  #coming: Promise<IteratorResult<Change, unknown>> | null = null;
  #hasBegun = false;
  /** When the next comment is due, even if changes keep coming. */
  #beatMs = 0;
  #end: () => void = () => undefined;
  readonly #ended = new Promise<null>((resolve) => {
    this.#end = () => resolve(null);
  });

  /** @param listen starts listening; stops when the signal is aborted */
  constructor(listen: (signal: { readonly aborted: boolean }) => AsyncIterable<Change>, options: ChangeStreamOptions) {
    this.#changes = listen(this.#signal)[Symbol.asyncIterator]();
    this.#options = options;
  }

  async next(): Promise<string | null> {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#beatMs = performance.now() + this.#heartbeatMs;
      // Start listening now, so that changes from here on arrive as changes and not as missed ones.
      this.#coming = this.#changes.next();
      this.#coming.catch(() => undefined);
      // The token may have been revoked before the stream could be ended from outside.
      if (await this.#options.isTokenValid()) return `retry: ${RETRY_MS}\n\n`;
      this.cancel();
    }
    while (!this.#signal.aborted) {
      const leftMs = this.#beatMs - performance.now();
      if (leftMs <= 0) {
        this.#beatMs = performance.now() + this.#heartbeatMs;
        if (await this.#options.isTokenValid()) return HEARTBEAT;
        break;
      }
      // Keep waiting for the pending change instead of requesting another.
      this.#coming ??= this.#changes.next();
      const came = await this.#first(this.#coming, leftMs);
      if (came === "late") continue;
      if (came === null || came.done === true) break;
      this.#coming = null;
      const { project, shown } = this.#options;
      if (project !== null && !came.value.projects.includes(project)) continue;
      if (!(await this.#options.isTokenValid())) break;
      const sequence = shown?.(came.value.sequence) ?? came.value.sequence;
      return `id: ${sequence}\ndata: ${JSON.stringify({ sequence })}\n\n`;
    }
    this.cancel();
    return null;
  }

  cancel(): void {
    if (this.#signal.aborted) return;
    this.#signal.aborted = true;
    this.#end();
    // Ends a pending wait for a change; its outcome is ignored.
    this.#coming?.catch(() => undefined);
    this.#changes.return?.()?.catch(() => undefined);
  }

  get #heartbeatMs(): number {
    return this.#options.heartbeatMs ?? SERVER_LIMITS.changeHeartbeatMs;
  }

  async #first(coming: Promise<IteratorResult<Change, unknown>>, ms: number): Promise<IteratorResult<Change, unknown> | "late" | null> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), ms);
    });
    try {
      return await Promise.race([coming, late, this.#ended]);
    } finally {
      clearTimeout(timer);
    }
  }
}
