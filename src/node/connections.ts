import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Connections beyond the bound, on which nothing but what is always answered is answered. */
const RESERVE_COUNT = 64;

/**
 * The connections of a server, a bounded number: one more closes the one that waits longest for a request, first of those that never sent one. Where
 * all others wait for answers, it is one of a few on which only what is always answered is answered.
 */
export class Connections {
  /** Each with the requests on it that are not answered; in the order in which they were opened. */
  readonly #underWay = new Map<Socket, number>();
  /** On which nothing was asked yet, and on which everything is answered: those that wait longest first. */
  readonly #silent = new Set<Socket>();
  readonly #idle = new Set<Socket>();

  constructor(
    server: Server,
    readonly connectionCount: number,
  ) {
    server.maxConnections = connectionCount + RESERVE_COUNT;
    server.on("connection", (socket) => this.#opened(socket));
  }

  /** A request came. */
  asked(socket: Socket): void {
    const count = this.#underWay.get(socket);
    if (count === undefined) return;
    this.#underWay.set(socket, count + 1);
    this.#silent.delete(socket);
    this.#idle.delete(socket);
  }

  /** And is answered. */
  answered(socket: Socket): void {
    const count = this.#underWay.get(socket);
    if (count === undefined) return;
    this.#underWay.set(socket, count - 1);
    if (count === 1) this.#idle.add(socket);
  }

  /** Whether more connections than the bound wait for answers. */
  get isFull(): boolean {
    return this.#underWay.size - this.#silent.size - this.#idle.size > this.connectionCount;
  }

  /** Ends those on which nothing was asked: node does not count them as idle. */
  endSilent(): void {
    for (const socket of this.#silent) socket.destroy();
  }

  #opened(socket: Socket): void {
    if (this.#underWay.size >= this.connectionCount) this.#makeRoom();
    this.#underWay.set(socket, 0);
    this.#silent.add(socket);
    socket.once("close", () => this.#closed(socket));
  }

  #makeRoom(): void {
    const [quiet = this.#idle.values().next().value] = this.#silent;
    if (quiet === undefined) return;
    this.#closed(quiet);
    quiet.destroy();
  }

  #closed(socket: Socket): void {
    this.#underWay.delete(socket);
    this.#silent.delete(socket);
    this.#idle.delete(socket);
  }
}
