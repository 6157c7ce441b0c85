/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the tables */
import { parameterError, shown } from "../base/errors.js";
import { compareCodePoints } from "../base/order.js";
import { isoOf } from "../base/time.js";
import type { Rows } from "../segment/rows.js";
import type { ActivityTable } from "./activity-table.js";
import { companyActivityOf, partsOfWindow, type CompanyActivity } from "./company-window.js";
import type { Report, ReportContext } from "./report.js";

interface CompanyRows {
  readonly company: number;
  readonly parts: Rows[];
}

interface Member {
  readonly identity: number;
  eventCount: number;
  newestMs: number;
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
    const activity = await companyActivityOf(partsOfWindow(parts, window), window, context);
    const members = membersOf(company, activity).filter(({ identity }) => context.identities.isIdentified(identity));
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

/** Everybody who was active for the company, nobody apart. */
function membersOf(company: number, { members, edges }: CompanyActivity): Member[] {
  const byIdentity = new Map<number, Member>();
  const add = (table: ActivityTable) => {
    for (let place = 0; place < table.count; place += 1) {
      if (table.companies[place] !== company || table.whos[place] === 0) continue;
      const identity = table.whos[place]!;
      const member = byIdentity.get(identity) ?? { identity, eventCount: 0, newestMs: 0 };
      member.eventCount += table.eventCounts[place]!;
      member.newestMs = Math.max(member.newestMs, table.newestMs[place]!);
      byIdentity.set(identity, member);
    }
  };
  add(members.table);
  add(edges);
  return [...byIdentity.values()];
}

/** Resolved identifiers, each asked for once, and only where it is shown or breaks a tie. */
function identifiers({ identities }: ReportContext): (identity: number) => string {
  const known = new Map<number, string>();
  return (identity) => {
    const identifier = known.get(identity) ?? identities.resolvedIdentifier(identity) ?? "";
    known.set(identity, identifier);
    return identifier;
  };
}
