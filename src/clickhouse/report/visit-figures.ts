import { grouped } from "../../core/base/arrays.js";
import type { Slot } from "../../query/answer/insights/buckets.js";
import { percentilesAtRanks } from "../../query/answer/numbers.js";
import { DURATION_PERCENTS, figuresOf, type SessionSums } from "../../query/answer/visits/visits.js";
import type { SessionFigures } from "../../query/plan/insights/answers.js";
import type { SessionRules } from "../../query/plan/plan.js";
import type { RequiredJoins } from "../query/required-joins.js";
import { joined, sql, texts, whole, wholes, type Sql } from "../sql/sql.js";
import type { ReportContext } from "./report.js";
import type { SessionShape } from "./session-rows.js";

/**
 * Sessions with `eventCount`, `pageviewCount`, `entryPage`, `exitPage` (of the last event with a url) and `told`.
 * @param told what is kept of the first event
 */
export function visitShape({ pageviewSlugs }: SessionRules, told: (needs: RequiredJoins) => Sql): SessionShape {
  const last = sql`arrayLast(event -> event.6, events)`;
  return {
    event: (needs) => sql`, slug IN ${texts(pageviewSlugs)}, extract(url, '^[^?#]*'), url != '', ${told(needs)}`,
    piece: sql`, length(events), arrayCount(event -> event.4, events), (events[1].1, events[1].2, events[1].5, events[1].7), (${last}.1, ${last}.2, ${last}.5)`,
    session: sql`, arraySum(pieces.4) AS eventCount, arraySum(pieces.5) AS pageviewCount, arraySort(first -> (first.1, first.2), pieces.6)[1] AS first,
      first.3 AS entryPage, first.4 AS told, arrayMax(pieces.7).3 AS exitPage`,
  };
}

/** Values under each of which sessions are counted. */
export interface ValueList {
  /** SQL for the values of a session, each a list of texts. */
  readonly values: Sql;
  /** Null: all. */
  readonly limit: number | null;
  /** Whether percentiles of durations are needed. Default false. */
  readonly hasDurations?: boolean;
}

/** One value of a list, and its sessions. */
export interface CountedValue extends SessionSums {
  readonly values: readonly string[];
  readonly users: number;
  /** Ms, at the ranks of `DURATION_PERCENTS`; of a list without durations 0. */
  readonly ranked: readonly number[];
}

/** The first values of a list, and how many it has. */
export class CountedList {
  readonly #byValues: ReadonlyMap<string, CountedValue>;

  constructor(
    readonly counted: readonly CountedValue[],
    readonly valueCount: number,
  ) {
    this.#byValues = new Map(counted.map((one) => [JSON.stringify(one.values), one]));
  }

  /** Of a value that may have no session. */
  of(...values: readonly string[]): CountedValue {
    return this.#byValues.get(JSON.stringify(values)) ?? { ...NOTHING, values };
  }
}

type SumRow = readonly [users: number, sessions: number, events: number, pageviews: number, bounces: number, durationMs: number, ranked: readonly number[]];

type ListRow = readonly [list: number, valueCount: number, values: readonly string[], ...SumRow];

const SUMS = sql`uniqExact(identityKey) AS users, count() AS sessions, sum(eventCount) AS events, sum(pageviewCount) AS pageviews,
  countIf(eventCount = 1) AS bounces, sum(lengthMs) AS durationMs`;
const RANKS = DURATION_PERCENTS.flatMap((percent) => [sql`intDiv((length(lengths) - 1) * ${whole(percent)}, 100)`, sql`intDiv((length(lengths) - 1) * ${whole(percent)} + 99, 100)`]);
/** @param lengths a list; all are 0 where it is empty */
function rankedOf(lengths: Sql): Sql {
  return sql`arrayMap(lengths -> arrayMap(rank -> lengths[rank + 1], [${joined(RANKS, ", ")}]), [arraySort(${lengths})])[1]`;
}

/** Values with most sessions, or users, come first. */
const ORDERS = { sessions: sql`sessions DESC, values`, users: sql`users DESC, sessions DESC, values` } as const;

