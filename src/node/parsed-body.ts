import type { IncomingMessage } from "node:http";
import { DaybookError, ERROR_CODES } from "../base/errors.js";
import { bodyTooLarge } from "../http/exchange.js";
import type { WireRequest } from "../http/exchange.js";
import type { SocketRequest } from "./socket-exchange.js";

/** Of what a JSON parser makes an object: under other types an object was something else. */
const JSON_TEXT = /^\s*(application\/json|text\/plain)\s*(;|$)/i;

/** True when somebody read the body before us: what is left of it is not the body. */
export function isReadBefore({ readableDidRead, readableEnded }: IncomingMessage): boolean {
  return readableDidRead || readableEnded;
}

/** A request whose body a parser read before, with what that left in `incoming.body`: bytes and texts as they are, objects as JSON again. */
export function withParsedBody(request: SocketRequest): WireRequest {
  const { method, target, signal, address, fault } = request;
  return {
    method,
    target,
    signal,
    address,
    ...(fault === undefined ? {} : { fault }),
    // Who parsed it has inflated it too.
    header: (name) => (name === "content-encoding" ? null : request.header(name)),
    readBody: async (maxByteLength, onBytes = () => undefined) => {
      const bytes = bytesOf(request.incoming);
      if (bytes.length > maxByteLength) throw bodyTooLarge(maxByteLength);
      onBytes(bytes.length);
      return bytes;
    },
  };
}

/** @throws body_already_read */
function bytesOf(incoming: IncomingMessage & { readonly body?: unknown }): Uint8Array {
  const { body, headers } = incoming;
  if (body instanceof Uint8Array) return body;
  if (typeof body === "string") return Buffer.from(body);
  const isJson = JSON_TEXT.test(headers["content-type"] ?? "application/json");
  if (body === undefined || !isJson) throw new DaybookError("body_already_read", ERROR_CODES.body_already_read);
  return Buffer.from(JSON.stringify(body));
}
