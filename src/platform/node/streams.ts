import type { ServerResponse } from "node:http";
import type { BodyStream } from "../../http/wire/request-reply.js";
import type { FromSockets, ToSockets } from "./worker-messages.js";
import type { TickBatch } from "./tick-batch.js";

/** Limits the bytes of answers that callers have not read yet, over all connections. Above the limit, the answers that wait longest are cut off. */
export class UnreadAnswers {
  /** Unread bytes by answer, in the order in which the answers started to wait. */
  readonly #byteLengths = new Map<ServerResponse, number>();
  #byteLength = 0;

  constructor(readonly byteLengthMax: number) {}

  /** Call after each write. A single answer may be of any size. */
  written(outgoing: ServerResponse): void {
    const before = this.#byteLengths.get(outgoing);
    const byteLength = outgoing.writableLength;
    if (before === undefined) {
      if (byteLength === 0) return;
      const { socket } = outgoing.req;
      const remove = () => {
        outgoing.off("close", remove);
        socket.off("close", remove);
        this.#remove(outgoing);
      };
      outgoing.on("close", remove);
      // On the socket: an answer queued after those of other code gets no `close` event.
      socket.on("close", remove);
    }
    this.#byteLengths.set(outgoing, byteLength);
    this.#byteLength += byteLength - (before ?? 0);
    if (this.#byteLength <= this.byteLengthMax) return;
    for (const waiting of [...this.#byteLengths.keys()]) this.#update(waiting);
    for (const oldest of this.#byteLengths.keys()) {
      if (this.#byteLength <= this.byteLengthMax || oldest === outgoing) break;
      this.#remove(oldest);
      oldest.destroy();
    }
  }

  /** Updates the unread bytes of an answer. A stream that was read completely counts as waiting from its next chunk on. */
  #update(outgoing: ServerResponse): void {
    const { writableLength } = outgoing;
    this.#byteLength += writableLength - (this.#byteLengths.get(outgoing) ?? 0);
    if (writableLength === 0) this.#byteLengths.delete(outgoing);
    this.#byteLengths.set(outgoing, writableLength);
  }

  #remove(outgoing: ServerResponse): void {
    this.#byteLength -= this.#byteLengths.get(outgoing) ?? 0;
    this.#byteLengths.delete(outgoing);
  }
}

/** Longer answers, and chunks of streams, are written by `LongAnswers`: in bytes, or characters of a text. */
const SHORT_LENGTH_MAX = 64 * 1024;

export function isShort(body: string | Uint8Array): boolean {
  return body.length <= SHORT_LENGTH_MAX;
}

/** Time for long answers per turn of the event loop, in ms. */
const LONG_ANSWERS_MS = 4;

/** Writes long answers in order, for a few ms per turn and after the short ones, so that a thousand of them at once delay no other request. */
export class LongAnswers {
  /** The first one stays here while it is written. */
  readonly #waiting: (() => void)[] = [];

  /** @param before called at the start of each turn; writes the short answers */
  constructor(
    readonly before: () => void,
    readonly clock: () => number = () => performance.now(),
  ) {}

  add(write: () => void): void {
    if (this.#waiting.push(write) === 1) setImmediate(() => this.#writeSome());
  }

  /** Runs `send`, which writes part of a streamed answer, in its turn. */
  inTurn<T>(send: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.add(() => {
        try {
          resolve(send());
        } catch (error) {
          reject(error as Error);
        }
      });
    });
  }

  #writeSome(): void {
    try {
      this.before();
      const endMs = this.clock() + LONG_ANSWERS_MS;
      do this.#writeFirst();
      while (this.#waiting.length > 0 && this.clock() < endMs);
    } finally {
      if (this.#waiting.length > 0) setImmediate(() => this.#writeSome());
    }
  }

  #writeFirst(): void {
    try {
      this.#waiting[0]?.();
    } finally {
      this.#waiting.shift();
    }
  }
}

export class OpenStreams {
  readonly #open = new Set<BodyStream>();
  #isEnded = false;

  /** @param unreadMs longest time that a caller may read nothing */
  constructor(
    readonly unreadMs: number,
    readonly unread: UnreadAnswers,
    readonly longAnswers: LongAnswers,
  ) {}

