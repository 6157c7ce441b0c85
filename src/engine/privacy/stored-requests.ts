import { DaybookError, shown } from "../../core/base/errors.js";
import { newUuidText } from "../../core/base/uuid.js";
import { normalEmail } from "../../query/plan/reports/identity.js";
import type { IdentityView } from "../../identity/identity-view.js";
import type { ErasedCounts } from "../../store/upkeep/erase.js";
import { readStopOptions, type StopOptions } from "../../core/base/options.js";
import { damaged } from "../../storage/segment/segment-file.js";
import type { StoreServices } from "../upkeep/housekeeping.js";
import type { StoredPeopleSegments } from "../query/saved-segments.js";
import type { textsOf } from "../query/segment-texts.js";
import { type SuppressedKind, Suppression } from "../ingest/suppression.js";
import type { bundleOf, heldIn, PersonIds } from "./bundle.js";
import type { erasedRequests, namesOf, receiptOf, suppressedOf } from "./erasure.js";
import {
  ERASING, expire, newRequest, readPrivacyInput, readResolution, refuseBundle, resolve, shownRequest,
  shownRequests, PrivacySteps, type PrivacyHolder, type StoredRequest, type RequestStep,
} from "./lifecycle.js";
import type { PrivacyRequest, PrivacyRequestInput, PrivacyRequests, PrivacyResolution } from "./requests.js";

function idsOf(identity: number, view: IdentityView): PersonIds {
  const actors = view.actorsOf(identity);
  return {
    userIds: new Set(actors.filter((actor) => (actor & 1) === 0).map((actor) => actor >>> 1)),
    anonymousIds: new Set(actors.filter((actor) => (actor & 1) === 1).map((actor) => actor >>> 1)),
  };
}

/** All privacy requests, newest last, and the hashes of erased ids; stored as one text. */
interface PrivacyBook {
  readonly requests: readonly StoredRequest[];
  readonly suppression: Suppression;
}

/** @param text as `textOf` returns it; null for an empty book @throws corruption */
function readBook(text: string | null, key: Uint8Array): PrivacyBook {
  if (text === null) return { requests: [], suppression: new Suppression(key, []) };
  try {
    const { requests, suppressed } = JSON.parse(text) as { requests: StoredRequest[]; suppressed: [string, number][] };
    // Requests of earlier versions have no holder.
    const known = requests.map((request) => ({ ...request, holder: (request.holder as PrivacyHolder | null | undefined) ?? null }));
    return { requests: known, suppression: new Suppression(key, suppressed) };
  } catch (cause) {
    throw damaged("the file of privacy requests", "it is not JSON", cause);
  }
}

function textOf({ requests, suppression }: PrivacyBook): string {
  return JSON.stringify({ requests, suppressed: suppression.entries() });
}

function withChanged({ requests, suppression }: PrivacyBook, changed: readonly StoredRequest[]): PrivacyBook {
  const byId = new Map(changed.map((request) => [request.id, request]));
  return { requests: requests.map((request) => byId.get(request.id) ?? request), suppression };
}

interface LazyPrivacy {
  readonly bundleOf: typeof bundleOf;
  readonly heldIn: typeof heldIn;
  readonly erasedRequests: typeof erasedRequests;
  readonly namesOf: typeof namesOf;
  readonly receiptOf: typeof receiptOf;
  readonly suppressedOf: typeof suppressedOf;
  readonly textsOf: typeof textsOf;
}

interface PrivacyParts {
  /** Lazy: most programs bundle and erase nothing. */
  readonly lazy: () => Promise<LazyPrivacy>;
  readonly segments: StoredPeopleSegments;
  readonly random: (bytes: Uint8Array) => void;
  readonly suppressionKey: Uint8Array;
}

/** The privacy requests of one store: a book that is rewritten durably with every change. */
export class StoredPrivacyRequests extends PrivacySteps implements PrivacyRequests {
  readonly #services: StoreServices & PrivacyParts;
  #book: PrivacyBook;

