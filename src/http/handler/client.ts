import { DaybookError } from "../../base/errors.js";
import type { ErrorCode } from "../../base/errors.js";
import { authorize } from "../access/access.js";
import type { TokenRecord } from "../access/token.js";
import type { Trace } from "../answer/answered.js";
import type { Held } from "../overload/admission.js";
import { readBody } from "../request/body.js";
import { membersOfFields } from "../request/form.js";
import { parseQuery } from "../request/query.js";
import type { ClientRoute, ClientSent, Visitor } from "../routing/route.js";
import type { WireReply, WireRequest } from "../wire/exchange.js";
import { callerOf } from "./respond.js";
import type { Context } from "./respond.js";

/** What can be wrong with a request as text: its words are quoted then, and they may hold the key. */
const UNREADABLE: readonly ErrorCode[] = ["malformed_json", "invalid_body", "invalid_parameter", "duplicate_parameter"];

/** A request of a client library: its body, its key, its rights, what it tells. @param trace gets the organization, and what is wrong with a part */
export async function takeFromClient(context: Context, route: ClientRoute, query: string, request: WireRequest, requestId: string, trace: Trace): Promise<WireReply> {
  if (request.method === "HEAD") throw new DaybookError("method_not_allowed", `expected ${route.method}, got HEAD`, { allow: route.method });
  const receivedAtMs = context.clock.now();
  const held = context.admission.hold("");
  try {
    const address = context.addressOf(request);
    const { fields, body } = await readSent(route, query, request, held);
    let token: TokenRecord | null = null;
    const sender = `${address ?? ""}\0${request.header("user-agent") ?? ""}`;
    const sent: ClientSent = {
      body,
      query: fields,
      receivedAtMs,
      header: (name) => request.header(name),
      readAgent: context.readAgent,
      sha256Hex: context.sha256Hex,
      repeatId: (text) => context.repeats.idOf(`${sender}\0${route.path}\0${text}`),
      visitor: (seen, atMs): Promise<Visitor> => {
        if (token === null) throw new DaybookError("internal", "a visitor is one of a token");
        return context.collector.visitor(token, seen.address ?? address ?? "", seen.userAgent ?? request.header("user-agent") ?? "", atMs);
      },
    };
    const value = route.keyOf(sent);
    if (typeof value !== "string" || value === "") throw new DaybookError("missing_token", "expected the token in the place of the key that the client was given");
    token = await context.gate.secretKey(value, address);
    trace.organization = token.organization;
    authorize({ scope: "events:write" }, token);
    const leave = context.admission.enter(token.sha256);
    try {
      const answer = await route.take(callerOf(context.house, token, undefined), sent);
      trace.code = answer.code;
      const headers = { "content-type": "application/json; charset=utf-8", "x-request-id": requestId, "cache-control": "no-store" };
      const told = answer.status === 200 ? answer.value : { ...(answer.value as object), request_id: requestId };
      return { status: answer.status, headers, body: JSON.stringify(told) };
    } finally {
      leave();
    }
  } finally {
    held.release();
  }
}

/** Query and body, the one in place of the other where there is none. @throws what reading throws, in words that quote nothing */
async function readSent(route: ClientRoute, query: string, request: WireRequest, held: Held): Promise<{ fields: Record<string, string>; body: Record<string, unknown> }> {
  try {
    const fields = parseQuery(query);
    return { fields, body: route.sends === null ? membersOfFields(fields, "data") : await readBody(request, route.sends, held) };
  } catch (thrown) {
    if (!(thrown instanceof DaybookError) || !UNREADABLE.includes(thrown.code)) throw thrown;
    throw new DaybookError(thrown.code, "expected what the client library sends, it cannot be read");
  }
}
