import { LIMITS } from "../../core/base/limits.js";
import { MS_PER_DAY } from "../../core/base/time.js";
import type { QueryScope, Range, RevenueRule, SessionRule } from "../../query/plan/plan.js";
import { isOfNumber } from "../connection/errors.js";
import { isMoney } from "../query/payments.js";
import { RequiredJoins } from "../query/required-joins.js";
import { ALL_TIME, inRange, whereOf } from "../query/where.js";
import { allOf, EMPTY, mentions, sql, text, texts, whole, type Sql } from "../sql/sql.js";
import type { ReportContext } from "./report.js";

type SessionPlan = QueryScope & { readonly session: SessionRule; readonly revenue: RevenueRule };

/** What is read of events and kept of sessions, as SQL that goes on behind what all of them have: each begins with a comma, or is empty. */
export interface SessionShape {
  /** Members of an event's tuple, behind its time, its number and whether it matches the query. */
  readonly event: (needs: RequiredJoins) => Sql;
  /** Members of a piece's tuple, behind its first and last time and its number of matching events. Computed from `events`, which are in order. */
  readonly piece: Sql;
  /** Columns of a session, behind `identityKey`, `startMs` and `endMs`. Computed from `pieces`. */
  readonly session: Sql;
}

/** Gives the sessions of a query, one row each. */
export type SessionRows = (shape: SessionShape) => Sql;

/** The error of a server that a statement stopped. */
const STOPPED = 395;

/** Statements that stop although nobody new is named: events may be removed meanwhile. */
const STOPPED_COUNT = 3;

/** Above this number of names everybody is read whole. */
const NAMED_COUNT = 1_000;

/**
 * Answers from the sessions that start in a range and have an event that matches the plan. Identities whose sessions depend on more than was
 * read stop a statement; it is repeated with these read whole. Cost: the events of the range, of two days before it, and of the longest session after
 * it; with such identities all earlier events.
 * @param isStreamed whether an answer begins before its statement is through: such identities are found first then
 */
export async function fromSessions<T>(plan: SessionPlan, range: Range, context: ReportContext, answer: (rows: SessionRows) => Promise<T>, isStreamed = false): Promise<T> {
  const named = new Set<string>();
  const sessions = () => new SessionSql(plan, range, named.size > NAMED_COUNT ? null : [...named], context);
  const nameOpen = async () => {
    const count = named.size;
    for (const [identityKey] of await context.connection.rows<[string]>(sessions().open())) named.add(identityKey);
    return named.size > count;
  };
  if (isStreamed) await nameOpen();
  for (let stoppedCount = 0; ; ) {
    const { rows } = sessions();
    try {
      return await answer(rows);
    } catch (error) {
      if (!isOfNumber(error, STOPPED)) throw error;
      if (await nameOpen()) continue;
      stoppedCount += 1;
      if (stoppedCount === STOPPED_COUNT) throw error;
    }
  }
}

/** Nothing but times. */
const TIMES: SessionShape = { event: () => EMPTY, piece: EMPTY, session: EMPTY };

/** How long before a range sessions may begin that reach into it. Who makes no pause for so long is read whole. */
const LOOK_BACK_MS = 2 * MS_PER_DAY;

/**
 * Builds the statement. Each shard divides the events of an identity at its pauses. The server that receives the query joins pieces of several
 * shards that overlap or follow each other without a pause, and divides those that are longer than a session.
 */
class SessionSql {
  readonly #edgeMs: number;
  readonly #isNamed: Sql;
  readonly #isLong: Sql;

  /** @param named identities to read whole, event by event; null: all */
  constructor(
    readonly plan: SessionPlan,
    readonly range: Range,
    named: readonly string[] | null,
    readonly context: ReportContext,
  ) {
    this.#edgeMs = named === null ? 0 : Math.max(range.fromMs - Math.max(LOOK_BACK_MS, 2 * plan.session.gapMs), 0);
    this.#isNamed = named === null ? sql`true` : named.length === 0 ? sql`false` : sql`identityKey IN ${texts(named)}`;
    this.#isLong = sql`runEndMs - runMs > ${whole(plan.session.maxMs)}`;
  }

  readonly rows: SessionRows = (shape) => {
    const { fromMs, toMs } = this.range;
    const run = sql`if(${this.#isLong}, ${divided(this.plan.session)}, [run])`;
    const sessions = sql`SELECT identityKey, project, arrayJoin(${run}) AS pieces, arrayMin(pieces.1) AS startMs, arrayMax(pieces.2) AS endMs
      FROM (${this.#runs(shape)}) WHERE NOT throwIf(isOpen, 'daybook: a session may begin before the events that were read')`;
    return sql`SELECT identityKey, startMs, endMs${shape.session}
      FROM (${sessions}) WHERE startMs >= ${whole(fromMs)} AND startMs < ${whole(toMs)} AND arraySum(pieces.3) > 0`;
  };

  /** Identities that must be read whole. */
  open(): Sql {
    return sql`SELECT DISTINCT identityKey FROM (${this.#runs(TIMES)}) WHERE isOpen`;
  }

