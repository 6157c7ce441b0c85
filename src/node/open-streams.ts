import type { ServerResponse } from "node:http";
import type { BodyStream } from "../http/wire/exchange.js";
import type { UnreadAnswers } from "./unread-answers.js";

/** The answers of a server that are made as time goes on. */
export class OpenStreams {
  readonly #open = new Set<BodyStream>();
  #isEnded = false;

  /** Writes a body whose headers are written, piece by piece, each when the caller took those before; an error cuts the connection. */
  async write(stream: BodyStream, outgoing: ServerResponse, unreadMs: number, unread: UnreadAnswers): Promise<void> {
    this.#open.add(stream);
    if (this.#isEnded && stream.isFinite !== true) stream.cancel();
    // Of the socket: an answer that has yet to wait for others hears nothing of its end.
    const { socket } = outgoing.req;
    const cancel = () => stream.cancel();
    socket.once("close", cancel);
    outgoing.once("close", cancel);
    try {
      for (let piece = await stream.next(); piece !== null; piece = await stream.next()) {
        if (outgoing.destroyed) break;
        const isTaken = outgoing.write(piece);
        unread.written(outgoing);
        if (!isTaken) await drained(outgoing, unreadMs);
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

  /** Ends all that would go on for ever, and such that are to come at once. */
  endAll(): void {
    this.#isEnded = true;
    for (const stream of this.#open) if (stream.isFinite !== true) stream.cancel();
  }
}

/** Resolves when the caller took what was sent, or is gone. Who takes nothing for too long is cut off. */
function drained(outgoing: ServerResponse, unreadMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => outgoing.destroy(), unreadMs);
    const end = () => {
      clearTimeout(timer);
      outgoing.off("drain", end).off("close", end);
      resolve();
    };
    outgoing.on("drain", end).on("close", end);
  });
}
