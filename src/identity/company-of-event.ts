import { dayOf } from "../core/base/time.js";
import type { EventIds, EventTime } from "../storage/derived/event-ids.js";
import type { PendingLoads } from "../storage/derived/pending-loads.js";
import { NO_KEY } from "../storage/segment/event-order.js";
import type { CompanyView } from "./identity-view.js";
import type { IdentitySnapshot } from "./memberships.js";

/** A snapshot of rows, identities and companies. */
export interface CompanySnapshot extends IdentitySnapshot {
  /** Null when no companies are requested. */
  readonly companies: CompanyView | null;
  readonly ids: EventIds;
}

/** The company of an event: its own, else that of its identity at its time; 0 for none. Null when its key must be read to decide. */
export function companyOfEvent(own: number, actor: number, { ms, sequence }: EventTime, { identities, companies, ids, rows }: CompanySnapshot, missing: PendingLoads): number | null {
  if (own !== 0 || actor === 0 || companies === null) return own;
  const identity = identities.identityOf(actor);
  const only = companies.onlyCompany(identity);
  if (only >= 0) return only;
  if (!companies.needsId(identity, ms)) return companies.companyAt(identity, ms, NO_KEY);
  const key = ids.of(sequence);
  if (key !== null) return companies.companyAt(identity, ms, key);
  missing.add(() => ids.read([{ sequence, day: dayOf(ms) }], rows));
  return null;
}
