import { DaybookError } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { isSignedToken } from "../../engine/tokens/scope-token.js";
import { tokenIn } from "../access/authenticator.js";
import { KnownOrigins } from "../access/known-origins.js";
import type { RequiredAccess } from "../access/rights.js";
import { Admission, TokenShares, tooManyOfToken, writtenBytes, type HandlerLimits } from "./admission.js";
import type { Answered } from "../answer/request-counts.js";
import { errorReply } from "../answer/error-reply.js";
import { joinedHeaders } from "../answer/headers.js";
import { requestIdOf, type RequestFindings, type WireReply, type WireRequest } from "../wire/request-reply.js";
import type { EdgeRoute, RouteSummary } from "../routing/route.js";
import { createRouter, routeOf, type Router } from "../routing/router.js";

/** Rules of the edge filter: plain values, so that it can run on another thread than the handler. */
export interface EdgeRules {
  readonly routes: readonly EdgeRoute[];
  readonly limits: HandlerLimits;
}

/** A request that was refused before it reached the handler; only the handler can map the token to its organization. */
export interface Refusal extends Omit<Answered, "organization"> {
  /** Hash of the token, which may be unknown; null if no token was read. */
  readonly sha256: string | null;
}

/**
 * A request for the handler with the findings about it, or a refusal. Call `answered` with its answer, and `release` once, after the answer.
 * `isPrompt`: the answer depends on the path alone, and must come even while the handler is busy.
 */
export type EdgeDecision =
  | { readonly refusal: null; readonly findings: RequestFindings; readonly isPrompt: boolean; answered(reply: WireReply): void; release(): void }
  | { readonly refusal: WireReply; release(): void };

const doNothing = () => undefined;

type RefusalShape = Pick<RouteSummary, "path" | "envelope">;

interface ResolvedRoute {
  readonly route: EdgeRoute;
  readonly findings: RequestFindings;
}

/** The error of a request without a route, and the path it counts for; null: no path matches. */
interface UnresolvedRoute {
  readonly shape: RefusalShape | null;
  readonly error: DaybookError;
}

/**
 * Runs on the sockets' thread only. Refuses malformed requests, requests without a route, those of a token that has reached its limit in the handler,
 * and all requests once too many are in the handler. The handler decides about the others; it gets the route and the hash of the token.
 */
export class EdgeFilter {
  /** Counts the bytes of bodies on this thread. */
  readonly admission: Admission;
  readonly #router: Router<EdgeRoute>;
  readonly #shares: TokenShares;
  readonly #tooMany: DaybookError;
  readonly #full = new DaybookError("overloaded", "requests arrive faster than they can be answered");
  readonly #knownOrigins = new KnownOrigins();
  #admittedCount = 0;

  /** @param onRefused called for each refused request */
  constructor(
    { routes, limits }: EdgeRules,
    readonly sha256Hex: (text: string) => string,
    readonly onRefused: (refusal: Refusal) => void,
  ) {
    this.admission = new Admission(limits, () => 0);
    this.#router = createRouter(routes);
    this.#shares = new TokenShares(limits.requestsPerTokenCount, SERVER_LIMITS.tokenWaitMs);
    this.#tooMany = tooManyOfToken(limits);
  }

  /** Passes a request to the handler, at once or after a short wait, or refuses it. */
  async admit(request: WireRequest): Promise<EdgeDecision> {
    const startedMs = performance.now();
    const resolved = this.#resolve(request);
    if ("error" in resolved) return this.#refuse(request, resolved.shape, null, resolved.error, startedMs);
    const { route, findings } = resolved;
    // Public GET routes are cheap; beacon requests count as writes.
    const isCheap = route.access === null && route.method === "GET" && !route.writes;
    if (route.always || isCheap) {
      const isPrompt = route.always && isCheap && request.method === "GET" && findings.query === "";
      return { refusal: null, findings, isPrompt, answered: doNothing, release: doNothing };
    }
    const sha256 = findings.sha256 ?? null;
    if (this.#admittedCount >= SERVER_LIMITS.forwardedRequestCount) return this.#refuse(request, route, sha256, this.#full, startedMs);
    this.#admittedCount += 1;
    if (sha256 !== null && !(await this.#shares.acquire(sha256, route.writes ? writtenBytes(request) : null))) {
      this.#admittedCount -= 1;
      return this.#refuse(request, route, sha256, this.#tooMany, startedMs);
    }
    const release = () => {
      this.#admittedCount -= 1;
      if (sha256 !== null) this.#shares.release(sha256);
    };
    const origin = findings.isSigned === true && sha256 !== null ? request.header("origin") : null;
    const answered = origin === null || sha256 === null ? doNothing : ({ headers }: WireReply) => this.#knownOrigins.remember(sha256, origin, headers);
    return { refusal: null, findings, isPrompt: false, answered, release };
  }

  #refuse(request: WireRequest, shape: RefusalShape | null, sha256: string | null, error: DaybookError, startedMs: number): EdgeDecision {
    const requestId = requestIdOf(request, () => globalThis.crypto.randomUUID());
    const refusal = errorReply(shape?.envelope ?? "problem", error, requestId);
    const reply = { ...refusal, headers: joinedHeaders(refusal.headers, this.#knownOrigins.headersOf(sha256, request.header("origin"))) };
    const { method } = request;
    const durationMs = performance.now() - startedMs;
    this.onRefused({ requestId, method, route: shape?.path ?? null, status: reply.status, code: error.code, sha256, durationMs });
    return { refusal: method === "HEAD" ? { ...reply, body: null } : reply, release: doNothing };
  }

  /** Checks in the handler's order: unknown path, fault of the transport, method that the path does not support. */
  #resolve(request: WireRequest): ResolvedRoute | UnresolvedRoute {
    let shape: RefusalShape | null = null;
    try {
      const { resource, params, query } = this.#router.find(request.target);
      shape = resource;
      if (request.fault !== undefined) throw request.fault;
      const route = routeOf(resource, request.method);
      return { route, findings: { path: resource.path, params, query, ...this.#tokenOf(request, route.access) } };
    } catch (thrown) {
      if (thrown instanceof DaybookError) return { shape, error: thrown };
      throw thrown;
    }
  }

  /** No hash if the route needs no token or none was sent: the handler reports a missing one, after its overload check. */
  #tokenOf(request: WireRequest, access: RequiredAccess | null): Pick<RequestFindings, "sha256" | "isSigned"> {
    const value = access === null ? undefined : tokenIn(request.header("authorization"), access.basic);
    if (value === undefined) return { sha256: null };
    return { sha256: this.sha256Hex(value), ...(isSignedToken(value) ? { isSigned: true } : {}) };
  }
}
