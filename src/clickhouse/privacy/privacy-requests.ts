import { DaybookError } from "../../base/errors.js";
import { readStopOptions, type StopOptions } from "../../base/stop-options.js";
import { uuidText, writeUuidV7 } from "../../base/uuid.js";
import { ERASING } from "../../engine/privacy/erased.js";
import {
  expire, newRequest, readPrivacyInput, readResolution, refuseBundle, resolve, shownRequest, shownRequests,
} from "../../engine/privacy/lifecycle.js";
import type { PrivacyRequest, PrivacyRequestInput, PrivacyRequests, PrivacyResolution } from "../../engine/privacy/requests.js";
import { PrivacySteps } from "../../engine/privacy/steps.js";
import type { Step } from "../../engine/privacy/steps.js";
import { normalEmail } from "../../plan/subject.js";
import type { Subjects } from "../question/subject.js";
import { finishLeft } from "../removal/perform.js";
import { Removal } from "../removal/removal.js";
import { bundleOf } from "./bundle.js";
import { erasedRows } from "./erased-rows.js";
import { carryOut, type ErasureContext } from "./erasure.js";
import { idOf, namedBy, personOfRequest } from "./people.js";
import type { Erasing, KeptRequest } from "./request-table.js";

/** What privacy requests need. */
export interface PrivacyContext extends ErasureContext {
  /** Finds people as of now. */
  readonly subjects: (signal?: Pick<AbortSignal, "aborted">) => Promise<Subjects>;
}

/** The privacy requests of an organization: rows of a table, which every process reads anew. */
export class ClickHousePrivacyRequests extends PrivacySteps implements PrivacyRequests {
  readonly #context: PrivacyContext;

  constructor(context: PrivacyContext) {
    super();
    this.#context = context;
  }

  async create(input: PrivacyRequestInput): Promise<PrivacyRequest> {
    const { clock, random, requests, subjects } = this.#context;
    const read = readPrivacyInput(input);
    const nowMs = clock.now();
    const id = new Uint8Array(16);
    writeUuidV7(nowMs, random, id, 0);
    const request = newRequest(read, { nowMs, id: uuidText(id), ...(await namedBy(read.subject, await subjects())) });
    await requests.put([{ request, erasing: null }]);
    return shownRequest(request, nowMs);
  }

  async list(): Promise<readonly PrivacyRequest[]> {
    const { clock, requests } = this.#context;
    return shownRequests((await requests.all()).map(({ request }) => request), clock.now());
  }

  async get(id: string): Promise<PrivacyRequest> {
    const { clock, requests } = this.#context;
    return shownRequest((await requests.get(id)).request, clock.now());
  }

  async resolve(id: string, resolution: PrivacyResolution): Promise<PrivacyRequest> {
    const { clock, requests } = this.#context;
    const wanted = readResolution(resolution);
    const kept = await this.#kept(id);
    if (kept.request.type !== "erasure" || !ERASING.includes(wanted))
      return await this.step(id, (request, nowMs) => resolve(request, wanted, nowMs));
    await carryOut(kept, kept.erasing ?? (await this.#begin(kept, wanted)), this.#context);
    return shownRequest((await requests.get(id)).request, clock.now());
  }

  async *bundle(id: string, options?: StopOptions): AsyncGenerator<string> {
    const { signal } = readStopOptions(options);
    const { request } = await this.#kept(id);
    refuseBundle(request);
    const subjects = await this.#context.subjects(signal);
    const person = await personOfRequest(request, subjects);
    if (person === null) throw new DaybookError("identity_not_found", "nothing is held about the subject of this request");
    yield* bundleOf(person, subjects);
  }

  /** Finishes erasures and deletions that processes which ended left undone. */
  async finishLeft(): Promise<void> {
    const all = await this.#context.requests.all();
    for (const kept of all) if (kept.erasing !== null) await carryOut(kept, kept.erasing, this.#context);
    const begun = (await this.#context.requests.all()).flatMap(({ erasing }) => (erasing === null ? [] : [erasing.removal]));
    await finishLeft(this.#context, new Set(begun));
  }

  /** Notes who goes, and that the erasure has begun: from then on any process can finish it. @throws invalid_transition */
  async #begin({ request }: KeptRequest, resolution: PrivacyResolution): Promise<Erasing> {
    const { clock, requests } = this.#context;
    const atMs = clock.now();
    resolve(request, resolution, atMs);
    if ("erased" in request.subject) throw new DaybookError("invalid_transition", "the subject of this request was erased already");
    const subjects = await this.#context.subjects();
    const person = await personOfRequest(request, subjects);
    const email = "email" in request.subject ? normalEmail(request.subject.email) : null;
    const { notes, receipt } = await erasedRows(person, email, subjects, atMs);
    const removal = await Removal.begin(this.#context, [["request", request.id], ...notes]);
    // Another process may have begun meanwhile, and found more.
    const { erasing } = await requests.get(request.id);
    if (erasing !== null) return erasing;
    const begun = { removal: removal.id, resolution, identityId: person === null ? null : idOf(person), atMs, receipt };
    await requests.put([{ request, erasing: begun }]);
    return begun;
  }

  /** As of now: what nobody verified in time has ended by itself. @throws privacy_request_not_found */
  async #kept(id: string): Promise<KeptRequest> {
    const { clock, requests } = this.#context;
    const kept = await requests.get(id);
    return { ...kept, request: expire(kept.request, clock.now()) };
  }

  /** @throws invalid_transition, also while an erasure has begun and is not done */
  protected async step(id: string, change: Step): Promise<PrivacyRequest> {
    const { clock, requests } = this.#context;
    const nowMs = clock.now();
    const kept = await this.#kept(id);
    if (kept.erasing !== null) throw new DaybookError("invalid_transition", "the erasure has begun: resolve the request again to finish it");
    const request = change(kept.request, nowMs);
    await requests.put([{ request, erasing: null }]);
    return shownRequest(request, nowMs);
  }
}
