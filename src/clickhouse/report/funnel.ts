import { withRoomFor } from "../../core/base/arrays.js";
import { STEP_BITS, type Matches } from "../../query/answer/insights/chains.js";
import { bothExtents, slotsOf, type Extent, type Slot } from "../../query/answer/insights/buckets.js";
import { ChainEvaluator, entryBits, funnelRows, funnelTrend } from "../../query/answer/insights/funnel-answer.js";
import type { EntityLevel } from "../../query/plan/input.js";
import type { Funnel } from "../../query/plan/insights/answers.js";
import type { FunnelPlan } from "../../query/plan/insights/plan.js";
import type { Range, QueryScope } from "../../query/plan/plan.js";
import { joined, sql, whole, type Sql } from "../sql/sql.js";
import type { RequiredJoins } from "../query/required-joins.js";
import { tieBreakerOf } from "../query/event-columns.js";
import { ALL_TIME, whereOf } from "../query/where.js";
import { fromSessions, type SessionRows } from "./session-rows.js";
import { entityRows, insight, pauseOf, propertiesColumn, PropertyKeys, type Properties, type ReportContext } from "./report.js";

/** The matches of one entity. The next entity reuses the memory. */
class MatchBuffer implements Matches {
  ms: Float64Array = new Float64Array(64);
  masks: Uint32Array = new Uint32Array(64);

  put(ms: readonly number[], masks: readonly number[]): void {
    this.ms = withRoomFor(this.ms, ms.length);
    this.masks = withRoomFor(this.masks, ms.length);
    this.ms.set(ms);
    this.masks.set(masks);
  }
}

/** Events that may matter, in order: a mask of the steps and exclusions of each, and with a breakdown its values. */
type MatchedEvents = readonly [ms: readonly number[], masks: readonly number[], properties?: readonly Properties[]];

interface FunnelEntity {
  /** When the session starts; null for identities and accounts. */
  readonly startMs: number | null;
  readonly matches: MatchedEvents;
}

/** How far entities go: servers send the relevant events of each entity as a list, and the embedded engine's code finds its chain. */
export const funnel = insight<"funnel">((plan, context) => {
  const { level } = plan;
  if (level !== "session") return figuresOf(plan, (span) => countedEntities(plan, level, span, context), context);
  return fromSessions(plan, plan.range, context, (rowsOf) => figuresOf(plan, (span) => sessionEntities(plan, span, rowsOf, context), context), true);
});

/** @param entitiesIn reads the entities with chains that may begin in a span */
async function figuresOf(plan: FunnelPlan, entitiesIn: (span: Range) => AsyncGenerator<FunnelEntity>, context: ReportContext): Promise<Omit<Funnel, "definition" | "asOf">> {
  const pause = pauseOf(context);
  const slots = plan.interval === null ? null : slotsOf(plan, plan.interval, await extentOf(plan, entitiesIn));
  const walk = new Walk(plan, slots === null ? plan.range : spanOf(slots), entitiesIn);
  const { evaluator } = walk;
  const keys = new PropertyKeys();
  const byBucket = evaluator.newFigures();
  for await (const [ms, , properties] of walk.entities()) {
    evaluator.add(0, ms.length, (at) => keys.numberOf(properties?.[at] ?? []));
    if (slots !== null) evaluator.addWithin(byBucket, slots, 0, ms.length);
  }
  return {
    pending: evaluator.pendingCount,
    steps: await evaluator.figures.stepsOf(null, pause),
    ...(await funnelRows(plan, evaluator.figures, keys, pause)),
    trend: slots === null ? null : await funnelTrend(slots, byBucket, pause),
  };
}

/** When chains may begin, where the dates leave it open: one more pass over all events. */
async function extentOf(plan: FunnelPlan, entitiesIn: (span: Range) => AsyncGenerator<FunnelEntity>): Promise<Extent | null> {
  if (!plan.isOpen.start && !plan.isOpen.end) return null;
  const walk = new Walk(plan, plan.range, entitiesIn);
  let extent: Extent | null = null;
  for await (const [ms] of walk.entities()) extent = bothExtents(extent, walk.evaluator.extentOf(0, ms.length));
  return extent;
}

/** Events stored since the extent was read begin no chain. */
function spanOf(slots: readonly Slot[]): Range {
  return { fromMs: slots[0]?.fromMs ?? 0, toMs: slots.at(-1)?.toMs ?? 0 };
}

class Walk {
  readonly evaluator: ChainEvaluator;
  readonly #buffer = new MatchBuffer();
  #startMs: number | null = null;

