import type { WireRequest } from "./exchange.js";

/** Excludes anything that looks like a token, because request ids are logged. */
const CALLERS_REQUEST_ID = /^(?!.*sk_)[A-Za-z0-9._-]{1,128}$/;

/** The id that the caller gave the request, or a new one. */
export function requestIdOf(request: WireRequest, make: () => string): string {
  const sent = request.header("x-request-id");
  return sent !== null && CALLERS_REQUEST_ID.test(sent) ? sent : make();
}
