import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { DaybookError } from "../base/errors.js";
import { SERVER_LIMITS } from "../base/server-limits.js";
import { errorReply } from "../http/answer/error-reply.js";

interface ParseError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** How long the sender of a broken request may take to read the answer. */
const LINGER_MS = 1_000;

/** The parser reports every further packet of a connection that is already lost. */
const answered = new WeakSet<Duplex>();

/** A request and its answer, done or not. */
export interface SocketPair {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/**
 * Answers bytes that are no request, before any handler sees them, and ends the connection. `last` is the newest request
 * that the connection did bring: its answer goes first, and a request that broke after its answer gets no second one.
 */
export function answerClientError(error: ParseError, socket: Duplex, last?: SocketPair): void {
  if (answered.has(socket)) return;
  answered.add(socket);
  if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
  else if (last === undefined) end(socket, answerOf(error));
  else if (!last.incoming.complete) end(socket, last.outgoing.headersSent ? "" : answerOf(error));
  else if (last.outgoing.closed) end(socket, answerOf(error));
  else last.outgoing.once("close", () => end(socket, answerOf(error)));
}

function answerOf(error: ParseError): string {
  const { status, headers, body } = errorReply("problem", faultOf(error), randomUUID());
  const text = typeof body === "string" ? body : "";
  const lines = Object.entries({ ...headers, "content-length": Buffer.byteLength(text), connection: "close" });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${head}\r\n${text}`;
}

function end(socket: Duplex, answer: string): void {
  if (socket.writable) socket.end(answer);
  // Unread bytes at a closed socket would reset the connection and take the answer with them.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function faultOf({ code, rawPacket }: ParseError): DaybookError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return isRequestLine(rawPacket)
        ? new DaybookError("uri_too_long", `expected a URL of at most ${SERVER_LIMITS.urlChars} characters`)
        : new DaybookError("headers_too_large", `expected headers of at most ${SERVER_LIMITS.headerBytes} bytes in all`);
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new DaybookError("body_too_large", "expected smaller chunk extensions");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new DaybookError("request_timeout", "the request did not arrive in time");
    default:
      return new DaybookError("invalid_parameter", "expected an HTTP/1.1 request, got other bytes");
  }
}

/** True when the packet starts a request whose first line alone is over the bound. */
function isRequestLine(packet: Buffer | undefined): boolean {
  if (packet === undefined || packet.length <= SERVER_LIMITS.urlChars) return false;
  return /^[A-Z]+ /.test(packet.toString("latin1", 0, 16)) && packet.subarray(0, SERVER_LIMITS.urlChars).indexOf("\r\n") === -1;
}
