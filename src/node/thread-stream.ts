import type { BodyStream } from "../http/wire/exchange.js";
import type { FromSockets, ToSockets } from "./thread-messages.js";
import type { TurnBatch } from "./turn-batch.js";

/** A stream whose pieces another thread makes: it is asked for each. */
class DistantStream implements BodyStream {
  #take: ((piece: string | null) => void) | null = null;
  #isOver = false;

  constructor(
    readonly id: number,
    readonly out: TurnBatch<() => FromSockets>,
  ) {}

  next(): Promise<string | null> {
    if (this.#isOver) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#take = resolve;
      this.out.add(() => ({ kind: "more", id: this.id }));
    });
  }

  cancel(): void {
    if (this.#isOver) return;
    this.out.add(() => ({ kind: "enough", id: this.id }));
    this.came(null);
  }

  came(piece: string | null): void {
    if (piece === null) this.#isOver = true;
    this.#take?.(piece);
    this.#take = null;
  }
}

/** On the thread of the sockets: streams by the numbers of their requests. */
export class DistantStreams {
  readonly #byId = new Map<number, DistantStream>();

  constructor(readonly out: TurnBatch<() => FromSockets>) {}

  open(id: number): BodyStream {
    const stream = new DistantStream(id, this.out);
    this.#byId.set(id, stream);
    return stream;
  }

  came(id: number, piece: string | null): void {
    this.#byId.get(id)?.came(piece);
    if (piece === null) this.#byId.delete(id);
  }
}

/** On the thread of the handler: what makes the pieces that the other asks for. */
export class OwnStreams {
  readonly #byId = new Map<number, BodyStream>();

  constructor(readonly out: TurnBatch<() => ToSockets>) {}

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
    // What fails ends: the caller comes back and hears why.
    const piece = (await this.#byId.get(id)?.next().catch(() => null)) ?? null;
    if (piece === null) this.#end(id);
    else this.out.add(() => ({ kind: "piece", id, piece }));
  }

  #end(id: number): void {
    this.#byId.delete(id);
    this.out.add(() => ({ kind: "piece", id, piece: null }));
  }
}
