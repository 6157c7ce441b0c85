import { DaybookError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import { tokenValue } from "../access/access.js";
import { Admission, tooManyOfToken } from "./admission.js";
import type { Answered } from "../answer/answered.js";
import { errorReply } from "../answer/error-reply.js";
import type { WireReply, WireRequest } from "../wire/exchange.js";
import type { HandlerLimits } from "./limits.js";
import { requestIdOf } from "../wire/request-id.js";
import type { RouteFace } from "../routing/route.js";
import { createRouter, routeOf } from "../routing/router.js";
import type { Router } from "../routing/router.js";
import { TokenShares } from "./token-shares.js";

/** What a front goes by: values only, so that it can stand on another thread than its handler. */
export interface FrontRules {
  readonly routes: readonly RouteFace[];
  readonly limits: HandlerLimits;
}

/** A request that never came to the handler, which knows whose a token is. */
export interface Refusal extends Omit<Answered, "organization"> {
  /** The hash of the token, which may be of no known token; null where none was looked at. */
  readonly sha256: string | null;
}

/** A request on its way to the handler (`refusal` null), or its answer already. */
export interface Entered {
  readonly refusal: WireReply | null;
  /** Called once, when it is answered. */
  leave(): void;
}

const PASSED: Entered = { refusal: null, leave: () => undefined };

/** Where a refusal is counted, and in which shape it is told. */
type Place = Pick<RouteFace, "path" | "envelope">;

/** What is asked, as far as the front looks. */
interface Face {
  readonly route: RouteFace;
  /** Null: open to everyone. */
  readonly sha256: string | null;
}

/**
 * Stands before a handler on another thread, and refuses what is too much or no proper request, so that it costs the
 * handler's thread next to nothing: requests of a token that has as many with the handler as it may have, and all when very many
 * are with the handler. Everything else is the handler's to judge.
 */
export class Front {
  /** Counts the bytes of bodies on this side. */
  readonly admission: Admission;
  readonly #router: Router<RouteFace>;
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
    this.#shares = new TokenShares(limits.requestsPerTokenCount);
    this.#tooMany = tooManyOfToken(limits);
  }

  /** Lets a request pass, at once or after a moment, or answers it. */
  async enter(request: WireRequest): Promise<Entered> {
    const startedMs = performance.now();
    if (request.fault !== undefined) return this.#refuseFault(request, request.fault, startedMs);
    const face = this.#faceOf(request);
    if (face !== null && face.sha256 === null) return PASSED;
    const sha256 = face?.sha256 ?? null;
    if (this.#enteredCount >= LIMITS.enteredRequestCount) return this.#refuse(request, face?.route ?? null, sha256, this.#full, startedMs);
    this.#enteredCount += 1;
    if (sha256 !== null && !(await this.#shares.enter(sha256))) {
      this.#enteredCount -= 1;
      return this.#refuse(request, face?.route ?? null, sha256, this.#tooMany, startedMs);
    }
    const leave = () => {
      this.#enteredCount -= 1;
      if (sha256 !== null) this.#shares.leave(sha256);
    };
    return { refusal: null, leave };
  }

  #refuseFault(request: WireRequest, fault: DaybookError, startedMs: number): Entered {
    try {
      return this.#refuse(request, this.#router.find(request.target).resource, null, fault, startedMs);
    } catch (thrown) {
      return this.#refuse(request, null, null, thrown instanceof DaybookError ? thrown : fault, startedMs);
    }
  }

  #refuse(request: WireRequest, place: Place | null, sha256: string | null, error: DaybookError, startedMs: number): Entered {
    const requestId = requestIdOf(request, () => globalThis.crypto.randomUUID());
    const reply = errorReply(place?.envelope ?? "problem", error, requestId);
    const { method } = request;
    const durationMs = performance.now() - startedMs;
    this.onRefused({ requestId, method, route: place?.path ?? null, status: reply.status, code: error.code, sha256, durationMs });
    return { ...PASSED, refusal: method === "HEAD" ? { ...reply, body: null } : reply };
  }

  /** Null where the handler will say what is wrong. */
  #faceOf(request: WireRequest): Face | null {
    try {
      const route = routeOf(this.#router.find(request.target).resource, request.method);
      if (route.access === null) return { route, sha256: null };
      return { route, sha256: this.sha256Hex(tokenValue(request.header("authorization"), route.access.basic)) };
    } catch {
      return null;
    }
  }
}
