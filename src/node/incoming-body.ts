import type { IncomingMessage } from "node:http";
import { DaybookError } from "../base/errors.js";
import { bodyTooLarge } from "../http/wire/exchange.js";

/** What may arrive before it is known whether anybody reads it: more than what comes with the headers in one read of the socket. */
const UNASKED_BYTES_MAX = 64 * 1024;

/** Chunks below it are copied together once there are some of them: each costs some hundred bytes whatever it holds. */
const SMALL_CHUNK_BYTES = 1024;
const SMALL_CHUNK_COUNT = 8;
const BLOCK_BYTES = 16 * 1024;

/**
 * The body of a request on a socket. Its bytes are taken off the parser as they arrive, so that the socket need not be
 * stopped and started; once it is known that nobody reads them they are dropped at once, and the sender gets to see the answer.
 */
export class IncomingBody {
  /** Null: dropped. */
  #chunks: Buffer[] | null = [];
  #byteLength = 0;
  /** Where small chunks go, and how much of it is filled: the last of the chunks, once it is one. */
  #block: Buffer | null = null;
  #blockByteLength = 0;
  #onChunk: ((chunk: Buffer) => void) | null = null;
  readonly #incoming: IncomingMessage;

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
    incoming.on("data", (chunk: Buffer) => this.#take(chunk));
    // Marks the stream as read from: else it would hold back the bytes that come with the headers, and stop the socket.
    incoming.read(0);
  }

  /**
   * All bytes, as `WireRequest.readBody` says. Called at most once, and not after `drop`.
   * @throws body_too_large, aborted, and what `onBytes` throws
   */
  read(maxByteLength: number, onBytes: (byteLength: number) => void): Promise<Uint8Array> {
    const incoming = this.#incoming;
    return new Promise((resolve, reject) => {
      let isRefused = false;
      const check = (chunk: Buffer) => {
        if (isRefused) return;
        try {
          if (this.#byteLength > maxByteLength) throw bodyTooLarge(maxByteLength);
          onBytes(chunk.length);
        } catch (error) {
          isRefused = true;
          this.drop();
          reject(error);
        }
      };
      for (const chunk of this.#chunks ?? []) check(chunk);
      const end = () => {
        resolve(whole(this.#chunks ?? []));
        this.#chunks = null;
      };
      const abort = (cause: unknown) => reject(new DaybookError("aborted", "the body ended before it was whole", {}, { cause }));
      if (isRefused) return;
      if (incoming.readableEnded) end();
      else if (incoming.destroyed) abort(incoming.errored);
      else {
        this.#onChunk = check;
        incoming.on("end", end);
        incoming.on("error", abort);
        incoming.resume();
      }
    });
  }

  /** All bytes, if all have come and are no more than this; else null. They can still be read. */
  whole(maxByteLength: number): Uint8Array | null {
    return this.#incoming.complete && this.#chunks !== null && this.#byteLength <= maxByteLength ? whole(this.#chunks) : null;
  }

  /** Drops what has come and what is still to come. */
  drop(): void {
    this.#chunks = null;
    this.#block = null;
    this.#onChunk = null;
    this.#incoming.resume();
  }

  #take(chunk: Buffer): void {
    if (this.#chunks === null) return;
    this.#keep(chunk, this.#chunks);
    this.#byteLength += chunk.length;
    if (this.#onChunk !== null) this.#onChunk(chunk);
    else if (this.#byteLength > UNASKED_BYTES_MAX) this.#incoming.pause();
  }

  #keep(chunk: Buffer, chunks: Buffer[]): void {
    if (chunk.length >= SMALL_CHUNK_BYTES || chunks.length < SMALL_CHUNK_COUNT) {
      chunks.push(chunk);
      this.#block = null;
      return;
    }
    if (this.#block === null || this.#blockByteLength + chunk.length > BLOCK_BYTES) {
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      this.#blockByteLength = 0;
      chunks.push(this.#block);
    }
    chunk.copy(this.#block, this.#blockByteLength);
    this.#blockByteLength += chunk.length;
    chunks[chunks.length - 1] = this.#block.subarray(0, this.#blockByteLength);
  }
}

function whole(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
