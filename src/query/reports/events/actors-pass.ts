import { assert } from "../../../core/base/assert.js";
import { inTurns } from "../../../core/base/steps.js";
import type { Selector } from "../../filter/predicate.js";
import type { QueryScope } from "../../plan/plan.js";
import { ACTOR_COLUMNS } from "../../../storage/segment/summaries.js";
import type { Pass } from "../form/report.js";
import { actorCounts, addedCounts, byteLengthOf as byteLengthOfCounts, type ActorCounts } from "./actor-counts.js";
import { actorsOfAll, byteLengthOf, distinctActors, unitedActors, type DistinctActors } from "./distinct-actors.js";

/** Collects the actors of events. Shares its cache entries with `countUniqueUsers` of the same filters. */
export function actorsPass(scope: QueryScope): Pass<DistinctActors[], DistinctActors> {
  return {
    scopes: [scope],
    columns: ACTOR_COLUMNS,
    begin: () => [],
    scan: (state, rows, selectors) => void state.push(distinctActors(rows, only(selectors))),
    scanWho: (state, rows, who) => void state.push(actorsOfAll(rows, who)),
    kept: { key: "countUniqueUsers ", of: unitedActors, add: (state, united) => void state.push(united), byteLength: (united) => byteLengthOf(united) },
  };
}

/** Counts events by actor. */
export function actorCountsPass(scope: QueryScope): Pass<ActorCounts[], ActorCounts> {
  return {
    scopes: [scope],
    columns: ACTOR_COLUMNS,
    begin: () => [],
    scan: (state, rows, selectors) => void state.push(actorCounts(rows, only(selectors))),
    kept: { key: "counts by actor", of: (state, pause) => inTurns(addedCounts(state), pause), add: (state, added) => void state.push(added), byteLength: (added) => byteLengthOfCounts(added) },
  };
}

function only([selector]: readonly Selector[]): Selector {
  assert(selector !== undefined, "the part has one scope");
  return selector;
}
