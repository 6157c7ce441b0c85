import { isOrder, AttributedRevenue, Unconverted, Cohorts } from "../../query/answer/revenue-answers.js";
import { checkedRate, convertMoney, isNegative, moneyOfNumber, negated, timesMoney, type Money } from "../../query/answer/money.js";
import { isoOfDay } from "../../core/base/time.js";
import type { Rates } from "../../query/plan/input.js";
import type { RevenueRule, LtvCohortsPlan, RevenueByAttributionPlan } from "../../query/plan/plan.js";
import { actorRows, companiesOf, companyOf, rowsByActor } from "../query/companies.js";
import { RequiredJoins } from "../query/required-joins.js";
import { nearestTouch, touchOf, type TouchRows } from "../query/touch.js";
import { placeOf, rowsByIds } from "../query/event-columns.js";
import { groupedPayments, allPaymentsOf, moneyRows, paymentsOf } from "../query/payments.js";
import { sql, text, whole, type Sql } from "../sql/sql.js";
import type { ReportContext, StatementReport } from "./report.js";

/** A group of similar payments as selected: an amount, how often it counts, and the number of payments. */
type PaymentColumns = [amount: string, times: number, count: number, isRefund: boolean, currencies: readonly string[], day: number];

/** Converts amounts to the reporting currency. Calls `rates` once per currency and day. */
class Conversion {
  readonly #known = new Map<string, number | undefined>();

  constructor(
    readonly reporting: string,
    readonly rates: Rates | undefined,
  ) {}

  /** @throws invalid_parameter (a rate that is not a number above 0) */
  paid([text, times, count, isRefund, currencies, day]: PaymentColumns) {
    const sent = timesMoney(moneyOfNumber(text), times);
    const amount = isRefund && !isNegative(sent) ? negated(sent) : sent;
    const orderCount = isOrder(amount) ? count : 0;
    const named = currencies.map((currency) => currency.trim()).find((currency) => currency !== "") ?? this.reporting;
    const currency = /^[a-z]{3}$/i.test(named) ? named.toUpperCase() : named;
    if (currency === this.reporting) return { amount, currency, converted: amount, count, orderCount };
    const rate = /^[A-Z]{3}$/.test(currency) ? this.#rateOf(currency, isoOfDay(day).slice(0, 10)) : undefined;
    return { amount, currency, converted: rate === undefined ? null : convertMoney(amount, rate), count, orderCount };
  }

  #rateOf(currency: string, day: string): number | undefined {
    const key = `${currency} ${day}`;
    if (!this.#known.has(key)) this.#known.set(key, checkedRate(this.rates?.(currency, this.reporting, day), currency, this.reporting, day));
    return this.#known.get(key);
  }
}

interface PaidGroup<Keys> {
  readonly keys: Keys;
  readonly money: Money;
  readonly count: number;
  readonly orderCount: number;
}

/** @param payments as in `groupedPayments` @param unconverted gets those without a rate @throws invalid_parameter (a rate not above 0) */
export async function* paidGroups<Keys extends readonly unknown[]>(
  keys: readonly string[], payments: Sql, rule: RevenueRule, context: ReportContext, unconverted = new Unconverted(),
): AsyncGenerator<PaidGroup<Keys>> {
  const conversion = new Conversion(rule.currency, context.rules.rates);
  for await (const row of context.connection.stream<readonly unknown[]>(groupedPayments(keys, payments, rule))) {
    const { amount, currency, converted, count, orderCount } = conversion.paid(row.slice(keys.length) as PaymentColumns);
    if (converted === null) unconverted.add(currency, amount, orderCount);
    else yield { keys: row.slice(0, keys.length) as readonly unknown[] as Keys, money: converted, count, orderCount };
  }
}

/** Prefix of every touch's label, which may be empty; without a touch there is no prefix. */
const LABEL_PREFIX = "+";

