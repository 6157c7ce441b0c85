import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DaybookError } from "../base/errors.js";
import { errorReply } from "../http/answer/error-reply.js";
import type { WireReply } from "../http/wire/exchange.js";
import type { SocketRequest } from "./socket-exchange.js";

/** Lets any function of web objects answer. Null: the answer is already on the socket. */
export function replyOverWeb(handler: (request: Request) => Promise<Response>) {
  return async (request: SocketRequest, outgoing: ServerResponse): Promise<WireReply | null> => {
    let response: Response;
    try {
      if (request.fault !== undefined) throw request.fault;
      response = await handler(webRequest(request, signalOf(outgoing)));
    } catch (thrown) {
      return errorReply("problem", thrown, randomUUID());
    }
    outgoing.writeHead(response.status, headersOf(response));
    if (response.body === null) outgoing.end();
    else await pipeline(Readable.fromWeb(response.body as never), outgoing); // node's and the DOM's stream types differ
    return null;
  };
}

/** By name, those that came more than once as a list: what stands in the place of `writeHead` may take a list of all for pairs. */
function headersOf({ headers }: Response): Record<string, string | string[]> {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of headers) {
    const known = values.get(name);
    values.set(name, known === undefined ? value : [known, value].flat());
  }
  return Object.fromEntries(values);
}

/** Aborted when the caller leaves before the answer is whole. */
function signalOf(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** @throws method_not_allowed (TRACE, which no web request can carry), invalid_parameter (no URL) */
function webRequest(request: SocketRequest, signal: AbortSignal): Request {
  const { incoming, method, target } = request;
  const url = `http://${incoming.headers.host ?? "localhost"}${target}`;
  if (method === "TRACE") throw new DaybookError("method_not_allowed", "TRACE is not answered", { allow: "GET, HEAD, POST" });
  if (!URL.canParse(url)) throw new DaybookError("invalid_parameter", "expected a URL as request target");
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "");
  }
  request.proceed();
  const hasBody = method !== "GET" && method !== "HEAD";
  const init: RequestInit & { duplex: "half" } = { method, headers, signal, duplex: "half" };
  if (hasBody) init.body = Readable.toWeb(incoming) as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Request(url, init);
}
