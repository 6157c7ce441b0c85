import { allowedOrigin } from "../../core/base/origin.js";
import { invalidToken } from "../access/authenticator.js";
import { corsOf } from "../access/known-origins.js";
import { readBody } from "../request/body.js";
import { parseQuery } from "../request/parameters.js";
import type { CollectRoute, PreflightRoute } from "../routing/route.js";
import { checkShape } from "../shapes/check-shape.js";
import type { WireReply } from "../wire/request-reply.js";
import { sentNoticesOf, type HandlerContext, type RoutedRequest } from "./context.js";

/**
 * Answers a preflight of any origin: it carries no key and no token. These decide later whether the origin may read an answer; without one, a page
 * learns no more than that the route exists.
 */
export function preflightReply({ preflight: { methods, headers, maxAgeSec } }: PreflightRoute, { request, requestId }: RoutedRequest): WireReply {
  const origin = request.header("origin");
  const allowed = origin === null ? {} : {
    ...corsOf(origin),
    "access-control-allow-methods": methods,
    "access-control-allow-headers": headers,
    "access-control-max-age": String(maxAgeSec),
  };
  return { status: 204, headers: { "x-request-id": requestId, "cache-control": "no-store", ...allowed }, body: null };
}

/** Serves a request of a page. Every answer after the origin check has CORS headers, errors included: its trace keeps them. */
export async function handleCollect(
  context: HandlerContext,
  route: CollectRoute,
  { request, requestId, receivedAtMs, query, trace }: RoutedRequest,
): Promise<WireReply> {
  const headers = { "x-request-id": requestId, "cache-control": "no-store" };
  checkShape(route.query, parseQuery(query));
  const origin = request.header("origin");
  const held = context.admission.hold("");
  try {
    const body = await readBody(request, route.collects, held);
    checkShape(route.collects.schema, body);
    const address = context.addressOf(request);
    const key = await context.authenticator.findPublicKey(route.reads?.key(body) ?? (body["key"] as string));
    const rules = key.public;
    if (rules === undefined || rules === null || !(await context.services.organizations.has(key.organization))) throw invalidToken();
    trace.organization = key.organization;
    trace.headers = corsOf(allowedOrigin(origin, rules.origins));
    const events = route.reads?.events(body) ?? (body["events"] as readonly unknown[]);
    const header = (name: string) => request.header(name);
    const onSentNotices = sentNoticesOf(context, trace);
    await context.collector.collect({ key, rules, events, address: address ?? "", header, receivedAtMs, onSentNotices });
    return { status: 204, headers, body: null };
  } finally {
    held.release();
  }
}
