import { companiesOf, type Companies } from "./companies.js";
import { acceptedEvents, type OracleEvent } from "./event.js";
import { eventsOf, type History } from "./history.js";
import { identitiesOf, type Identities } from "./identities.js";
import { byMoment } from "./moment.js";
import { liveRecords, type Records } from "./record.js";
import { remembered } from "./remembered.js";
import { revenueOf, type Revenue } from "./revenue.js";
import { rulesOf, type OracleOptions, type Rules } from "./rules.js";
import { isReturnFromSignIn, touchOf, type Touch } from "./touch.js";

/** All that is known at one moment. */
export interface World {
  readonly rules: Rules;
  /** The accepted events, in order of time and id. */
  readonly events: readonly OracleEvent[];
  /** Those in force. */
  readonly records: Records;
  readonly identities: Identities;
  readonly companies: Companies;
  readonly revenue: Revenue;
  /** Who brought a visit; null where its event does not say. */
  readonly touchOf: (event: OracleEvent) => Touch | null;
  /** Who brought the person; null for a return from a page to sign in, too. */
  readonly bringerOf: (event: OracleEvent) => Touch | null;
}

/** What a history comes to. */
export function worldOf(history: History, options: OracleOptions): World {
  const rules = rulesOf(options);
  const events = acceptedEvents(eventsOf(history), options).sort(byMoment);
  const records = liveRecords(history, options);
  const identities = identitiesOf(events, records);
  return {
    rules, events, records, identities,
    companies: companiesOf(events, records.groups, identities),
    revenue: revenueOf(events, rules),
    touchOf: remembered((event) => touchOf(event, rules)),
    bringerOf: remembered((event) => (isReturnFromSignIn(event, rules) ? null : touchOf(event, rules))),
  };
}
