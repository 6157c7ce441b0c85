/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the members */
import { parameterError, shown } from "../../../core/base/errors.js";
import { compareCodePoints } from "../../../core/base/order.js";
import { isoOf } from "../../../core/base/time.js";
import { BitSet } from "../../../storage/column/bitmap.js";
import type { IdentityView } from "../../../identity/identity-view.js";
import { ActivityTable, type Activity } from "./activity-table.js";
import { ACTIVITY_COLUMNS, eachPairOf, keptActivity, mixedEventsOf, scanActivity, type ActivityState, type MixedEvent } from "./company-activity.js";
import { firstInOrder } from "../../answer/first-in-order.js";
import type { Fold, FoldContext } from "../form/report.js";

interface CompanyRead {
  readonly company: number;
  readonly mixed: readonly MixedEvent[];
  /** Actors whose events without a company belong to this company. */
  readonly members: BitSet;
}

/** The identified identities most active for a company in the window. Cost: the ids active for it, and its members. */
export const companyTopUsers: Fold<"companyTopUsers", ActivityState<CompanyRead>, Activity, CompanyRead> = {
  kind: "fold",
  needsCompanies: () => true,
  columns: () => ACTIVITY_COLUMNS,
  read: ({ companyId, window }, moment, missing) => {
    const company = moment.dictionaries.named("companyId").codeOf(companyId);
    if (company === 0 || company >= moment.ends.companies || moment.companies?.has(company) !== true)
      throw parameterError("company_not_found", "companyId", `no company has the id ${shown(companyId)}`);
    const mixed = mixedEventsOf(window, moment, missing);
    return mixed === null ? null : { company, mixed, members: actorsOf(moment.companies.membersOf(company), moment.identities) };
  },
  begin: (_plan, _context, read) => ({ parts: [], read }),
  scan: (state, rows, context) => {
    const { company, members } = state.read;
    scanActivity(state, rows, context, (actor, own) => own === company || (own === 0 && members.has(actor)));
  },
  kept: keptActivity,
  finish: (state, { companyId, limit }, context) => {
    const { whos, eventCounts, newestMs } = membersOf(state, context);
    const identifierOf = identifiers(context);
    const order = (a: number, b: number) =>
      eventCounts[b]! - eventCounts[a]! ||
      newestMs[b]! - newestMs[a]! ||
      compareCodePoints(identifierOf(whos[a]!), identifierOf(whos[b]!));
    const identified: number[] = [];
    for (let place = 0; place < whos.length; place += 1) if (context.identities.isIdentified(whos[place]!)) identified.push(place);
    // Without a limit, a sort is faster than inserting one by one.
    const places = limit === null ? identified.sort(order) : firstInOrder(identified, limit, order);
    const users = places.map((place) =>
      ({ resolvedIdentifier: identifierOf(whos[place]!), events: eventCounts[place]!, lastSeen: isoOf(newestMs[place]!) }));
    return { companyId, users };
  },
};

/** Activity of all identities that were active for the company; events without an actor are left out. */
function membersOf(state: ActivityState<CompanyRead>, { identities }: FoldContext): Activity {
  const { company, members } = state.read;
  const found = new ActivityTable();
  eachPairOf(company, state, identities, members, (identity, eventCount, newestMs) => {
    if (identity !== 0) found.add(identity, company, eventCount, newestMs);
  });
  return found.take();
}

function actorsOf(members: Iterable<number>, identities: IdentityView): BitSet {
  const actors = new BitSet();
  for (const identity of members) for (const actor of identities.actorsOf(identity)) actors.add(actor);
  return actors;
}

/** Resolved identifiers, each looked up once, and only if it is shown or breaks a tie. */
function identifiers({ identities }: FoldContext): (identity: number) => string {
  const known = new Map<number, string>();
  return (identity) => {
    const identifier = known.get(identity) ?? identities.resolvedIdentifier(identity) ?? "";
    known.set(identity, identifier);
    return identifier;
  };
}
