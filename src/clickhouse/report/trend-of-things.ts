import { majorUnits, type Money } from "../../answer/money.js";
import { slotsOf } from "../../answer/insights/buckets.js";
import { trendFiguresOf } from "../../answer/insights/trend-answers.js";
import { Unconverted } from "../../answer/unconverted.js";
import type { TrendAnswers } from "../../plan/insights/answers.js";
import type { TrendPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import { Needs } from "../question/needs.js";
import { addedUp, moneyRows, paymentsOf } from "../question/payments.js";
import { ALL_TIME, inRange, whereOf } from "../question/where.js";
import { allOf, sql, type Sql } from "../sql/sql.js";
import { Conversion, type PaymentColumns } from "./conversion.js";
import { unitOf } from "./entity-rows.js";
import { propertiesColumn, PropertyKeys, type Properties } from "./property-keys.js";
import { pauseOf, selectRows, type Asking } from "./report.js";
import { ThingsOverTime } from "./things-over-time.js";
import { visitsIn } from "./visit-table.js";

type Given = readonly (readonly string[])[] | null;

/** Trends of what comes one by one: sessions, by the values of their first events. */
export async function sessionAnswersOf(plan: TrendPlan, range: Range, given: Given, asking: Asking): Promise<TrendAnswers> {
  const groups = new PropertyKeys();
  const columns = (needs: Needs) => sql`, ${propertiesOf(plan, needs)}`;
  const { visits, keys: [keys = new Uint32Array(0)] } = await visitsIn<readonly [Properties]>(
    plan, range, columns, [([first]) => groups.numberOf(first?.[3] ?? [])], asking);
  const ms = Float64Array.from(visits.sessions, (_, at) => visits.startOf(at));
  const ones = new Uint8Array(keys.length).fill(1);
  const things = new ThingsOverTime({ keys, ms, amounts: ones, counts: ones }, groups.keys, Number);
  return { ...(await trendFiguresOf(plan, range, things, groups, given, pauseOf(asking))), unconverted: [] };
}

/** The same of payments, where all matching events tell which values there are. */
export async function revenueAnswersOf(plan: TrendPlan, range: Range, given: Given, asking: Asking): Promise<TrendAnswers> {
  const { currency } = plan.revenue;
  const groups = new PropertyKeys();
  const conversion = new Conversion(currency, asking.rules.rates);
  const unconverted = new Unconverted();
  const [keys, ms, amounts, counts]: [number[], number[], Money[], number[]] = [[], [], [], []];
  for await (const [atMs, properties, ...payment] of asking.connection.stream<Row>(paymentsIn(plan, range, asking), asking.signal)) {
    const { amount, currency: told, converted, count, orderCount } = conversion.paid(payment);
    if (converted === null) {
      unconverted.add(told, amount, orderCount);
      continue;
    }
    keys.push(groups.numberOf(properties));
    ms.push(atMs);
    amounts.push(converted);
    counts.push(count);
  }
  const each = plan.breakdown === null ? sql`LIMIT 1` : sql`GROUP BY properties`;
  const all = selectRows({ ...plan, range }, asking, (needs) => sql`${propertiesOf(plan, needs)} AS properties`, each);
  for (const [properties] of await asking.connection.rows<[Properties]>(all, asking.signal)) groups.numberOf(properties);
  const things = new ThingsOverTime({ keys, ms, amounts, counts }, groups.keys, (sum) => majorUnits(sum, currency));
  return { ...(await trendFiguresOf(plan, range, things, groups, given, pauseOf(asking))), unconverted: unconverted.items() };
}

type Row = readonly [atMs: number, properties: Properties, ...payment: PaymentColumns];

/** The payments that count and match, those of one unit together: which of an order counts is decided among all. */
function paymentsIn(plan: TrendPlan, range: Range, asking: Asking): Sql {
  // Nothing else is asked of them than what the servers keep of payments.
  const isPlain = plan.where.length === 0 && plan.eventName === null && plan.breakdown === null;
  const needs = isPlain ? new Needs(asking, moneyRows(plan.revenue, asking.tables)) : new Needs(asking);
  const matches = whereOf({ ...plan, range: ALL_TIME }, null, needs);
  const payments = paymentsOf(plan.revenue, needs, sql`, (${matches}) AS matches, ${propertiesOf(plan, needs)} AS properties`);
  // An open side of an axis begins with what counts, so that each instant is a unit until that is known.
  const isOpen = plan.interval !== "total" && (plan.isOpen.start || plan.isOpen.end);
  const unit = isOpen ? sql`ms` : unitOf(slotsOf({ ...plan, range }, plan.interval, null).map(({ unitMs }) => unitMs));
  const matching = sql`SELECT ${unit} AS at, properties, amount, isRefund, currencies, day FROM (${payments})
    WHERE ${allOf([sql`matches`, ...inRange(range)])}`;
  return addedUp(["at", "properties"], matching, plan.revenue);
}

function propertiesOf({ breakdown }: TrendPlan, needs: Needs): Sql {
  return propertiesColumn(breakdown?.fields ?? [], needs);
}
