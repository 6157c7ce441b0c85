import { tokenValue } from "./access.js";
import { Admission } from "./admission.js";
import { errorReply } from "./error-reply.js";
import type { WireReply, WireRequest } from "./exchange.js";
import type { HandlerLimits } from "./limits.js";
import { requestIdOf } from "./request-id.js";
import type { RouteFace } from "./route.js";
import { createRouter, routeOf } from "./router.js";
import type { Router } from "./router.js";

/** What a front goes by: values only, so that it can stand on another thread than its handler. */
export interface FrontRules {
  readonly routes: readonly RouteFace[];
  readonly limits: HandlerLimits;
}

/** A request that never came to the handler. */
export interface Refusal {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the route. */
  readonly route: string;
  /** The hash of the token, which may be of no known token. */
  readonly sha256: string;
  readonly durationMs: number;
}

/** A request on its way to the handler (`refusal` null), or its answer already. `leave` is called when the handler has answered. */
export interface Entered {
  readonly refusal: WireReply | null;
  leave(): void;
}

const PASSED: Entered = { refusal: null, leave: () => undefined };

/**
 * Stands before a handler on another thread, and refuses requests of a token that has as many with the handler as it may
 * have: so that refusing costs the handler's thread nothing. Everything else is the handler's to judge.
 */
export class Front {
  readonly admission: Admission;
  readonly #router: Router<RouteFace>;

  /** @param onRefused hears of each request that the handler will not see */
  constructor(
    { routes, limits }: FrontRules,
    readonly sha256Hex: (text: string) => string,
    readonly onRefused: (refusal: Refusal) => void,
  ) {
    this.admission = new Admission(limits, () => 0);
    this.#router = createRouter(routes);
  }

  /** Counts a request, or answers it. */
  enter(request: WireRequest): Entered {
    const startedMs = performance.now();
    const asked = this.#asked(request);
    if (asked === null) return PASSED;
    try {
      return { refusal: null, leave: this.admission.enter(asked.sha256) };
    } catch (thrown) {
      const requestId = requestIdOf(request, () => globalThis.crypto.randomUUID());
      const reply = errorReply(asked.route.envelope, thrown, requestId);
      const durationMs = performance.now() - startedMs;
      this.onRefused({ requestId, method: request.method, route: asked.route.path, sha256: asked.sha256, durationMs });
      return { refusal: request.method === "HEAD" ? { ...reply, body: null } : reply, leave: PASSED.leave };
    }
  }

  /** Which route is asked with which token; null where the handler will say what is wrong, or needs no token. */
  #asked(request: WireRequest): { readonly route: RouteFace; readonly sha256: string } | null {
    if (request.fault !== undefined) return null;
    try {
      const route = routeOf(this.#router.find(request.target).resource, request.method);
      if (route.access === null) return null;
      return { route, sha256: this.sha256Hex(tokenValue(request.header("authorization"), route.access.basic)) };
    } catch {
      return null;
    }
  }
}
