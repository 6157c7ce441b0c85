import type { WireRequest } from "./exchange.js";

/** Nothing that looks like a token: request ids are written into logs. */
const CALLERS_REQUEST_ID = /^(?!.*sk_)[A-Za-z0-9._-]{1,128}$/;

/** The id that a caller gave its request, or a new one. */
export function requestIdOf(request: WireRequest, make: () => string): string {
  const sent = request.header("x-request-id");
  return sent !== null && CALLERS_REQUEST_ID.test(sent) ? sent : make();
}
