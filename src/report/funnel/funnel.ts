import { slotsOf } from "../../answer/insights/buckets.js";
import { entryBits } from "../../answer/insights/chain-tries.js";
import { funnelRows, funnelTrend } from "../../answer/insights/funnel-answer.js";
import { Scratch } from "../../base/scratch.js";
import type { Funnel } from "../../plan/insights/answers.js";
import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { Operand } from "../../plan/plan.js";
import type { SessionView } from "../../table/sessions/session-view.js";
import type { TableMoment } from "../../table/tables.js";
import type { Part } from "../form/part.js";
import type { RowContext, Survey } from "../form/report.js";
import { asOfAnswer } from "../insights/as-of-answer.js";
import { rowKeysOf } from "../insights/row-keys.js";
import { BreakdownGroups } from "./breakdown-groups.js";
import { EntityMatches } from "./entity-matches.js";
import { goersOf } from "./goers.js";
import type { MatchList } from "./match-list.js";
import { matchesPart } from "./matches.js";
import { inOrder, orderMatters } from "./order-by-ids.js";
import { Tries } from "./tries.js";

interface FunnelParts {
  readonly [name: string]: Part<MatchList[]>;
  readonly matches: Part<MatchList[]>;
}

/** What is read besides rows: ids, where these decide, and sessions; null where these are not asked for. */
interface FunnelRead {
  readonly moment: TableMoment;
  readonly sessions: SessionView | null;
}

const breakdowns = new WeakMap<RowContext, BreakdownGroups>();

/** The same for all parts of one question, however many values arrive meanwhile. */
function groupsOf({ breakdown }: FunnelPlan, context: RowContext): BreakdownGroups {
  let groups = breakdowns.get(context);
  if (groups === undefined) breakdowns.set(context, (groups = new BreakdownGroups((breakdown?.fields ?? []).map((field) => rowKeysOf([field], context)))));
  return groups;
}

/** Who went how far through steps. Cost: what is kept of spans of days, 12 bytes a match, and some looks at each match of whoever may have begun. */
export const funnel: Survey<"funnel", FunnelParts, FunnelRead> = {
  kind: "survey",
  tables: ({ level }) => (level === "session" ? ["sessions"] : []),
  needsCompanies: ({ level, breakdown, steps, exclusions }) => {
    const isAsked = ({ kind }: Operand) => kind === "companyId" || kind === "company";
    const isFiltered = [...steps, ...exclusions].some(({ scope }) => scope.where.some((group) => group.some(({ operand }) => isAsked(operand))));
    return level === "account" || isFiltered || breakdown?.fields.some(isAsked) === true;
  },
  read: (plan, moment, missing) => ({ moment, sessions: plan.level === "session" ? moment.tables.sessions(plan, moment, missing) : null }),
  parts: (plan, context, { sessions }) => ({ matches: matchesPart(plan, goersOf(plan, context, sessions), groupsOf(plan, context).fields) }),
  finish: async ({ matches: lists }, plan, context, { moment, sessions }, pause) => {
    const goers = goersOf(plan, context, sessions);
    const groups = groupsOf(plan, context);
    return await Scratch.of(async (scratch) => {
      const matches = new EntityMatches(lists, goers, entryBits(plan), scratch);
      const matters = orderMatters(plan);
      const tries = new Tries(plan, goers, matches, () => inOrder(matches, matters, moment), pause);
      const { figures, pendingCount } = await tries.all(groups);
      return {
        definition: plan.definition,
        asOf: asOfAnswer(plan, context),
        pending: pendingCount,
        steps: await figures.stepsOf(null, pause),
        ...(await funnelRows(plan, figures, groups, pause)),
        trend: await trendOf(plan, tries, pause),
      };
    });
  },
};

async function trendOf(plan: FunnelPlan, tries: Tries, pause: () => Promise<void>): Promise<Funnel["trend"]> {
  if (plan.interval === null) return null;
  const slots = slotsOf(plan, plan.interval, await tries.extent());
  return await funnelTrend(slots, await tries.within(slots), pause);
}
