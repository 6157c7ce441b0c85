import type { IncomingMessage } from "node:http";
import { DaybookError } from "../base/errors.js";
import { bodyTooLarge } from "../http/wire/exchange.js";

/** What may arrive before it is known whether anybody reads it: more than what comes with the headers in one read of the socket. */
const UNASKED_BYTES_MAX = 64 * 1024;

/** Chunks below it are copied together once there are some of them: each costs some hundred bytes whatever it holds. */
const SMALL_CHUNK_BYTES = 1024;
const SMALL_CHUNK_COUNT = 8;
const BLOCK_BYTES = 16 * 1024;

/** Whoever reads a body. */
interface Reading {
  readonly maxByteLength: number;
  readonly onBytes: (byteLength: number) => void;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

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
  #reading: Reading | null = null;
  readonly #incoming: IncomingMessage;
  /** Bytes that are to come; -1: nobody knows before the end. */
  readonly #declared: number;

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
    this.#declared = Number(incoming.headers["content-length"] ?? -1);
    incoming.on("data", (chunk: Buffer) => this.#take(chunk));
    // Marks the stream as read from: else it would hold back the bytes that come with the headers, and stop the socket.
    incoming.read(0);
  }

  /**
   * All bytes, as `WireRequest.readBody` says. Called at most once, and not after `drop`. Those of a declared length are there with the last of them:
   * the stream tells its end some turns later.
   * @throws body_too_large, aborted, and what `onBytes` throws
   */
  read(maxByteLength: number, onBytes: (byteLength: number) => void): Promise<Uint8Array> {
    const incoming = this.#incoming;
    return new Promise((resolve, reject) => {
      const reading = { maxByteLength, onBytes, resolve, reject };
      this.#reading = reading;
      for (const chunk of this.#chunks ?? []) this.#check(chunk.length, reading);
      if (this.#reading === null) return;
      if (this.#byteLength === this.#declared || incoming.readableEnded) return this.#end();
      const abort = (cause: unknown) => reject(new DaybookError("aborted", "the body ended before it was whole", {}, { cause }));
      if (incoming.destroyed) return abort(incoming.errored);
      incoming.on("end", () => this.#end());
      incoming.on("error", abort);
      incoming.resume();
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
    this.#reading = null;
    this.#incoming.resume();
  }

  #take(chunk: Buffer): void {
    if (this.#chunks === null) return;
    this.#keep(chunk, this.#chunks);
    this.#byteLength += chunk.length;
    if (this.#reading === null) {
      if (this.#byteLength > UNASKED_BYTES_MAX) this.#incoming.pause();
      return;
    }
    this.#check(chunk.length, this.#reading);
    if (this.#byteLength === this.#declared) this.#end();
  }

  #check(chunkByteLength: number, { maxByteLength, onBytes, reject }: Reading): void {
    if (this.#reading === null) return;
    try {
      if (this.#byteLength > maxByteLength) throw bodyTooLarge(maxByteLength);
      onBytes(chunkByteLength);
    } catch (error) {
      this.drop();
      reject(error);
    }
  }

  #end(): void {
    this.#reading?.resolve(whole(this.#chunks ?? []));
    this.#reading = null;
    this.#chunks = null;
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
