import { ListedSessions } from "../../query/answer/visits/listed-sessions.js";
import { sessionsAnswer } from "../../query/answer/visits/sessions-answer.js";
import { Scratch } from "../../core/base/scratch.js";
import { sql } from "../sql/sql.js";
import { propertiesColumn, PropertyKeys, type Properties } from "./property-keys.js";
import { pauseOf, refuseAsOf, type StatementReport } from "./report.js";
import { TextNumbers } from "./text-numbers.js";
import { entryPage, exitPage, visitsIn, type KeyOf } from "./visit-table.js";

/** Sessions are streamed person by person; only numbers of each are kept, and the embedded engine's code computes the answer from them. */
export const sessionsOverview: StatementReport<"sessionsOverview"> = async (plan, asking) => {
  refuseAsOf(plan);
  const [paths, groups] = [new TextNumbers(), new PropertyKeys()];
  const kinds: KeyOf<readonly [Properties]>[] = [
    (events) => paths.numberOf(entryPage(events)),
    (events) => paths.numberOf(exitPage(events)),
    ([first]) => groups.numberOf(first?.[3] ?? []),
  ];
  const { visits, keys: [entries, exits, values] } = await visitsIn(
    plan, plan.range, (needs) => sql`, ${propertiesColumn(plan.breakdown?.fields ?? [], needs)}`, kinds, asking);
  const pageKeys = (end: "entry" | "exit") => (end === "entry" ? entries : exits) ?? new Uint32Array(0);
  const of = { paths, groups, keysOf: () => Promise.resolve(values ?? new Uint32Array(0)) };
  const answer = await Scratch.of((scratch) => {
    const counting = { scratch, pause: pauseOf(asking) };
    return sessionsAnswer(new ListedSessions(visits, pageKeys, counting), plan, of, counting);
  });
  return { definition: plan.definition, asOf: null, ...answer };
};
