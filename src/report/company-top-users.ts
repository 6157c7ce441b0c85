/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the tables */
import { parameterError, shown } from "../base/errors.js";
import { compareCodePoints } from "../base/order.js";
import { isoOf } from "../base/time.js";
import type { Rows } from "../segment/rows.js";
import { companyActivities } from "./company-activity.js";
import { membersOf, partsOfWindow } from "./company-window.js";
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
  begin: ({ companyId }, { dictionaries, companies }) => {
    const company = dictionaries.named("companyId").codeOf(companyId);
    if (company > 0 && companies?.has(company) === true) return { company, parts: [] };
    throw parameterError("company_not_found", "companyId", `no company is known by ${shown(companyId)}`);
  },
  scan: ({ parts }, rows) => void parts.push(rows),
  merge: (into, from) => void into.parts.push(...from.parts),
  finish: async ({ company, parts }, { companyId, window, limit }, context) => {
    const activities = await companyActivities(partsOfWindow(parts, window), window, context);
    const members = membersOf(company, activities).filter(({ identity }) => context.identities.isIdentified(identity));
    const identifierOf = identifiers(context);
    members.sort((a, b) =>
      b.eventCount - a.eventCount ||
      b.newestMs - a.newestMs ||
      compareCodePoints(identifierOf(a.identity), identifierOf(b.identity)));
    const users = members.slice(0, limit ?? members.length).map(({ identity, eventCount, newestMs }) =>
      ({ resolvedIdentifier: identifierOf(identity), events: eventCount, lastSeen: isoOf(newestMs) }));
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