/** The revenue of a project by attribution: payments are read with their touch, similar ones as one. */
export const revenueByAttribution: StatementReport<"revenueByAttribution"> = async (plan, context) => {
  const attributed = new AttributedRevenue(plan.dimension);
  const unconverted = new Unconverted();
  const groups = paidGroups<[label: string]>(["label"], attributedPayments(plan, context), plan.revenue, context, unconverted);
  for await (const { keys: [label], money, orderCount } of groups) attributed.add(touchOfLabel(label, plan.dimension), money, orderCount);
  const { currency } = plan.revenue;
  return { currency, rows: attributed.rows(plan.limit, currency), unconverted: unconverted.items() };
};

/** Only the requested dimension of a touch is selected. */
function touchOfLabel(label: string, dimension: RevenueByAttributionPlan["dimension"]) {
  if (!label.startsWith(LABEL_PREFIX)) return null;
  const value = label.slice(LABEL_PREFIX.length);
  return { source: null, medium: null, campaign: null, [dimension]: value === "" ? null : value };
}

function attributedPayments(plan: RevenueByAttributionPlan, context: ReportContext): Sql {
  const { model, window } = plan;
  const owed = { key: sql`broughtAs`, ms: sql`atMs`, place: placeOf(sql`atMs`, sql`atNum`) };
  const { joins, label } = nearestTouch(model, touchesOf(plan, context), owed);
  return sql`WITH payments AS (${paymentsOfProject(plan, context)}),
    origins AS (SELECT orderKey AS originKey, ms AS originMs, num AS originNum, brought AS originBrought, true AS isKnown
      FROM payments WHERE NOT isRefund AND orderKey != ''),
    owed AS (SELECT amount, isRefund, currencies, day, isRefund AND isKnown AS isReturn,
      if(isReturn, originMs, ms) AS atMs, if(isReturn, originNum, num) AS atNum, if(isReturn, originBrought, brought) AS broughtAs
      FROM payments GLOBAL ANY LEFT JOIN origins ON originKey = orderKey
      WHERE ms >= ${whole(window.fromMs)} AND ms < ${whole(window.toMs)})
    SELECT ${label} AS label, amount, isRefund, currencies, day FROM owed ${joins}`;
}

/** The payments of a project with the key of their touches: company (`c` and its id) or identity (`identityKey`); `""` for none. */
function paymentsOfProject({ revenue, payProject, level }: RevenueByAttributionPlan, context: ReportContext, paymentsOfRule = paymentsOf): Sql {
  const needs = new RequiredJoins(context, moneyRows(revenue, context.tables));
  const identityKey = needs.identityKey();
  const company = level === "account" ? companyOf(needs) : null;
  const brought = company === null ? identityKey : sql`if(${identityKey} = '' OR ${company} = '', ${identityKey}, concat('c', ${company}))`;
  const payments = paymentsOfRule(revenue, needs, sql`, ${brought} AS brought`);
  return sql`SELECT * FROM (${payments}) WHERE project = ${text(payProject)}`;
}

function touchesOf(plan: RevenueByAttributionPlan, context: ReportContext): TouchRows {
  const { level, dimension, touch } = plan;
  const isOfAccounts = level === "account";
  return {
    context: { ...context, touch },
    byActor: (columns, where) => (isOfAccounts ? rowsByActor(context, columns, where) : rowsByIds(context.tables, columns, where)),
    keyOf: (needs) => {
      const identityKey = needs.identityKey();
      if (!isOfAccounts) return identityKey;
      const company = companyOf(needs);
      return sql`arrayJoin([${identityKey}, if(${company} = '', '', concat('c', ${company}))])`;
    },
    label: sql`concat(${text(LABEL_PREFIX)}, ${touchOf(dimension, touch)})`,
    condition: sql`key GLOBAL IN (SELECT DISTINCT brought FROM (${paymentsOfProject(plan, context, allPaymentsOf)}))`,
  };
}

