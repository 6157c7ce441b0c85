import { damaged } from "../../segment/container.js";
import type { PrivacyHolder, StoredRequest } from "./lifecycle.js";
import { Suppression } from "../ingest/suppression.js";

/** Every privacy request, newest last, and the hashes of who was erased: one stored text. */
export class PrivacyBook {
  constructor(
    readonly requests: readonly StoredRequest[],
    readonly suppression: Suppression,
  ) {}

  /** @param text as `text` made it; null for an empty book. @throws corruption */
  static read(text: string | null, key: Uint8Array): PrivacyBook {
    if (text === null) return new PrivacyBook([], new Suppression(key, []));
    try {
      const { requests, suppressed } = JSON.parse(text) as { requests: StoredRequest[]; suppressed: [string, number][] };
      // Requests of before holders were kept have none.
      return new PrivacyBook(requests.map((request) => ({ ...request, holder: (request.holder as PrivacyHolder | null | undefined) ?? null })), new Suppression(key, suppressed));
    } catch (cause) {
      throw damaged("the file of privacy requests", "it is not JSON", cause);
    }
  }

  text(): string {
    return JSON.stringify({ requests: this.requests, suppressed: this.suppression.entries() });
  }

  add(request: StoredRequest): PrivacyBook {
    return new PrivacyBook([...this.requests, request], this.suppression);
  }

  /** The same with other requests in the place of those of the same id. */
  replace(changed: readonly StoredRequest[]): PrivacyBook {
    const byId = new Map(changed.map((request) => [request.id, request]));
    return new PrivacyBook(this.requests.map((request) => byId.get(request.id) ?? request), this.suppression);
  }

  suppress(suppression: Suppression): PrivacyBook {
    return new PrivacyBook(this.requests, suppression);
  }
}
