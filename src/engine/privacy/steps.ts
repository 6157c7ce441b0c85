import { acknowledge, extend, verify } from "./lifecycle.js";
import type { StoredRequest } from "./lifecycle.js";
import type { PrivacyRequest, PrivacyRequests } from "./requests.js";

/** Changes a request at a time, epoch ms. @throws invalid_transition */
export type RequestStep = (request: StoredRequest, nowMs: number) => StoredRequest;

/** The steps of a privacy request that only change the request, wherever requests are stored. */
export abstract class PrivacySteps implements Pick<PrivacyRequests, "verify" | "acknowledge" | "extend"> {
  verify(id: string): Promise<PrivacyRequest> {
    return this.step(id, verify);
  }

  acknowledge(id: string): Promise<PrivacyRequest> {
    return this.step(id, acknowledge);
  }

  extend(id: string): Promise<PrivacyRequest> {
    return this.step(id, extend);
  }

  /** Applies a step and stores the changed request. @throws privacy_request_not_found, invalid_transition */
  protected abstract step(id: string, change: RequestStep): Promise<PrivacyRequest>;
}
