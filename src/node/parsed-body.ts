import type { IncomingMessage } from "node:http";
import { DaybookError, ERROR_CODES } from "../base/errors.js";
import { bodyTooLarge } from "../http/wire/exchange.js";
import type { WireRequest } from "../http/wire/exchange.js";
import type { SocketRequest } from "./socket-exchange.js";

/** Of what a JSON parser makes an object: under other types an object was something else. */
const JSON_TEXT = /^\s*(application\/json|text\/plain)\s*(;|$)/i;

/** True when somebody read the body before us: what is left of it is not the body. */
export function isReadBefore({ readableDidRead, readableEnded }: IncomingMessage): boolean {
  return readableDidRead || readableEnded;
}

/** A request whose body a parser read before, with what that left in `incoming.body`: bytes and texts as they are, objects as JSON again. */
export function withParsedBody(request: SocketRequest): WireRequest {
  const { method, target, signal, address, fault, known } = request;
  return {
    method,
    target,
    signal,
    address,
    known,
    ...(fault === undefined ? {} : { fault }),
    header: (name) => (name !== "content-encoding" || isCompressed(request.incoming) ? request.header(name) : null),
    readBody: async (maxByteLength, onBytes = () => undefined) => {
      const bytes = bytesOf(request.incoming);
      if (bytes.length > maxByteLength) throw bodyTooLarge(maxByteLength);
      onBytes(bytes.length);
      return bytes;
    },
  };
}

/** Whether what is left is as compressed as it was sent; mostly who took the body has inflated it too. No JSON begins like this. */
function isCompressed({ body }: IncomingMessage & { readonly body?: unknown }): boolean {
  if (!(body instanceof Uint8Array)) return false;
  const [first = 0, second = 0] = body;
  const isGzip = first === 0x1f && second === 0x8b;
  const isZlib = (first & 0x0f) === 8 && first >>> 4 < 8 && (first * 256 + second) % 31 === 0;
  return isGzip || isZlib;
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
