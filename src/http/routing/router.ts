import { DaybookError, parameterError } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { Envelope } from "../answer/error-reply.js";
import type { RequestFindings } from "../wire/request-reply.js";
import type { RouteSummary } from "./route.js";

interface Resource<R extends RouteSummary> {
  readonly path: string;
  readonly segments: readonly string[];
  readonly envelope: Envelope;
  readonly byMethod: ReadonlyMap<string, R>;
  readonly allow: string;
}

export interface MatchedRoute<R extends RouteSummary> {
  readonly resource: Resource<R>;
  readonly params: Readonly<Record<string, string>>;
  /** Text after the `?`. */
  readonly query: string;
}

export interface Router<R extends RouteSummary> {
  /** Finds the resource of a target. @throws uri_too_long, route_not_found, invalid_parameter (broken percent-encoding) */
  find(target: string): MatchedRoute<R>;
  /** Converts the findings of another router of the same table. @throws internal (unknown path) */
  resolve(findings: RequestFindings): MatchedRoute<R>;
}

const NO_PARAMS: Readonly<Record<string, string>> = {};

/** Compiles the table once: paths without parameters cost one lookup. */
export function createRouter<R extends RouteSummary>(routes: readonly R[]): Router<R> {
  const byPath = new Map<string, Resource<R>>();
  for (const { path } of routes) {
    if (!byPath.has(path)) byPath.set(path, resourceOf(routes.filter((route) => route.path === path)));
  }
  const resources = [...byPath.values()];
  return {
    find: (target) => {
      if (target.length > SERVER_LIMITS.urlChars) {
        throw new DaybookError("uri_too_long", `expected a URL of at most ${SERVER_LIMITS.urlChars} characters, got ${target.length}`);
      }
      const queryAt = target.indexOf("?");
      const path = queryAt === -1 ? target : target.slice(0, queryAt);
      const query = queryAt === -1 ? "" : target.slice(queryAt + 1);
      const exact = byPath.get(path);
      if (exact !== undefined && !path.includes("{")) return { resource: exact, params: NO_PARAMS, query };
      const segments = path.split("/").map(decodeSegment);
      for (const resource of resources) {
        const params = paramsOf(resource.segments, segments);
        if (params !== null) return { resource, params, query };
      }
      throw new DaybookError("route_not_found", `no route ${path.slice(0, 200)}`);
    },
    resolve: ({ path, params, query }) => {
      const resource = byPath.get(path);
      if (resource === undefined) throw new DaybookError("internal", `expected the path of a route, got ${path.slice(0, 200)}`);
      return { resource, params, query };
    },
  };
}

/** The route for a method; HEAD is served by GET. @throws method_not_allowed */
export function routeOf<R extends RouteSummary>(resource: Resource<R>, method: string): R {
  const route = resource.byMethod.get(method === "HEAD" ? "GET" : method);
  if (route !== undefined) return route;
  throw new DaybookError("method_not_allowed", `expected ${resource.allow}, got ${method}`, { allow: resource.allow });
}

function resourceOf<R extends RouteSummary>(routes: readonly R[]): Resource<R> {
  const [first] = routes;
  if (first === undefined) throw new DaybookError("internal", "a path needs a route");
  const methods = routes.flatMap((route) => (route.method === "GET" ? ["GET", "HEAD"] : [route.method]));
  return {
    path: first.path,
    segments: first.path.split("/"),
    envelope: first.envelope,
    byMethod: new Map(routes.map((route) => [route.method, route])),
    allow: methods.join(", "),
  };
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [at, expected] of pattern.entries()) {
    const segment = segments[at] ?? "";
    if (expected.startsWith("{")) {
      if (segment === "") return null;
      params[expected.slice(1, -1)] = segment;
    } else if (segment !== expected) return null;
  }
  return params;
}

function decodeSegment(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw parameterError("invalid_parameter", "path", `expected percent-encoded UTF-8, got ${JSON.stringify(segment.slice(0, 80))}`);
  }
}
