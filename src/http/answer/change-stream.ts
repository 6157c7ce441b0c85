import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { Change } from "../../engine/follow/changes.js";
import type { BodyStream } from "../wire/request-reply.js";

export interface ChangeStreamOptions {
  /** Converts a sequence for the client. Default: unchanged. */
  readonly mapSequence?: (sequence: number) => number;
  /** Sends only changes of this project; null: of all projects. */
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
  #pending: Promise<IteratorResult<Change, unknown>> | null = null;
  #isStarted = false;
  /** When the next heartbeat is due, even if changes keep arriving. */
  #nextHeartbeatMs = 0;
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
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#nextHeartbeatMs = performance.now() + this.#heartbeatMs;
      // Start listening now, so that later changes are sent one by one and not reported as missed.
      this.#pending = this.#changes.next();
      this.#pending.catch(() => undefined);
      // The token may have been revoked before the stream was registered, so nothing has cancelled it.
      if (await this.#options.isTokenValid()) return `retry: ${RETRY_MS}\n\n`;
      this.cancel();
    }
    while (!this.#signal.aborted) {
      const waitMs = this.#nextHeartbeatMs - performance.now();
      if (waitMs <= 0) {
        this.#nextHeartbeatMs = performance.now() + this.#heartbeatMs;
        if (await this.#options.isTokenValid()) return HEARTBEAT;
        break;
      }
      // Keep waiting for the pending change instead of requesting another.
      this.#pending ??= this.#changes.next();
      const next = await this.#nextOrTimeout(this.#pending, waitMs);
      if (next === "timeout") continue;
      if (next === null || next.done === true) break;
      this.#pending = null;
      const { project, mapSequence } = this.#options;
      if (project !== null && !next.value.projects.includes(project)) continue;
      if (!(await this.#options.isTokenValid())) break;
      const sequence = mapSequence?.(next.value.sequence) ?? next.value.sequence;
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
    this.#pending?.catch(() => undefined);
    this.#changes.return?.()?.catch(() => undefined);
  }

  get #heartbeatMs(): number {
    return this.#options.heartbeatMs ?? SERVER_LIMITS.changeHeartbeatMs;
  }

  async #nextOrTimeout(pending: Promise<IteratorResult<Change, unknown>>, ms: number): Promise<IteratorResult<Change, unknown> | "timeout" | null> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<"timeout">((resolve) => {
      timer = setTimeout(() => resolve("timeout"), ms);
    });
    try {
      return await Promise.race([pending, timeout, this.#ended]);
    } finally {
      clearTimeout(timer);
    }
  }
}
