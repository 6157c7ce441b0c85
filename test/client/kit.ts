import type { RetryEnvironment } from "../../src/core/base/retry.js";
import { fixedClock } from "../../src/core/base/time.js";
import { connectDaybook } from "../../src/client/index.js";
import type { ClientOptions, DaybookClient } from "../../src/client/index.js";
import { checkClientOptions } from "../../src/client/options.js";
import { RemoteDaybook } from "../../src/client/remote-daybook.js";
import type { Daybook } from "../../src/engine/daybook.js";
import { createHandler, memoryTokens } from "../../src/http/index.js";
import type { Handler, HandlerOptions } from "../../src/http/index.js";
import { NOW_MS, TOKENS } from "../http/kit.js";

export const URL_TEXT = "http://daybook.test";

/** The handler of a Daybook, without a socket. */
export function handlerOver(daybook: Daybook, options: Partial<HandlerOptions> = {}): Handler {
  return createHandler({ organizations: { default: daybook }, tokens: memoryTokens(TOKENS), clock: fixedClock(NOW_MS), requestId: () => "request-1", ...options });
}

/** A client of a Daybook in this very process, every request and answer made as for a socket. */
export function clientOver(daybook: Daybook, token = "sk_owner_0123456789abcdefgh"): DaybookClient {
  return connectDaybook({ url: URL_TEXT, token, fetch: handlerOver(daybook) });
}

/** Streams that are being compressed or decompressed. */
let packingCount = 0;

/** From now on virtual time waits for compression, which takes real time. @returns what ends this */
export function waitForCompression(): () => void {
  const { CompressionStream: compression, DecompressionStream: decompression } = globalThis;
  globalThis.CompressionStream = counted(compression);
  globalThis.DecompressionStream = counted(decompression);
  return () => {
    globalThis.CompressionStream = compression;
    globalThis.DecompressionStream = decompression;
    packingCount = 0;
  };
}

function counted<Stream extends typeof CompressionStream | typeof DecompressionStream>(stream: Stream): Stream {
  return class extends (stream as typeof CompressionStream) {
    override readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;

    constructor(format: CompressionFormat) {
      super(format);
      packingCount += 1;
      this.readable = super.readable.pipeThrough(new TransformStream({ flush: () => void (packingCount -= 1) }));
    }
  } as Stream;
}

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** A simulated environment: its time advances only while all callers sleep, so tests are fast and deterministic. */
export class VirtualMachine implements RetryEnvironment {
  #nowMs = NOW_MS;
  #sleepers: Sleeper[] = [];
  #isTicking = false;
  randomValue = 0.5;
  /** How long each sleep was, in ms, those apart that only bound a call. */
  readonly sleeps: number[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  random(): number {
    return this.randomValue;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    this.sleeps.push(ms);
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const sleeper = { atMs: this.#nowMs + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      signal.addEventListener("abort", () => {
        this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
        resolve();
      });
      if (!this.#isTicking) void this.#tick();
    });
  }

  async #tick(): Promise<void> {
    this.#isTicking = true;
    while (this.#sleepers.length > 0) {
      // Whoever has something to do does it first.
      for (let turn = 0; turn < 100 || packingCount > 0; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const [next] = this.#sleepers.sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#sleepers = this.#sleepers.filter((each) => each !== next);
      this.#nowMs = next.atMs;
      next.wake();
    }
    this.#isTicking = false;
  }
}

/** A client in the environment of a test. */
export function clientOn(environment: RetryEnvironment, options: Partial<ClientOptions> & Pick<ClientOptions, "fetch">): DaybookClient {
  return new RemoteDaybook(checkClientOptions({ url: URL_TEXT, token: "sk_owner_0123456789abcdefgh", ...options }), environment);
}
