import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
  /** From the first byte sent to the whole answer. */
  readonly latencyMs: number;
}

/** One kept connection, one request at a time: bytes in, answer out, and as little work as possible in between. */
export class Connection {
  readonly #socket: Socket;
  #text = "";
  #sentMs = 0;
  #answered: ((answer: Answer | null) => void) | null = null;
  #written: Promise<void> = Promise.resolve();

  private constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1").setNoDelay(true).setEncoding("latin1");
    this.#socket.on("data", (chunk) => {
      this.#text += String(chunk);
      this.#look();
    });
    this.#socket.on("error", () => undefined).on("close", () => this.#end(null));
  }

  /** Resolves once connected. */
  static async open(port: number): Promise<Connection> {
    const connection = new Connection(port);
    await once(connection.#socket, "connect");
    return connection;
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** Null when the connection ended without an answer. */
  send(request: Buffer): Promise<Answer | null> {
    this.#sentMs = performance.now();
    this.#text = "";
    return new Promise((resolve) => {
      this.#answered = resolve;
      if (!this.isOpen) this.#end(null);
      else this.#written = new Promise((written) => this.#socket.write(request, () => written()));
    });
  }

  /** Resolves when the request has been sent to its end: an answer may come before. */
  get written(): Promise<void> {
    return this.#written;
  }

  close(): void {
    this.#socket.destroy();
  }

  #look(): void {
    const bodyAt = this.#text.indexOf("\r\n\r\n") + 4;
    if (bodyAt === 3) return;
    const head = this.#text.slice(0, bodyAt);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    if (this.#text.length < bodyAt + length) return;
    this.#end({
      status: Number(head.slice(9, 12)),
      retryAfter: /^retry-after: (.*)\r$/im.exec(head)?.[1] ?? null,
      body: this.#text.slice(bodyAt, bodyAt + length),
      latencyMs: performance.now() - this.#sentMs,
    });
  }

  #end(answer: Answer | null): void {
    const answered = this.#answered;
    this.#answered = null;
    answered?.(answer);
  }
}
