import { DaybookError } from "../../base/errors.js";
import { SERVER_LIMITS } from "../../base/server-limits.js";
import { tokenIn } from "../access/access.js";
import type { RequiredAccess } from "../access/access.js";
import { Admission, tooManyOfToken, writtenBytes } from "./admission.js";
import type { Answered } from "../answer/answered.js";
import { errorReply } from "../answer/error-reply.js";
import type { RequestFindings, WireReply, WireRequest } from "../wire/exchange.js";
import type { HandlerLimits } from "./limits.js";
import { requestIdOf } from "../wire/request-id.js";
import type { FrontRoute, RouteFace } from "../routing/route.js";
import { createRouter, routeOf } from "../routing/router.js";
import type { Router } from "../routing/router.js";
import { TokenShares } from "./token-shares.js";

/** What a front goes by: values only, so that it can stand on another thread than its handler. */
export interface FrontRules {
  readonly routes: readonly FrontRoute[];
  readonly limits: HandlerLimits;
}

/** A request that never came to the handler, which knows whose a token is. */
export interface Refusal extends Omit<Answered, "organization"> {
  /** The hash of the token, which may be of no known token; null where none was looked at. */
  readonly sha256: string | null;
}

/** A request on its way to the handler, with what is to be told of it, or its answer already. Left once, when it is answered. */
export type Entered =
  | { readonly refusal: null; readonly known: RequestFindings; leave(): void }
  | { readonly refusal: WireReply; leave(): void };

const leaveNothing = () => undefined;

/** Where a refusal is counted, and in which shape it is told. */
type RefusalShape = Pick<RouteFace, "path" | "envelope">;

/** What is asked, as far as the front looks. */
interface Face {
  readonly route: FrontRoute;
  readonly known: RequestFindings;
}

/** What no route takes, and where that is counted. */
interface Faceless {
  readonly place: RefusalShape | null;
  readonly error: DaybookError;
}

/**
 * Stands before a handler on another thread, and refuses what is too much or no proper request, so that it costs the
 * handler's thread next to nothing: what no route takes, requests of a token that has as many with the handler as it may have, and all when
 * very many are with the handler. Everything else is the handler's to judge, which is told the route and the hash of the token.
 */
export class Front {
  /** Counts the bytes of bodies on this side. */
  readonly admission: Admission;
  readonly #router: Router<FrontRoute>;
  readonly #shares: TokenShares;
  readonly #tooMany: DaybookError;
  readonly #full = new DaybookError("overloaded", "requests come in faster than they can be answered");
  #enteredCount = 0;

  /** @param onRefused hears of each request that the handler will not see */
  constructor(
    { routes, limits }: FrontRules,
    readonly sha256Hex: (text: string) => string,
    readonly onRefused: (refusal: Refusal) => void,
  ) {
    this.admission = new Admission(limits, () => 0);
    this.#router = createRouter(routes);
    this.#shares = new TokenShares(limits.requestsPerTokenCount, SERVER_LIMITS.momentMs);
    this.#tooMany = tooManyOfToken(limits);
  }

  /** Lets a request pass, at once or after a moment, or answers it. */
  async enter(request: WireRequest): Promise<Entered> {
    const startedMs = performance.now();
    const face = this.#faceOf(request);
    if ("error" in face) return this.#refuse(request, face.place, null, face.error, startedMs);
    const { route, known } = face;
    // What everybody may read costs little; what pages send is written.
    if (route.always || (route.access === null && route.method === "GET" && !route.writes)) return { refusal: null, known, leave: leaveNothing };
    const sha256 = known.sha256 ?? null;
    if (this.#enteredCount >= SERVER_LIMITS.enteredRequestCount) return this.#refuse(request, route, sha256, this.#full, startedMs);
    this.#enteredCount += 1;
    if (sha256 !== null && !(await this.#shares.enter(sha256, route.writes ? writtenBytes(request) : null))) {
      this.#enteredCount -= 1;
      return this.#refuse(request, route, sha256, this.#tooMany, startedMs);
    }
    const leave = () => {
      this.#enteredCount -= 1;
      if (sha256 !== null) this.#shares.leave(sha256);
    };
    return { refusal: null, known, leave };
  }

  #refuse(request: WireRequest, place: RefusalShape | null, sha256: string | null, error: DaybookError, startedMs: number): Entered {
    const requestId = requestIdOf(request, () => globalThis.crypto.randomUUID());
    const reply = errorReply(place?.envelope ?? "problem", error, requestId);
    const { method } = request;
    const durationMs = performance.now() - startedMs;
    this.onRefused({ requestId, method, route: place?.path ?? null, status: reply.status, code: error.code, sha256, durationMs });
    return { refusal: method === "HEAD" ? { ...reply, body: null } : reply, leave: leaveNothing };
  }

  /** Looks in the order in which the handler would: what is no path, what the socket found wrong, what no route of the path takes. */
  #faceOf(request: WireRequest): Face | Faceless {
    let place: RefusalShape | null = null;
    try {
      const { resource, params, query } = this.#router.find(request.target);
      place = resource;
      if (request.fault !== undefined) throw request.fault;
      const route = routeOf(resource, request.method);
      return { route, known: { path: resource.path, params, query, sha256: this.#hashOf(request, route.access) } };
    } catch (thrown) {
      if (thrown instanceof DaybookError) return { place, error: thrown };
      throw thrown;
    }
  }

  /** Null where the handler will say what is missing: that it has too much to do comes before. */
  #hashOf(request: WireRequest, access: RequiredAccess | null): string | null {
    const value = access === null ? undefined : tokenIn(request.header("authorization"), access.basic);
    return value === undefined ? null : this.sha256Hex(value);
  }
}
