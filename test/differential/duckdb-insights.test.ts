import { fixedClock, memoryStorage, openDaybook, type Daybook } from "daybook";
import { seededRandom } from "daybook/testing";
import type { DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TrendMeasure } from "../../src/query/plan/input.js";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { insightQuery, SESSIONS, type InsightQuery } from "./insight-sql.js";
import { scalarHistory } from "./scalar-history.js";
import { openSqlStore } from "./sql-store.js";

let daybook: Daybook;
let duckdb: DuckDBConnection;
const random = seededRandom(baseSeed);
const DAY_MS = 86_400_000;

beforeAll(async () => {
  // Over weeks, in which clocks are put forward, and back.
  const events = scalarHistory(random, 3_000).map((event) => ({ ...event, createdAt: event.createdAt + random.below(45) * DAY_MS }));
  duckdb = await openSqlStore(events);
  // A payment of a server is no visit.
  daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(Date.UTC(2027, 0, 1)), revenue: { paymentNames: ["paid"], refundNames: ["paid back"] } });
  const half = events.length / 2;
  await daybook.ingest(random.shuffled(events.slice(0, half)));
  await daybook.seal();
  await daybook.ingest(events.slice(half));
});

afterAll(async () => {
  await daybook.close();
  duckdb.closeSync();
});

const queryCount = caseCount(6, 60);
type Cell = string | number | null;

/** Asks both as many random queries. */
async function agree(intervals: readonly InsightQuery["interval"][], ask: (query: InsightQuery, at: number) => Promise<readonly (readonly Cell[])[]>, sqlOf: (query: InsightQuery, at: number) => string): Promise<void> {
  let answered = 0;
  for (let at = 0; at < queryCount; at += 1) {
    const query = insightQuery(random, intervals);
    const expected = (await duckdb.runAndReadAll(sqlOf(query, at))).getRows() as Cell[][];
    const actual = await ask(query, at);
    expect(sorted(actual), `seed ${baseSeed}: ${JSON.stringify([query.input, query.dates])}`).toEqual(sorted(expected));
    answered += expected.length > 0 ? 1 : 0;
  }
  expect(answered).toBeGreaterThan(queryCount / 3);
}

function sorted(rows: readonly (readonly Cell[])[]): readonly string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}

const measures: readonly (readonly [TrendMeasure, string])[] = [
  [{ type: "events" }, "count(*)"],
  [{ type: "unique_users" }, "count(distinct identity)"],
  [{ type: "unique_values", field: "url" }, "count(distinct url)"],
  [{ type: "sum", field: "amount" }, "sum(amount)"],
  [{ type: "avg", field: "amount" }, "avg(amount)"],
  [{ type: "min", field: "amount" }, "min(amount)"],
  [{ type: "max", field: "amount" }, "max(amount)"],
  [{ type: "median", field: "amount" }, "median(amount)"],
  [{ type: "p25", field: "amount" }, "quantile_cont(amount, 0.25)"],
];
const breakdowns = [["browser", "browser"], ["plan", "plan"], ["flag", "flag::varchar"], ["project", "project"]] as const;
const isTold = (figure: unknown) => figure !== null && figure !== 0;
/** What cannot be told from nothing is left out: SQL has no row of it. */
const told = (figure: string, value: string) => `select ${value}, bucket, ${figure}::double as figure from those group by all having coalesce(figure, 0) <> 0`;

test("Trends agree with DuckDB, by the days, weeks and months of zones and by the values of a field.", () =>
  agree(["day", "week", "month"], async ({ input, dates, interval }, at) => {
    const [measure, [field]] = [measures[at % measures.length]?.[0], breakdowns[at % breakdowns.length] ?? ["", ""]];
    const { buckets, series } = await daybook.trend({ ...input, ...dates, interval, breakdown: { fields: [field], limit: 1_000 }, ...(measure === undefined ? {} : { measure }) });
    const cells = series.flatMap(({ values, data }) => data.map((figure, bucket): Cell[] => [values[0] ?? "", buckets[bucket]?.local ?? "", figure]));
    return [...cells, ...series.map(({ values, total }): Cell[] => [values[0] ?? "", "total", total])].filter(([, , figure]) => isTold(figure));
  }, ({ matches, isBetween, local, unit }, at) => {
    const [figure, value] = [measures[at % measures.length]?.[1] ?? "", `coalesce(${breakdowns[at % breakdowns.length]?.[1]}, '')`];
    return `with those as (select *, ${unit(local("ms"))} as bucket from resolved where ${matches} and ${isBetween("ms")})
      ${told(figure, value)} union all select * from (with those as (select * replace ('total' as bucket) from those) ${told(figure, value)})`;
  }));

test("Users so far agree with DuckDB, and a chart has every day.", () =>
  agree(["day"], async ({ input, dates, interval }) => {
    const { buckets, series } = await daybook.trend({ ...input, ...dates, interval, measure: { type: "unique_users" }, cumulative: true });
    return buckets.map(({ local }, at): Cell[] => [local, series[0]?.data[at] ?? null]);
  }, ({ matches, dates, isBetween, local, unit }) => {
    const [from, to] = [dates.startDate, dates.endDate].map((date) => unit(local(`${Date.parse(date)}`)));
    return `with firsts as (select identity, min(ms) as ms from resolved where ${matches} and ${isBetween("ms")} and identity is not null group by 1),
      days as (select strftime(day, '%Y-%m-%d') as day from generate_series(${from}::timestamp, ${to}::timestamp, interval 1 day) as all_days(day))
      select day, (select count(*)::int from firsts where ${unit(local("firsts.ms"))} <= day) from days`;
  }));

