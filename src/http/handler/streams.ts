import { DaybookError } from "../../core/base/errors.js";
import type { BodyStream } from "../wire/exchange.js";

/** Open streams by token; each is a lasting connection. */
export class Streams {
  readonly #open = new Map<string, Set<BodyStream>>();

  constructor(readonly streamsPerTokenCount: number) {}

  /** Opens a stream that counts until it ends. @throws rate_limited */
  counted(sha256: string, make: () => BodyStream): BodyStream {
    const ofToken = this.#open.get(sha256) ?? new Set();
    if (ofToken.size >= this.streamsPerTokenCount) throw new DaybookError("rate_limited", `expected at most ${this.streamsPerTokenCount} streams per token at a time`);
    const stream = make();
    this.#open.set(sha256, ofToken.add(stream));
    const end = () => {
      ofToken.delete(stream);
      if (ofToken.size === 0 && this.#open.get(sha256) === ofToken) this.#open.delete(sha256);
    };
    return {
      next: async () => {
        try {
          const piece = await stream.next();
          if (piece === null) end();
          return piece;
        } catch (error) {
          end();
          throw error;
        }
      },
      cancel: () => {
        end();
        stream.cancel();
      },
    };
  }

  /** Ends the streams of all tokens that are no longer valid. A token whose lookup fails keeps its streams until their next check. */
  async endRevoked(isValid: (sha256: string) => Promise<boolean>): Promise<void> {
    const endOf = async (sha256: string, streams: ReadonlySet<BodyStream>) => {
      if (await isValid(sha256)) return;
      for (const stream of streams) stream.cancel();
    };
    await Promise.allSettled([...this.#open].map(([sha256, streams]) => endOf(sha256, streams)));
  }
}