  /** Writes a body after its headers, chunk by chunk, each once the caller has read the previous ones; an error cuts the connection. */
  async write(stream: BodyStream, outgoing: ServerResponse): Promise<void> {
    this.#open.add(stream);
    if (this.#isEnded && stream.isFinite !== true) stream.cancel();
    // On the socket: an answer queued after others gets no `close` event.
    const { socket } = outgoing.req;
    const cancel = () => stream.cancel();
    socket.once("close", cancel);
    outgoing.once("close", cancel);
    try {
      for (let chunk = await stream.next(); chunk !== null; chunk = await stream.next()) {
        const text = chunk;
        // `drain` may follow the write before any other code runs.
        const send = () => {
          if (outgoing.destroyed) return;
          const isTaken = outgoing.write(text);
          this.unread.written(outgoing);
          return isTaken ? undefined : drained(outgoing, this.unreadMs);
        };
        await (isShort(text) ? send() : this.longAnswers.inTurn(send));
        if (outgoing.destroyed) break;
      }
      outgoing.end();
    } catch {
      outgoing.destroy();
    } finally {
      this.#open.delete(stream);
      socket.off("close", cancel);
      stream.cancel();
    }
  }

  /** Ends all endless streams, and later ones as soon as they start. */
  endAll(): void {
    this.#isEnded = true;
    for (const stream of this.#open) if (stream.isFinite !== true) stream.cancel();
  }
}

/** Resolves when the caller has read what was sent, or has disconnected. Cuts off callers that read nothing for `unreadMs`. */
function drained(outgoing: ServerResponse, unreadMs: number): Promise<void> {
  return new Promise((resolve) => {
    const { socket } = outgoing.req;
    const end = () => {
      clearTimeout(timer);
      outgoing.off("drain", end).off("close", end);
      socket.off("close", end);
      resolve();
    };
    const timer = setTimeout(() => {
      outgoing.destroy();
      end();
    }, unreadMs);
    outgoing.on("drain", end).on("close", end);
    socket.on("close", end);
  });
}

/** A stream whose chunks another thread makes on request. */
class RemoteStream implements BodyStream {
  #pull: { readonly resolve: (chunk: string | null) => void; readonly reject: (error: Error) => void } | null = null;
  #isOver = false;

  constructor(
    readonly id: number,
    readonly isFinite: true | undefined,
    readonly out: TickBatch<() => FromSockets>,
  ) {}

  next(): Promise<string | null> {
    if (this.#isOver) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      this.#pull = { resolve, reject };
      this.out.add(() => ({ kind: "pull", id: this.id }));
    });
  }

  cancel(): void {
    if (this.#isOver) return;
    this.out.add(() => ({ kind: "cancel", id: this.id }));
    this.receive(null);
  }

  receive(chunk: string | null, hasFailed = false): void {
    if (chunk === null) this.#isOver = true;
    if (hasFailed) this.#pull?.reject(new Error("the other thread could not continue"));
    else this.#pull?.resolve(chunk);
    this.#pull = null;
  }
}

/** On the sockets' thread: streams by the number of their request. */
export class RemoteStreams {
  readonly #byId = new Map<number, RemoteStream>();

  constructor(readonly out: TickBatch<() => FromSockets>) {}

  open(id: number, isFinite: boolean): BodyStream {
    const stream = new RemoteStream(id, isFinite ? true : undefined, this.out);
    this.#byId.set(id, stream);
    return stream;
  }

  receive(id: number, chunk: string | null, hasFailed: boolean): void {
    this.#byId.get(id)?.receive(chunk, hasFailed);
    if (chunk === null) this.#byId.delete(id);
  }
}

/** On the handler's thread: makes the chunks that the other thread requests. */
export class OwnStreams {
  readonly #byId = new Map<number, BodyStream>();

  constructor(readonly out: TickBatch<() => ToSockets>) {}

  open(id: number, stream: BodyStream): void {
    this.#byId.set(id, stream);
  }

  pull(id: number): void {
    void this.#send(id);
  }

  cancel(id: number): void {
    const stream = this.#byId.get(id);
    if (stream === undefined) return;
    stream.cancel();
    this.#end(id);
  }

  async #send(id: number): Promise<void> {
    const stream = this.#byId.get(id);
    try {
      const chunk = (await stream?.next()) ?? null;
      if (chunk === null) this.#end(id);
      else this.out.add(() => ({ kind: "chunk", id, chunk, hasFailed: false }));
    } catch {
      // An endless stream just ends: the caller reconnects and gets the error. A finite one is cut off.
      this.#end(id, stream?.isFinite === true);
    }
  }

  #end(id: number, hasFailed = false): void {
    this.#byId.delete(id);
    this.out.add(() => ({ kind: "chunk", id, chunk: null, hasFailed }));
  }
}
