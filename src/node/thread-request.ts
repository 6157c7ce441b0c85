import type { DaybookError } from "../base/errors.js";
import { bodyTooLarge, isShared, isStream } from "../http/wire/exchange.js";
import type { Known, WireRequest } from "../http/wire/exchange.js";
import type { Refusal } from "../http/overload/front.js";
import type { Handler } from "../http/index.js";
import { errorOf } from "./thread-messages.js";
import type { Asked, FromSockets, ToSockets } from "./thread-messages.js";
import { OwnStreams } from "./thread-stream.js";
import type { TurnBatch } from "./turn-batch.js";

/** A body that somebody waits for. */
interface Reading {
  take(bytes: Uint8Array): void;
  fail(error: unknown): void;
}

/** A request whose socket is on another thread. */
class ThreadRequest implements WireRequest {
  readonly method: string;
  readonly target: string;
  readonly address: string | undefined;
  readonly known: Known;
  readonly signal = { aborted: false };
  readonly #headers: Readonly<Record<string, string>>;
  readonly #body: Uint8Array | null;
  #reading: Reading | null = null;

  constructor(
    readonly id: number,
    { method, target, address, known, headers, body }: Asked,
    readonly out: TurnBatch<() => ToSockets>,
  ) {
    this.method = method;
    this.target = target;
    this.address = address;
    this.known = known;
    this.#headers = headers;
    this.#body = body;
  }

  header(name: string): string | null {
    return Object.hasOwn(this.#headers, name) ? (this.#headers[name] ?? null) : null;
  }

  async readBody(maxByteLength: number, onBytes: (byteLength: number) => void = () => undefined, isKeyless = false): Promise<Uint8Array> {
    const body = this.#body;
    if (body !== null) {
      if (body.length > maxByteLength) throw bodyTooLarge(maxByteLength);
      onBytes(body.length);
      return body;
    }
    this.out.add(() => ({ kind: "read", id: this.id, maxByteLength, isKeyless }));
    return await new Promise((resolve, reject) => {
      const take = (bytes: Uint8Array) => {
        onBytes(bytes.length);
        resolve(bytes);
      };
      this.#reading = { take, fail: reject };
    });
  }

  bodyCame(bytes: Uint8Array): void {
    try {
      this.#reading?.take(bytes);
    } catch (error) {
      this.#reading?.fail(error);
    }
  }

  bodyFailed(error: DaybookError): void {
    this.#reading?.fail(error);
  }

  callerLeft(): void {
    this.signal.aborted = true;
  }
}

/** The requests of a thread of sockets that a handler has not answered yet. */
export class ThreadRequests {
  readonly #byId = new Map<number, ThreadRequest>();
  readonly #streams: OwnStreams;

  constructor(
    readonly handler: Handler,
    readonly out: TurnBatch<() => ToSockets>,
  ) {
    this.#streams = new OwnStreams(out);
  }

  hear(message: FromSockets): void {
    if (message.kind === "asked") void this.#answer(new ThreadRequest(message.id, message.asked, this.out));
    else if (message.kind === "body") this.#byId.get(message.id)?.bodyCame(message.bytes);
    else if (message.kind === "noBody") this.#byId.get(message.id)?.bodyFailed(errorOf(message.fault));
    else if (message.kind === "gone") this.#byId.get(message.id)?.callerLeft();
    else if (message.kind === "more") this.#streams.more(message.id);
    else if (message.kind === "enough") this.#streams.enough(message.id);
    else if (message.kind === "refused") this.#note(message.refusal);
    else if (message.kind === "unwritten") this.handler.noteDefect(errorOf(message.fault), message.requestId);
  }

  #note(refusal: Refusal): void {
    try {
      this.handler.noteRefused(refusal);
    } catch {
      // It is answered: what a listener of answers throws has no request left to cut off.
    }
  }

  async #answer(request: ThreadRequest): Promise<void> {
    const { id } = request;
    this.#byId.set(id, request);
    try {
      const { status, headers, body } = await this.handler.answer(request);
      if (isStream(body)) {
        this.#streams.open(id, body);
        return this.out.add(() => ({ kind: "reply", id, reply: { status, headers, body: null }, stream: body.isFinite === true ? "finite" : "endless" }));
      }
      // A copy: what is given away is gone, and the handler may still need it.
      this.out.add(() => ({ kind: "reply", id, reply: { status, headers, body: body instanceof Uint8Array && !isShared(body) ? Uint8Array.from(body) : body }, stream: null }));
    } catch {
      this.out.add(() => ({ kind: "cut", id }));
    } finally {
      this.#byId.delete(id);
    }
  }
}
