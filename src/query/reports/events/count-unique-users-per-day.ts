import { ACTOR_COLUMNS } from "../../../storage/segment/actor-triples.js";
import { actorsOfAll, byteLengthOf, countIdentities, distinctActors, passingActors, unitedActors, type DistinctActors } from "./distinct-actors.js";
import { perDayItems } from "../../answer/per-day.js";
import type { Fold } from "../form/report.js";

type ActorsByDay = Map<number, DistinctActors[]>;

interface UnitedByDay {
  readonly byDay: ReadonlyMap<number, DistinctActors>;
  /** Size of the unions made for this span; other days share their actors with a shorter span or a segment. */
  readonly ownByteLength: number;
}

function addDay(state: ActorsByDay, day: number, actors: DistinctActors): void {
  const ofDay = state.get(day);
  if (ofDay === undefined) state.set(day, [actors]);
  else ofDay.push(actors);
}

/** Number of distinct identities among the matching events of each day. */
export const countUniqueUsersPerDay: Fold<"countUniqueUsersPerDay", ActorsByDay, UnitedByDay> = {
  kind: "fold",
  columns: () => ACTOR_COLUMNS,
  begin: () => new Map(),
  scan: (state, rows, { selector }) => addDay(state, rows.day, distinctActors(rows, selector)),
  scanWho: (state, rows, who) => addDay(state, rows.day, actorsOfAll(rows, who)),
  finish: (state, plan, { identities }) => {
    const counts = new Map<number, number>();
    for (const [day, parts] of state) {
      const count = countIdentities(parts, identities);
      if (count > 0) counts.set(day, count);
    }
    return perDayItems(counts, plan.range, plan.fill);
  },
  only: (state, passes) => new Map([...state].map(([day, parts]) => [day, passingActors(parts, passes)])),
  kept: {
    key: () => "",
    of: uniteDays,
    add: (state, { byDay }) => {
      for (const [day, actors] of byDay) addDay(state, day, actors);
    },
    byteLength: ({ byDay, ownByteLength }) => byDay.size * 32 + ownByteLength,
  },
};

function uniteDays(state: ActorsByDay): UnitedByDay {
  const byDay = new Map<number, DistinctActors>();
  let ownByteLength = 0;
  for (const [day, parts] of state) {
    const united = unitedActors(parts);
    byDay.set(day, united);
    if (parts.length > 1) ownByteLength += byteLengthOf(united);
  }
  return { byDay, ownByteLength };
}