  /** @param span when chains may begin */
  constructor(
    readonly plan: FunnelPlan,
    readonly span: Range,
    readonly entitiesIn: (span: Range) => AsyncGenerator<FunnelEntity>,
  ) {
    const entries = plan.level === "session" ? { fromMs: -Infinity, toMs: Infinity } : span;
    const entryMsOf = (at: number) => this.#startMs ?? this.#buffer.ms[at] ?? 0;
    this.evaluator = new ChainEvaluator(plan, { matches: this.#buffer, entries, entryMsOf });
  }

  /** Until the next entity is requested, the buffer holds the matches of this one. */
  async *entities(): AsyncGenerator<MatchedEvents> {
    for await (const { startMs, matches } of this.entitiesIn(this.span)) {
      const [ms, masks] = matches;
      this.#startMs = startMs;
      this.#buffer.put(ms, masks);
      yield matches;
    }
  }
}

interface StepScope {
  readonly scope: QueryScope;
  readonly bit: number;
}

/** The events to read, and what each is. Where nothing may lie between two steps: all events that match the query. */
function meantBy({ steps, exclusions, order, project, eventName, userId, where }: FunnelPlan, range: Range): StepScope[] {
  return [
    ...steps.map(({ scope }, at) => ({ scope: { ...scope, range }, bit: 1 << at })),
    ...exclusions.map(({ scope }, at) => ({ scope: { ...scope, range }, bit: 1 << (STEP_BITS + at) })),
    ...(order === "strict" ? [{ scope: { project, eventName, userId, where, range }, bit: 0 }] : []),
  ];
}

function maskOf(meant: readonly StepScope[], are: readonly Sql[]): Sql {
  return joined(meant.map(({ bit }, at) => sql`if(${are[at] ?? sql`false`}, ${whole(bit)}, 0)`), " + ");
}

/** Memory: on the servers all matches, sorted at the end; here those of one entity. */
async function* countedEntities(plan: FunnelPlan, level: EntityLevel, { fromMs, toMs }: Range, context: ReportContext): AsyncGenerator<FunnelEntity> {
  const meant = meantBy(plan, { fromMs, toMs: toMs + plan.windowMs });
  const hasBreakdown = plan.breakdown !== null;
  const columns = (are: readonly Sql[], needs: RequiredJoins) => sql`${maskOf(meant, are)} AS mask, ${tieBreakerOf(context.tables)} AS num${
    hasBreakdown ? sql`, ${propertiesColumn(plan, needs)} AS properties` : sql``}`;
  const rows = entityRows(meant.map(({ scope }) => scope), level, columns, context);
  const isEntry = sql`bitAnd(mask, ${whole(entryBits(plan))}) != 0 AND ms >= ${whole(fromMs)} AND ms < ${whole(toMs)}`;
  const lists = sql`SELECT arraySort(one -> (one.1, one.2), groupArray((ms, num, mask${hasBreakdown ? sql`, properties` : sql``}))) AS list
    FROM (${rows}) GROUP BY entity HAVING max(${isEntry})`;
  const matchLists = sql`SELECT list.1, list.3${hasBreakdown ? sql`, list.4` : sql``} FROM (${lists})`;
  for await (const matches of context.connection.stream<MatchedEvents>(matchLists)) yield { startMs: null, matches };
}

/** Marks events that are read and no step: above the bits of steps and exclusions. */
const LOOKED_AT = 1 << 30;

async function* sessionEntities(plan: FunnelPlan, span: Range, rowsOf: SessionRows, { connection }: ReportContext): AsyncGenerator<FunnelEntity> {
  // A condition may be long: each is written once.
  const meant = meantBy(plan, ALL_TIME).map(({ scope, bit }) => ({ scope, bit: bit === 0 ? LOOKED_AT : bit }));
  const sessions = rowsOf({
    event: (needs) => sql`, ${maskOf(meant, meant.map(({ scope }) => sql`(${whereOf(scope, null, needs)})`))}, ${propertiesColumn(plan, needs)}`,
    piece: sql`, arrayMap(event -> (event.1, event.2, event.4, event.5), arrayFilter(event -> event.4 != 0, events))`,
    session: sql`, arraySort(match -> (match.1, match.2), arrayFlatten(pieces.4)) AS matches`,
  });
  const lists = sql`SELECT startMs, matches.1, arrayMap(mask -> bitAnd(mask, ${whole(LOOKED_AT - 1)}), matches.3), matches.4 FROM (${sessions})
    WHERE notEmpty(matches) AND startMs >= ${whole(span.fromMs)} AND startMs < ${whole(span.toMs)}`;
  for await (const [startMs, ...matches] of connection.stream<[startMs: number, ...MatchedEvents]>(lists)) yield { startMs, matches };
}
