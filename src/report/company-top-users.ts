/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the members */
import { parameterError, shown } from "../base/errors.js";
import { compareCodePoints } from "../base/order.js";
import { isoOf } from "../base/time.js";
import type { Rows } from "../segment/rows.js";
import { companyActivities } from "./company-activity.js";
import { membersOf, partsOfWindow } from "./company-window.js";
import { firstInOrder } from "./first-in-order.js";
import type { Report, ReportContext } from "./report.js";

interface CompanyRows {
  readonly company: number;
  readonly parts: Rows[];
}

/** The identified identities that were most active for a company in the window. */
export const companyTopUsers: Report<"companyTopUsers", CompanyRows> = {
  keepsRows: true,
  needsCompanies: () => true,
  columns: () => [],
  begin: ({ companyId }, { dictionaries, companies, ends }) => {
    const company = dictionaries.named("companyId").codeOf(companyId);
    if (company > 0 && company < ends.companies && companies?.has(company) === true) return { company, parts: [] };
    throw parameterError("company_not_found", "companyId", `no company is known by ${shown(companyId)}`);
  },
  scan: ({ parts }, rows) => void parts.push(rows),
  merge: (into, from) => void into.parts.push(...from.parts),
  finish: async ({ company, parts }, { companyId, window, limit }, context) => {
    const { whos, eventCounts, newestMs } = membersOf(company, await companyActivities(partsOfWindow(parts, window), window, context, company));
    const identifierOf = identifiers(context);
    const order = (a: number, b: number) =>
      eventCounts[b]! - eventCounts[a]! ||
      newestMs[b]! - newestMs[a]! ||
      compareCodePoints(identifierOf(whos[a]!), identifierOf(whos[b]!));
    const identified: number[] = [];
    for (let place = 0; place < whos.length; place += 1) if (context.identities.isIdentified(whos[place]!)) identified.push(place);
    // Of all there are, each would be put in its place one by one.
    const places = limit === null ? identified.sort(order) : firstInOrder(identified, limit, order);
    const users = places.map((place) =>
      ({ resolvedIdentifier: identifierOf(whos[place]!), events: eventCounts[place]!, lastSeen: isoOf(newestMs[place]!) }));
    return { companyId, users };
  },
};

/** Resolved identifiers, each asked for once, and only where it is shown or breaks a tie. */
function identifiers({ identities }: ReportContext): (identity: number) => string {
  const known = new Map<number, string>();
  return (identity) => {
    const identifier = known.get(identity) ?? identities.resolvedIdentifier(identity) ?? "";
    known.set(identity, identifier);
    return identifier;
  };
}
