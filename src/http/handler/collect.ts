import { allowedOrigin } from "../access/token.js";
import { invalidToken } from "../access/authenticator.js";
import { readBody } from "../request/body.js";
import { parseQuery } from "../request/parameters.js";
import type { CollectRoute } from "../routing/route.js";
import { checkShape } from "../shapes/check-shape.js";
import type { WireReply } from "../wire/request-reply.js";
import { sentNoticesOf, type HandlerContext, type RoutedRequest } from "./context.js";

/** Preflight headers, valid for a day. The key in the body decides later whether the origin is allowed. */
const PREFLIGHT = {
  "access-control-allow-methods": "POST",
  "access-control-allow-headers": "content-type",
  "access-control-max-age": "86400",
};

/** Serves a request of a page. Every answer after the origin check has CORS headers, errors included: its trace keeps them. */
export async function handleCollect(
  context: HandlerContext,
  route: CollectRoute,
  { request, requestId, receivedAtMs, query, trace }: RoutedRequest,
): Promise<WireReply> {
  const headers = { "x-request-id": requestId, "cache-control": "no-store" };
  checkShape(route.query, parseQuery(query));
  const origin = request.header("origin");
  if (route.collects === null) return { status: 204, headers: { ...headers, ...corsOf(origin ?? "*"), ...PREFLIGHT }, body: null };
  const held = context.admission.hold("");
  try {
    const body = await readBody(request, route.collects, held);
    checkShape(route.collects.schema, body);
    const address = context.addressOf(request);
    const key = await context.authenticator.findPublicKey(route.reads?.key(body) ?? (body["key"] as string));
    const daybook = context.services.organizations.get(key.organization);
    const rules = key.public;
    if (daybook === undefined || rules === undefined || rules === null) throw invalidToken();
    trace.organization = key.organization;
    trace.headers = corsOf(allowedOrigin(origin, rules.origins));
    const events = route.reads?.events(body) ?? (body["events"] as readonly unknown[]);
    const header = (name: string) => request.header(name);
    const onSentNotices = sentNoticesOf(context, trace);
    await context.collector.collect({ key, rules, daybook, events, address: address ?? "", header, receivedAtMs, onSentNotices });
    return { status: 204, headers, body: null };
  } finally {
    held.release();
  }
}

function corsOf(allowed: string): Readonly<Record<string, string>> {
  return allowed === "*" ? { "access-control-allow-origin": allowed } : { "access-control-allow-origin": allowed, vary: "Origin" };
}
