/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the payments */
import { assert } from "../base/assert.js";
import type { CompanyView, IdentityView } from "../identity/identity-view.js";
import { ID_COLUMN } from "../schema/fields.js";
import type { Rows } from "../segment/rows.js";
import { keptOf } from "./kept.js";
import type { ReportContext } from "./report.js";
import type { Payments } from "./revenue-payments.js";

/** Company of each payment, 0 for none: its own, else that of its identity at its time. Kept until either changes. */
export async function paymentCompanies(payments: Payments, context: ReportContext): Promise<Uint32Array> {
  const { memo, identities, companies } = context;
  assert(companies !== null, "the report says that it asks companies");
  const base = payments.base === null ? [] : [await paymentCompanies(payments.base, context)];
  const key = payments.base === null ? "companies of payments in segments" : "companies of payments";
  return await keptOf(memo, key, [payments, ...base, identities, companies], async () => {
    const found = payments.companies.slice();
    for (const known of base) found.set(known);
    await fill(found, base[0]?.length ?? 0, payments, companies, identities);
    return found;
  });
}

async function fill(found: Uint32Array, from: number, payments: Payments, companies: CompanyView, identities: IdentityView): Promise<void> {
  const changing: number[] = [];
  for (let place = from; place < payments.count; place += 1) {
    if (found[place] !== 0 || payments.actors[place] === 0) continue;
    const only = companies.onlyCompany(identities.identityOf(payments.actors[place]!));
    if (only === -1) changing.push(place);
    else found[place] = only;
  }
  for (const rows of new Set<Rows>(changing.map((place) => payments.partAt(place)))) await rows.load([ID_COLUMN]);
  for (const place of changing) {
    const identity = identities.identityOf(payments.actors[place]!);
    found[place] = companies.companyAt(identity, payments.timeAt(place), payments.partAt(place).ids(), payments.rowAt(place) * 16);
  }
}
