import { ACTOR_COLUMNS } from "../../../storage/segment/actor-triples.js";
import { actorsOfAll, byteLengthOf, countIdentities, distinctActors, passingActors, unitedActors, type DistinctActors } from "./distinct-actors.js";
import type { Fold } from "../form/report.js";

/** Number of distinct identities among matching events. Segments provide actors; identities are resolved once, at the end. */
export const countUniqueUsers: Fold<"countUniqueUsers", DistinctActors[], DistinctActors> = {
  kind: "fold",
  columns: () => ACTOR_COLUMNS,
  begin: () => [],
  scan: (state, rows, { selector }) => {
    state.push(distinctActors(rows, selector));
  },
  scanWho: (state, rows, who) => {
    state.push(actorsOfAll(rows, who));
  },
  finish: (state, _plan, { identities }) => countIdentities(state, identities),
  only: passingActors,
  kept: {
    key: () => "",
    of: unitedActors,
    add: (state, united) => void state.push(united),
    byteLength: byteLengthOf,
  },
};