  /**
   * Events without a pause between them. `isOpen`: they may go on before what was read; or they last too long, and are known only as short pieces
   * of several shards. A piece of one moment is divided nowhere.
   */
  #runs(shape: SessionShape): Sql {
    const edgeMs = this.#edgeMs;
    const goesOn = edgeMs === 0 ? sql`false` : sql`runMs <= ${whole(edgeMs + this.plan.session.gapMs)} AND runEndMs >= ${whole(this.range.fromMs)}`;
    const isDivisible = sql`arrayAll(piece -> piece.1 = piece.2, run)`;
    return sql`SELECT identityKey, project, run, arrayMin(run.1) AS runMs, arrayMax(run.2) AS runEndMs,
        NOT ${this.#isNamed} AND ((${goesOn}) OR ${this.#isLong} AND NOT ${isDivisible}) AS isOpen
      FROM (${this.#joinedRuns(shape)})`;
  }

  #joinedRuns(shape: SessionShape): Sql {
    const { tables } = this.context;
    const ofShard = this.#runsOf(tables.ofShard("events"), shape);
    // What reads other shards is not for each shard to do: events are gathered then.
    if (!tables.isCluster || mentions(ofShard, "GLOBAL")) return this.#runsOf(tables.all("events"), shape);
    // The devices of one person may lie on several shards.
    const runs = sql`if(min(shard) = max(shard), groupArray(run), ${joinedPieces(this.plan.session)})`;
    return sql`SELECT identityKey, project, arrayJoin(${runs}) AS run
      FROM (SELECT identityKey, project, run, _shard_num AS shard FROM ${tables.onShards(ofShard)}) GROUP BY identityKey, project`;
  }

  /** Each as one piece, or one piece per event where they last longer than a session. */
  #runsOf(rows: Sql, { event, piece }: SessionShape): Sql {
    const { project, session: { gapMs, maxMs }, revenue } = this.plan;
    const needs = new RequiredJoins(this.context, { rows, isGathered: false });
    const matches = whereOf({ ...this.plan, range: ALL_TIME }, null, needs);
    const list = sql`arraySort(groupArray((ms, toUInt128(id), toUInt8(${matches})${event(needs)}))) AS list`;
    const one = sql`arrayJoin(arraySplit((event, pauseMs) -> pauseMs > ${whole(gapMs)}, ${list}, arrayDifference(list.1))) AS one`;
    const isApart = sql`one[-1].1 - one[1].1 > ${whole(maxMs)} OR ${this.#isNamed}`;
    const pieces = sql`arrayMap(events -> (events[1].1, events[-1].1, arraySum(events.3)${piece}), if(${isApart}, arrayMap(event -> [event], one), [one]))`;
    const read = { fromMs: this.#edgeMs, toMs: Math.min(this.range.toMs + maxMs, LIMITS.instantMaxMs) };
    // Payments reported by a server, without a page, belong to no session.
    const isThere = sql`NOT (url = '' AND hostname = '' AND ${isMoney(revenue)})`;
    const where = allOf([
      sql`(${allOf(inRange(read))}) OR ${this.#isNamed} AND ms < ${whole(read.toMs)}`, ...(project === null ? [] : [sql`project = ${text(project)}`]),
      isThere, sql`identityKey != ''`,
    ]);
    return sql`SELECT ${needs.identityKey()} AS identityKey, project, ${one}, ${pieces} AS run
      FROM ${needs.rows()} WHERE ${where} GROUP BY identityKey, project`;
  }
}

/** Joins the pieces of an identity into runs. A piece stays open for `gapMs` after its end; a run begins with a piece while none is open. */
function joinedPieces({ gapMs }: SessionRule): Sql {
  const begun = sql`arrayMap(piece -> (toInt64(piece.1), 0, piece), groupArrayArray(run) AS all)`;
  const ended = sql`arrayMap(piece -> (toInt64(piece.2) + ${whole(gapMs)}, 1, piece), all)`;
  const bounds = sql`arraySort(bound -> (bound.1, bound.2), arrayConcat(${begun}, ${ended})) AS bounds`;
  const runs = sql`arraySplit((bound, openCount) -> bound.2 = 0 AND openCount = 1, ${bounds}, arrayCumSum(bound -> 1 - 2 * bound.2, bounds))`;
  return sql`arrayMap(bounded -> arrayMap(bound -> bound.3, arrayFilter(bound -> bound.2 = 0, bounded)), ${runs})`;
}

/** Divides a run of single events before each that is later than `maxMs` after the start of its session. `arrayFirst` gives 0 for none. */
function divided({ maxMs }: SessionRule): Sql {
  const next = sql`arrayFirst(ms -> ms > starts[-1] + ${whole(maxMs)}, arraySort(run.1))`;
  const starts = sql`arrayFold((starts, at) -> if(${next} = 0, starts, arrayPushBack(starts, ${next})), range(least(toUInt64(intDiv(runEndMs - runMs, ${whole(maxMs + 1)})), length(run) - 1)), [runMs])`;
  return sql`arraySplit((piece, before) -> piece.1 != before AND has(${starts}, piece.1), arraySort(run) AS ordered, arrayPushFront(arrayPopBack(ordered.1), 0))`;
}