/** Entities with an event in a project, by the month in which they were first seen, and all they paid there. */
export const ltvCohorts: StatementReport<"ltvCohorts"> = async (plan, context) => {
  const cohorts = new Cohorts();
  const counts = sql`SELECT firstDay, count() FROM (${entitiesOf(plan, context)}) GROUP BY firstDay`;
  for (const [day, count] of await context.connection.rows<[number, number]>(counts)) cohorts.addEntities(day, count);
  const unconverted = new Unconverted();
  const groups = paidGroups<[firstDay: number]>(["firstDay"], paymentsOfEntities(plan, context), plan.revenue, context, unconverted);
  for await (const { keys: [firstDay], money, orderCount } of groups) cohorts.addMoney(firstDay, money, orderCount);
  const { currency } = plan.revenue;
  return { currency, cohorts: cohorts.items(plan.limit, currency), unconverted: unconverted.items() };
};

/** The entity an event's money counts for: at account level its company, if it has one, else its identity; `""` for none. */
function entityOf({ level }: LtvCohortsPlan, needs: RequiredJoins): Sql {
  return payerOf(needs.identityKey(), level === "account" ? companyOf(needs) : sql`''`);
}

function payerOf(identityKey: Sql, company: Sql): Sql {
  return sql`multiIf(${identityKey} = '', '', ${company} != '', concat('c', ${company}), concat('w', ${identityKey}))`;
}

/** Entities with an event in the project, and the day of their first one in any. */
function entitiesOf(plan: LtvCohortsPlan, context: ReportContext): Sql {
  const seen = plan.level === "account" ? accountsSeen(plan, context) : peopleSeen(plan, context);
  return sql`SELECT entity, min(firstDay) AS firstDay FROM (${seen}) WHERE entity != ''
    GROUP BY entity HAVING countIf(project = ${text(plan.payProject)}) > 0`;
}

function peopleSeen(plan: LtvCohortsPlan, context: ReportContext): Sql {
  const needs = new RequiredJoins(context, actorRows(context.tables));
  return sql`SELECT ${entityOf(plan, needs)} AS entity, project, firstDay FROM ${needs.rows()}`;
}

/** For an identity with several companies the company depends on the time, so its events are read. */
function accountsSeen(plan: LtvCohortsPlan, context: ReportContext): Sql {
  const actors = new RequiredJoins(context, actorRows(context.tables));
  const [identityKey, companies] = [actors.identityKey(), companiesOf(actors)];
  const company = sql`if(companyId != '' OR empty(${companies}), toString(companyId), ${companies}[1].3)`;
  const changes = sql`companyId = '' AND length(${companies}) > 1`;
  const ofActors = sql`SELECT ${payerOf(identityKey, company)} AS entity, project, firstDay FROM ${actors.rows()} WHERE NOT (${changes})`;
  const ids = sql`SELECT userId, anonymousId FROM ${actors.rows()} WHERE ${changes}`;
  if (context.several?.length === 0) return ofActors;
  const events = new RequiredJoins(context);
  const ofEvents = sql`SELECT ${entityOf(plan, events)} AS entity, project, day AS firstDay FROM ${events.rows()}
    WHERE companyId = '' AND (userId, anonymousId) GLOBAL IN (${ids})`;
  return sql`${ofActors} UNION ALL ${ofEvents}`;
}

function paymentsOfEntities(plan: LtvCohortsPlan, context: ReportContext): Sql {
  const needs = new RequiredJoins(context, moneyRows(plan.revenue, context.tables));
  const payments = paymentsOf(plan.revenue, needs, sql`, ${entityOf(plan, needs)} AS payer`);
  return sql`SELECT firstDay, amount, isRefund, currencies, day FROM (${payments}) AS payments
    GLOBAL ANY LEFT JOIN (${entitiesOf(plan, context)}) AS entities ON entities.entity = payments.payer
    WHERE project = ${text(plan.payProject)} AND payer != ''`;
}