const STEPS = ["pageview", "click", "purchase"];
const windows = [3_600, 86_400, 259_200, 2_592_000];

test("Funnels agree with DuckDB on how far people got, and how long it took them.", () =>
  agree(["day"], async ({ input: { eventName: _, ...input }, dates }, at) => {
    const { steps } = await daybook.funnel({ ...input, ...dates, steps: STEPS.map((eventName) => ({ eventName })), conversionWindowSec: windows[at % windows.length] });
    return steps.filter(({ entities }) => entities > 0).map(({ name, entities, fromEntry }) => [name, entities, fromEntry?.avgSec ?? null, fromEntry?.medianSec ?? null]);
  }, ({ matches, input: { eventName }, isBetween }, at) => {
    const windowMs = (windows[at % windows.length] ?? 0) * 1_000;
    // Steps name the events: the query does not.
    const where = eventName === undefined || eventName === null ? matches : matches.replace(`name = '${eventName}'`, "true");
    const next = (step: number) => `(select min(ms) from e where e.identity = s.identity and name = '${STEPS[step]}' and ms >= s.t${step} and ms - s.t1 <= ${windowMs})`;
    return `with e as (select identity, name, ms from resolved where ${where} and identity is not null),
      one as (select identity, ms as t1 from e where name = '${STEPS[0]}' and ${isBetween("ms")}),
      two as (select *, ${next(1)} as t2 from one as s),
      three as (select *, ${next(2)} as t3 from two as s),
      tries as (select *, case when t3 is not null then 3 when t2 is not null then 2 else 1 end as depth from three),
      chains as (select * from tries qualify row_number() over (partition by identity order by depth desc, t1) = 1),
      shown as (
        select '${STEPS[0]}' as name, 1 as step, null as took from chains union all
        select '${STEPS[1]}', 2, t2 - t1 from chains where depth >= 2 union all
        select '${STEPS[2]}', 3, t3 - t1 from chains where depth >= 3)
      select name, count(*)::int, (floor(avg(took) + 0.5) / 1000)::double, (floor(median(took) + 0.5) / 1000)::double from shown group by name`;
  }));

test("Weekly and daily retention of first times agrees with DuckDB.", () =>
  agree(["week", "day"], async ({ input, interval }) => {
    if (interval === "month") throw new Error("months have no fixed number of days");
    const { cohorts } = await daybook.retention({ ...input, interval, periods: 5, returnEvent: { eventName: "click" } });
    return cohorts.flatMap(({ bucket, size, periods }) => periods.flatMap(({ entities }, period): Cell[][] => (isTold(entities) ? [[bucket.local, size, period, entities]] : [])));
  }, ({ matches, input: { eventName }, local, unit, interval }) => {
    const days = interval === "week" ? 7 : 1;
    // What the query names and what comes back are to be one event.
    const returns = eventName === undefined || eventName === null ? `${matches} and name = 'click'` : `${matches} and '${eventName}' = 'click'`;
    return `with cohorts as (select identity, ${unit(local("min(ms)"))} as cohort from resolved where ${matches} and identity is not null group by identity),
      returns as (select distinct identity, ${unit(local("ms"))} as unit from resolved where ${returns} and identity is not null),
      sizes as (select cohort, count(*)::int as size from cohorts group by 1),
      came as (select cohort, datediff('day', cohort::date, unit::date) // ${days} as period, count(*)::int as entities
        from cohorts join returns using (identity) where unit > cohort group by all)
      select cohort, size, 0, size from sizes union all
      select cohort, size, period::int, entities from came join sizes using (cohort) where period between 1 and 5`;
  }));

test("Sessions agree with DuckDB: their number, their figures, and the values of their first events.", () =>
  agree(["day", "week"], async ({ input, dates, interval }, at) => {
    const { buckets, rows, total } = await daybook.sessionsOverview({ ...input, ...dates, interval, breakdown: { fields: [breakdowns[at % 2]?.[0] ?? ""], limit: 1_000 } });
    const shown = [...buckets.map(({ local, ...figures }) => ({ name: local, figures })), ...(rows ?? []).map(({ values, figures }) => ({ name: `value ${values[0]}`, figures })), { name: "total", figures: total }];
    return shown.filter(({ figures }) => figures.sessions > 0).map(({ name, figures }) => {
      const { sessions, users, events, pageviews, bounces, durationAvgSec, durationMedianSec } = figures;
      return [name, sessions, users, events, pageviews, bounces, durationAvgSec, durationMedianSec];
    });
  }, ({ matches, isBetween, ofProject, local, unit }, at) => {
    const figures = `count(*)::int, count(distinct identity)::int, sum(events)::int, sum(pageviews)::int, sum((events = 1)::int)::int,
      (floor(avg(length) + 0.5) / 1000)::double, (floor(median(length) + 0.5) / 1000)::double`;
    return `with ${SESSIONS},
      sessions as (
        select identity, project, number, min(ms) as start, max(ms) - min(ms) as length, count(*) as events, count(*) filter (name = 'pageview') as pageviews,
          first(coalesce(${breakdowns[at % 2]?.[1]}, '') order by ms, id) as value, bool_or(coalesce(${matches}, false)) as is_matched
        from numbered where ${ofProject} group by identity, project, number),
      those as (select * from sessions where is_matched and ${isBetween("start")})
      select ${unit(local("start"))}, ${figures} from those group by 1 union all
      select 'value ' || value, ${figures} from those group by 1 union all
      select 'total', ${figures} from those having count(*) > 0`;
  }));
