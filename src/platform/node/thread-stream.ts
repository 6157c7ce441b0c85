import type { BodyStream } from "../../http/wire/exchange.js";
import type { FromSockets, ToSockets } from "./thread-messages.js";
import type { TickBatch } from "./tick-batch.js";

/** A stream whose chunks another thread makes, each on request. */
class DistantStream implements BodyStream {
  #take: { readonly resolve: (piece: string | null) => void; readonly reject: (error: Error) => void } | null = null;
  #isOver = false;

  constructor(
    readonly id: number,
    readonly isFinite: true | undefined,
    readonly out: TickBatch<() => FromSockets>,
  ) {}

  next(): Promise<string | null> {
    if (this.#isOver) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      this.#take = { resolve, reject };
      this.out.add(() => ({ kind: "more", id: this.id }));
    });
  }

  cancel(): void {
    if (this.#isOver) return;
    this.out.add(() => ({ kind: "enough", id: this.id }));
    this.came(null);
  }

  came(piece: string | null, isCut = false): void {
    if (piece === null) this.#isOver = true;
    if (isCut) this.#take?.reject(new Error("the other thread could not continue"));
    else this.#take?.resolve(piece);
    this.#take = null;
  }
}

/** On the sockets' thread: streams by the number of their request. */
export class DistantStreams {
  readonly #byId = new Map<number, DistantStream>();

  constructor(readonly out: TickBatch<() => FromSockets>) {}

  open(id: number, isFinite: boolean): BodyStream {
    const stream = new DistantStream(id, isFinite ? true : undefined, this.out);
    this.#byId.set(id, stream);
    return stream;
  }

  came(id: number, piece: string | null, isCut: boolean): void {
    this.#byId.get(id)?.came(piece, isCut);
    if (piece === null) this.#byId.delete(id);
  }
}

/** On the handler's thread: makes the chunks that the other thread requests. */
export class OwnStreams {
  readonly #byId = new Map<number, BodyStream>();

  constructor(readonly out: TickBatch<() => ToSockets>) {}

  open(id: number, stream: BodyStream): void {
    this.#byId.set(id, stream);
  }

  more(id: number): void {
    void this.#send(id);
  }

  enough(id: number): void {
    const stream = this.#byId.get(id);
    if (stream === undefined) return;
    stream.cancel();
    this.#end(id);
  }

  async #send(id: number): Promise<void> {
    const stream = this.#byId.get(id);
    try {
      const piece = (await stream?.next()) ?? null;
      if (piece === null) this.#end(id);
      else this.out.add(() => ({ kind: "piece", id, piece, isCut: false }));
    } catch {
      // An endless stream just ends: the caller reconnects and gets the error. A finite one is cut.
      this.#end(id, stream?.isFinite === true);
    }
  }

  #end(id: number, isCut = false): void {
    this.#byId.delete(id);
    this.out.add(() => ({ kind: "piece", id, piece: null, isCut }));
  }
}
