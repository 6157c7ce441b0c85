import type { ServerResponse } from "node:http";
import type { BodyStream } from "../../http/wire/exchange.js";
import type { UnreadAnswers } from "./unread-answers.js";

/** The streamed answers of a server. */
export class OpenStreams {
  readonly #open = new Set<BodyStream>();
  #isEnded = false;

  /** Writes a body after its headers, chunk by chunk, each once the caller has read the previous ones; an error cuts the connection. */
  async write(stream: BodyStream, outgoing: ServerResponse, unreadMs: number, unread: UnreadAnswers): Promise<void> {
    this.#open.add(stream);
    if (this.#isEnded && stream.isFinite !== true) stream.cancel();
    // On the socket: an answer queued after others gets no `close` event.
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

  /** Ends all endless streams, and later ones as soon as they start. */
  endAll(): void {
    this.#isEnded = true;
    for (const stream of this.#open) if (stream.isFinite !== true) stream.cancel();
  }
}

/** Resolves when the caller has read what was sent, or is gone. Cuts off callers that read nothing for `unreadMs`. */
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
