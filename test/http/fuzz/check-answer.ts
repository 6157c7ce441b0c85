import { ERROR_CODES, type ErrorCode } from "../../../src/core/base/errors.js";
import { createRouter, routeOf } from "../../../src/http/routing/router.js";
import { preflightRoutes } from "../../../src/http/routes/browser.js";
import { routes } from "../../../src/http/routes/table.js";
import type { Route } from "../../../src/http/routing/route.js";
import { ARROW_TYPE } from "../../../src/http/wire/request-reply.js";
import { STATUS } from "../../../src/http/answer/error-reply.js";
import type { FuzzRequest } from "./requests.js";

/** An answer, whatever way it came. Names of headers are lower-case. */
export interface FuzzAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

const router = createRouter([...routes, ...preflightRoutes(routes)]);
const PRIVATE = /sk_(?:owner|shop|other|analytics|search|write|expired|revoked|nowhere)|\n {4}at |node_modules|\/src\/|file:\/\//;

/** What is wrong with an answer; empty when nothing is. */
export function flawsOf(request: FuzzRequest, answer: FuzzAnswer): string[] {
  const flaws: string[] = [];
  const expect = (holds: boolean, flaw: string) => {
    if (!holds) flaws.push(flaw);
  };
  const { status, headers, text } = answer;
  const all = [...headers].join("\n");
  expect(status !== 500, "status 500");
  expect(!PRIVATE.test(text) && !PRIVATE.test(all), "shows a token or the inside");
  expect(/^[A-Za-z0-9._-]{1,128}$/.test(headers.get("x-request-id") ?? ""), "no X-Request-Id");
  const isOfParser = status === 431 && text.includes("8192 bytes");
  if ((request.method === "HEAD" && !isOfParser) || status === 304) expect(text === "", "a body where none belongs");
  if (status >= 400 && request.method !== "HEAD") flaws.push(...errorFlaws(request, answer));
  if (status < 400) flaws.push(...successFlaws(request, answer));
  return flaws;
}

function errorFlaws({ target }: FuzzRequest, { status, headers, text }: FuzzAnswer): string[] {
  const flaws: string[] = [];
  // What the parser refuses has no path yet.
  const isClient = isRoute(target) && !text.includes("8192 bytes") && router.find(target).resource.envelope === "client";
  const isOlder = !text.includes("8192 bytes") && /^\/(analytics\/[a-z-]+|search-events)$/.test(pathOf(target)) && isRoute(target);
  const body = JSON.parse(text) as Record<string, unknown>;
  const error = (isOlder ? body["error"] : body) as Record<string, unknown> | undefined;
  const code = String(error?.[isClient ? "reason" : "code"]);
  if (!Object.hasOwn(ERROR_CODES, code)) return [`no error code of the table in ${text.slice(0, 200)}`];
  if (STATUS[code as ErrorCode] !== status) flaws.push(`${code} with status ${status}`);
  if (isOlder) {
    if (body["status"] !== "ERROR" || typeof error?.["message"] !== "string") flaws.push("not the older envelope");
  } else if (isClient) {
    if (body["status"] !== 0 || body["code"] !== status || typeof body["error"] !== "string") flaws.push("not the envelope of clients");
  } else if (body["status"] !== status || body["type"] !== `urn:daybook:error:${code}` || typeof body["detail"] !== "string" || typeof body["title"] !== "string")
    flaws.push("not the problem envelope");
  if (error?.["request_id"] !== headers.get("x-request-id")) flaws.push("another request_id in the body");
  const type = isOlder || isClient ? "application/json; charset=utf-8" : "application/problem+json";
  if (headers.get("content-type") !== type) flaws.push(`content type ${headers.get("content-type")}`);
  if (status === 401 && headers.get("www-authenticate") !== "Bearer") flaws.push("401 without WWW-Authenticate");
  if (status === 405 && !headers.has("allow")) flaws.push("405 without Allow");
  if ((code === "rate_limited" || code === "overloaded") && !/^[1-9]\d*$/.test(headers.get("retry-after") ?? "")) flaws.push("no Retry-After");
  if (headers.has("etag")) flaws.push("an error with an ETag");
  return flaws;
}

function successFlaws(request: FuzzRequest, { status, headers, text }: FuzzAnswer): string[] {
  const route = routeFor(request);
  const flaws: string[] = [];
  if (route.etag !== headers.has("etag")) flaws.push(`ETag ${headers.get("etag")} of a route that has ${route.etag ? "one" : "none"}`);
  if (status === 304) {
    if (!request.headers.some(([name]) => name.toLowerCase() === "if-none-match")) flaws.push("304 unasked");
    return flaws;
  }
  const expected = "open" in route ? [200, 503] : "preflight" in route ? [204] : [route.status ?? 200];
  if (!expected.includes(status)) flaws.push(`status ${status}`);
  if (headers.get("content-type") === ARROW_TYPE)
    return request.headers.some(([name, value]) => name.toLowerCase() === "accept" && value.includes(ARROW_TYPE)) ? flaws : [...flaws, "Arrow unasked"];
  if (request.method === "HEAD" || status === 204) return text === "" ? flaws : [...flaws, "a body where none belongs"];
  if (route.format === "ndjson") for (const line of text.split("\n")) JSON.parse(line === "" ? "{}" : line);
  else if (!route.answer.safeParse(route.format === "text" || route.format === "events" ? text : JSON.parse(text)).success) flaws.push(`an answer of another shape: ${text.slice(0, 300)}`);
  return flaws;
}

function routeFor({ method, target }: FuzzRequest): Route {
  return routeOf(router.find(target).resource, method);
}

function isRoute(target: string): boolean {
  try {
    router.find(target);
    return true;
  } catch {
    return false;
  }
}

function pathOf(target: string): string {
  return target.split(/[?#]/)[0] ?? "";
}