/** All sessions, under no value. */
export const ALL_SESSIONS: ValueList = { values: sql`[CAST([], 'Array(String)')]`, limit: null, hasDurations: true };

export const NO_VALUES = sql`CAST([], 'Array(Array(String))')`;

/** The unit in which a session starts, as the text of its ms. */
export function unitValue(slots: readonly Slot[]): Sql {
  const last = slots.at(-1);
  if (last === undefined) return NO_VALUES;
  const unit = sql`roundDown(toInt64(startMs), ${wholes(slots.map(({ unitMs }) => unitMs))})`;
  // Sessions that were stored since the slots were laid out may start later.
  return sql`if(startMs < ${whole(last.toMs)}, [[toString(${unit})]], [])`;
}

/** Counts sessions under the values of some lists, in one statement. @param rows with the columns of `visitShape` */
export async function countedLists<Name extends string>(
  rows: Sql, lists: Readonly<Record<Name, ValueList>>, order: keyof typeof ORDERS, { connection }: ReportContext,
): Promise<Readonly<Record<Name, CountedList>>> {
  const names = Object.keys(lists) as Name[];
  const listed = names.map((name, at) => sql`arrayMap(values -> (${whole(at)}, values), ${lists[name].values})`);
  const ranked = [...names.keys()].filter((at) => lists[names[at] as Name].hasDurations === true);
  const each = sql`SELECT identityKey, eventCount, pageviewCount, endMs - startMs AS lengthMs, arrayJoin(arrayConcat(${joined(listed, ", ")})) AS listed FROM (${rows})`;
  const counted = sql`SELECT listed.1 AS list, listed.2 AS values, ${SUMS}, ${rankedOf(sql`groupArrayIf(lengthMs, listed.1 IN ${wholes(ranked)})`)} AS ranked FROM (${each}) GROUP BY listed`;
  const placed = sql`SELECT *, row_number() OVER (PARTITION BY list ORDER BY ${ORDERS[order]}) AS place, count() OVER (PARTITION BY list) AS valueCount FROM (${counted})`;
  const limits = wholes(names.map((name) => lists[name].limit ?? Number.MAX_SAFE_INTEGER));
  const found = await connection.rows<ListRow>(sql`SELECT list, valueCount, values, users, sessions, events, pageviews, bounces, durationMs, ranked
    FROM (${placed}) WHERE place <= ${limits}[list + 1] ORDER BY list, place`);
  const byList = grouped(found, ([list]) => list);
  return Object.fromEntries(names.map((name, at) => {
    const own = byList.get(at) ?? [];
    return [name, new CountedList(own.map(([, , values, ...row]) => ({ values, ...sumsOf(row) })), own[0]?.[1] ?? 0)];
  })) as Record<Name, CountedList>;
}

/** The figures of all sessions that fulfil a condition. @param rows with the columns of `visitShape` */
export async function figuresIf(rows: Sql, condition: Sql, { connection }: ReportContext): Promise<SessionFigures> {
  const each = sql`SELECT identityKey, eventCount, pageviewCount, endMs - startMs AS lengthMs FROM (${rows}) WHERE ${condition}`;
  const [row] = await connection.rows<SumRow>(sql`SELECT ${SUMS}, ${rankedOf(sql`groupArray(lengthMs)`)} AS ranked FROM (${each})`);
  return sessionFiguresOf(row === undefined ? NOTHING : sumsOf(row));
}

function sumsOf([users, sessions, events, pageviews, bounces, durationMs, ranked]: SumRow): Omit<CountedValue, "values"> {
  return { users, sessions, events, pageviews, bounces, durationMs, ranked };
}

/** Of no session. */
export const NOTHING: CountedValue = { values: [], ...sumsOf([0, 0, 0, 0, 0, 0, []]) };

export function sessionFiguresOf({ users, ranked, ...sums }: Omit<CountedValue, "values">): SessionFigures {
  return figuresOf(sums, users, percentilesAtRanks(sums.sessions, DURATION_PERCENTS, ranked));
}
