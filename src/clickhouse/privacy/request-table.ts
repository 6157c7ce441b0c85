import { DaybookError, shown } from "../../core/base/errors.js";
import type { StoredRequest } from "../../engine/privacy/lifecycle.js";
import type { ErasureReceipt, PrivacyResolution } from "../../engine/privacy/requests.js";
import { sql, uuids } from "../sql/sql.js";
import { change } from "../tables/change.js";
import { nextVersion } from "../tables/next-version.js";
import type { RemovalContext } from "../removal/removal.js";

/** An erasure that has begun, with its future receipt. */
export interface Erasing {
  /** The id of the removal that notes what to remove. */
  readonly removal: string;
  readonly resolution: PrivacyResolution;
  readonly identityId: string | null;
  readonly atMs: number;
  readonly receipt: ErasureReceipt;
}

/** A request as stored. */
export interface KeptRequest {
  readonly request: StoredRequest;
  /** Null: not begun, or done. */
  readonly erasing: Erasing | null;
}

/** Privacy requests: one row per change; the newest of an id counts. */
export class RequestTable {
  constructor(readonly context: RemovalContext) {}

  async all(): Promise<readonly KeptRequest[]> {
    return (await this.#read()).kept;
  }

  /** @throws privacy_request_not_found */
  async get(id: string): Promise<KeptRequest> {
    const found = (await this.all()).find(({ request }) => request.id === id);
    if (found === undefined) throw new DaybookError("privacy_request_not_found", `there is no privacy request ${shown(id)}`);
    return found;
  }

  async put(requests: readonly KeptRequest[]): Promise<void> {
    const { connection, random } = this.context;
    const version = nextVersion((await this.#read()).newest, random);
    await connection.insert("privacy_requests", requests.map((kept) =>
      ({ id: kept.request.id, version, isErased: "erased" in kept.request.subject, body: JSON.stringify(kept) })));
  }

  /** Deletes former rows of requests that no longer name a person. */
  async forgetNames(requests: readonly KeptRequest[]): Promise<void> {
    // The ids are random: statements that persist on the servers reveal no one by them.
    await change(this.context, "privacy_requests", sql`DELETE WHERE id IN ${uuids(requests.map(({ request }) => request.id))} AND NOT isErased`);
  }

  async #read(): Promise<{ readonly kept: readonly KeptRequest[]; readonly newest: number }> {
    const { connection, names } = this.context;
    const rows = await connection.rows<[body: string, version: number]>(
      sql`SELECT argMax(body, version), max(version) FROM ${names.all("privacy_requests")} GROUP BY id`);
    return {
      kept: rows.map(([body]) => JSON.parse(body) as KeptRequest),
      newest: rows.reduce((newest, [, version]) => Math.max(newest, version), 0),
    };
  }
}