  constructor(services: StoreServices & PrivacyParts) {
    super();
    this.#services = services;
    this.#book = readBook(services.store.privacy, services.suppressionKey);
  }

  /** Rereads the book: another process may have written it. */
  reread(suppressionKey: Uint8Array): void {
    this.#book = readBook(this.#services.store.privacy, suppressionKey);
  }

  get suppression(): Suppression {
    return this.#book.suppression;
  }

  async create(input: PrivacyRequestInput): Promise<PrivacyRequest> {
    const { clock, random } = this.#services;
    this.#services.refuseClosed();
    const read = readPrivacyInput(input);
    const nowMs = clock.now();
    const id = newUuidText(nowMs, random);
    // After any erasure under way: the request must not name a person whom that erasure removes.
    await this.#change(({ requests, suppression }) => {
      const request = newRequest(read, { nowMs, id, ...this.#namedBy(read.subject) });
      return { requests: [...requests, request], suppression };
    });
    return shownRequest(this.#request(id), nowMs);
  }

  async list(): Promise<readonly PrivacyRequest[]> {
    this.#services.refuseClosed();
    return shownRequests(this.#book.requests, this.#services.clock.now());
  }

  async get(id: string): Promise<PrivacyRequest> {
    this.#services.refuseClosed();
    return shownRequest(this.#request(id), this.#services.clock.now());
  }

  async resolve(id: string, resolution: PrivacyResolution): Promise<PrivacyRequest> {
    const wanted = readResolution(resolution);
    if (this.#request(id).type !== "erasure" || !ERASING.includes(wanted))
      return await this.step(id, (request, nowMs) => resolve(request, wanted, nowMs));
    return await this.#erase(id, wanted);
  }

  async *bundle(id: string, options?: StopOptions): AsyncGenerator<string> {
    const bundling = await this.#services.lazy();
    this.#services.refuseClosed();
    const { signal } = readStopOptions(options);
    const { store } = this.#services;
    const request = this.#request(id);
    refuseBundle(request);
    const { identity, held } = await store.betweenCommits(() => {
      const inThisTurn = bundling.heldIn(store);
      return { identity: this.#personOf(request, inThisTurn.view), held: inThisTurn };
    });
    try {
      if (identity === 0) throw new DaybookError("identity_not_found", "nothing is stored about the subject of this request");
      yield* bundling.bundleOf(identity, idsOf(identity, held.view), held, signal);
    } finally {
      held.snapshot.release();
    }
  }

  /** The identity and id that a subject names. No commit may be under way. */
  #namedBy(subject: { readonly email: string } | { readonly userId: string }): Pick<StoredRequest, "identityId" | "holder"> {
    const { resolver, dictionaries } = this.#services.store;
    const view = resolver.view();
    const identity = find(view, subject);
    if (identity === 0) return { identityId: null, holder: null };
    const identityId = view.identityId(identity);
    if ("email" in subject) return { identityId, holder: this.#holderOf(view.actorOfEmail(normalEmail(subject.email))) };
    const { userId } = subject;
    return { identityId, holder: resolver.users.isKnown(dictionaries.named("userId").codeOf(userId)) ? { userId } : { anonymousId: userId } };
  }

  #holderOf(actor: number): PrivacyHolder {
    const { dictionaries } = this.#services.store;
    return (actor & 1) === 0
      ? { userId: dictionaries.named("userId").valueOf(actor >>> 1) }
      : { anonymousId: dictionaries.named("anonymousId").valueOf(actor >>> 1) };
  }

  /** The identity a request is about: for an email, the one it named at receipt. 0 for none. */
  #personOf({ subject, holder }: StoredRequest, view: IdentityView): number {
    if ("erased" in subject) return 0;
    const { dictionaries } = this.#services.store;
    const actor = holder === null || "userId" in subject ? -1 : "userId" in holder ? dictionaries.named("userId").codeOf(holder.userId) * 2 : dictionaries.named("anonymousId").codeOf(holder.anonymousId) * 2 + 1;
    return actor > 0 ? view.identityOf(actor) : find(view, subject);
  }

  /** The request as of now, expired if it was not verified in time. @throws privacy_request_not_found */
  #request(id: string): StoredRequest {
    const found = this.#book.requests.find((request) => request.id === id);
    if (found === undefined) throw new DaybookError("privacy_request_not_found", `there is no privacy request ${shown(id)}`);
    return expire(found, this.#services.clock.now());
  }

  protected async step(id: string, change: RequestStep): Promise<PrivacyRequest> {
    this.#services.refuseClosed();
    const nowMs = this.#services.clock.now();
    await this.#change((book) => withChanged(book, [change(this.#request(id), nowMs)]));
    return shownRequest(this.#request(id), nowMs);
  }

  /** Makes a changed book durable, then current. */
  #change(make: (book: PrivacyBook) => PrivacyBook): Promise<void> {
    const { store, housekeeping, queue } = this.#services;
    return housekeeping.exclusive(queue, async () => {
      store.assertWritable();
      const book = make(this.#book);
      await store.writePrivacy(textOf(book));
      this.#book = book;
    });
  }

  async #erase(id: string, resolution: PrivacyResolution): Promise<PrivacyRequest> {
    const { store, housekeeping, queue, clock, forget, waitForReaders, lazy } = this.#services;
    this.#services.refuseClosed();
    // Reject before anything is sealed.
    resolve(this.#request(id), resolution, clock.now());
    await housekeeping.removing(queue, waitForReaders, async () => {
      // Lazy: most processes erase nothing.
      const [{ erase }, erasure] = [await import("../../store/upkeep/erase.js"), await lazy()];
      const nowMs = clock.now();
      const request = resolve(this.#request(id), resolution, nowMs);
      if ("erased" in request.subject) throw new DaybookError("invalid_transition", "the subject of this request has already been erased");
      const view = store.resolver.view();
      const identity = this.#personOf(request, view);
      const ids = identity === 0 ? { userIds: new Set<number>(), anonymousIds: new Set<number>() } : idsOf(identity, view);
      const identityId = identity === 0 ? null : view.identityId(identity);
      let book = this.#book;
      const email = "email" in request.subject ? normalEmail(request.subject.email) : null;
      const privacyText = async (counts: ErasedCounts) => {
        // First: an erasure that fails after this starts over, and segments that name the person are gone already.
        const person = { ids: this.#textsOf(ids), emails: new Set(counts.emails), identityId };
        await this.#services.segments.forget(erasure.namesOf(request, person), person.emails, erasure.textsOf);
        const changed = erasure.erasedRequests(this.#book.requests, { ...request, receipt: erasure.receiptOf(ids, counts, nowMs) }, person);
        book = { ...withChanged(this.#book, changed), suppression: this.#book.suppression.with(erasure.suppressedOf(request, person), nowMs) };
        return textOf(book);
      };
      const removal = await erase(store, { ...ids, email }, privacyText, nowMs, forget);
      this.#book = book;
      return removal;
    });
    return shownRequest(this.#request(id), clock.now());
  }

  #textsOf({ userIds, anonymousIds }: PersonIds): [SuppressedKind, string][] {
    const texts = (name: "userId" | "anonymousId", codes: ReadonlySet<number>): [SuppressedKind, string][] =>
      [...codes].map((code) => [name, this.#services.store.dictionaries.named(name).valueOf(code)]);
    return [...texts("userId", userIds), ...texts("anonymousId", anonymousIds)];
  }
}

function find(view: IdentityView, subject: { readonly email: string } | { readonly userId: string }): number {
  return "email" in subject ? view.findEmail(normalEmail(subject.email)) : view.findId(subject.userId);
}
