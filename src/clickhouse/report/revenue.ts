import { checkedRate, isOrder, AttributedRevenue, Unconverted } from "../../query/answer/attribution.js";
import { convertMoney, isNegative, moneyOfNumber, negated, timesMoney, type Money } from "../../query/answer/money.js";
import { isoOfDay } from "../../core/base/time.js";
import type { Rates } from "../../query/plan/input.js";
import type { Plan } from "../../query/plan/plan.js";
import { companyOf, rowsByActor, actorRows } from "../query/companies.js";
import { Needs } from "../query/needs.js";
import { nearestTouch, touchOf, type TouchRows } from "../query/touch.js";
import { rowsByIds } from "../query/who.js";
import { placeOf } from "../query/event-columns.js";
import { groupedPayments, allPaymentsOf, moneyRows, paymentsOf } from "../query/payments.js";
import { sql, text, whole, type Sql } from "../sql/sql.js";
import type { ReportContext, StatementReport } from "./report.js";
import { Cohorts } from "../../query/answer/cohorts.js";

/** A group of similar payments: an amount, how often it counts, and the number of payments. */
export type PaymentColumns = [amount: string, times: number, count: number, isRefund: boolean, currencies: readonly string[], day: number];

/** Payments as one sum, in their own currency, and in the reporting currency where a rate is known. */
export interface Paid {
  readonly amount: Money;
  readonly currency: string;
  readonly converted: Money | null;
  readonly count: number;
  readonly orderCount: number;
}

/** Converts amounts to the reporting currency. Calls `rates` once per currency and day. */
export class Conversion {
  readonly #known = new Map<string, number | undefined>();

  constructor(
    readonly reporting: string,
    readonly rates: Rates | undefined,
  ) {}

  /** @throws invalid_parameter (a rate that is not a number above 0) */
  paid([text, times, count, isRefund, currencies, day]: PaymentColumns): Paid {
    const sent = timesMoney(moneyOfNumber(text), times);
    const amount = isRefund && !isNegative(sent) ? negated(sent) : sent;
    const orderCount = isOrder(amount) ? count : 0;
    const told = currencies.map((currency) => currency.trim()).find((currency) => currency !== "") ?? this.reporting;
    const currency = /^[a-z]{3}$/i.test(told) ? told.toUpperCase() : told;
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

/** Prefix of every touch's label, which may be empty; without a touch there is no prefix. */
const CALLED = "+";

/** The revenue of a project by attribution: payments are read with their touch, similar ones as one. */
export const revenueByAttribution: StatementReport<"revenueByAttribution"> = async (plan, asking) => {
  const conversion = new Conversion(plan.revenue.currency, asking.rules.rates);
  const attributed = new AttributedRevenue(plan.dimension);
  const unconverted = new Unconverted();
  for await (const [called, ...payment] of asking.connection.stream<[string, ...PaymentColumns]>(attributedPayments(plan, asking), asking.signal)) {
    const { amount, currency, converted, orderCount } = conversion.paid(payment);
    if (converted === null) unconverted.add(currency, amount, orderCount);
    else attributed.add(touchCalled(called, plan.dimension), converted, orderCount);
  }
  const { currency } = plan.revenue;
  return { currency, rows: attributed.rows(plan.limit, currency), unconverted: unconverted.items() };
};

/** Only the requested dimension of a touch is selected. */
function touchCalled(called: string, dimension: Plan<"revenueByAttribution">["dimension"]) {
  if (!called.startsWith(CALLED)) return null;
  const value = called.slice(CALLED.length);
  return { source: null, medium: null, campaign: null, [dimension]: value === "" ? null : value };
}

/** The payments of the window, each with the label of its touch. */
function attributedPayments(plan: Plan<"revenueByAttribution">, asking: ReportContext): Sql {
  const { model, window, touch } = plan;
  const owed = { key: sql`broughtAs`, ms: sql`atMs`, place: placeOf(sql`atMs`, sql`atNum`) };
  const { joins, told } = nearestTouch(model, touch, touchesOf(plan, asking), owed);
  const attributed = sql`WITH payments AS (${paymentsOfProject(plan, asking)}),
    origins AS (SELECT orderKey AS originKey, ms AS originMs, num AS originNum, brought AS originBrought, true AS isKnown
      FROM payments WHERE NOT isRefund AND orderKey != ''),
    owed AS (SELECT amount, isRefund, currencies, day, isRefund AND isKnown AS isReturn,
      if(isReturn, originMs, ms) AS atMs, if(isReturn, originNum, num) AS atNum, if(isReturn, originBrought, brought) AS broughtAs
      FROM payments GLOBAL ANY LEFT JOIN origins ON originKey = orderKey
      WHERE ms >= ${whole(window.fromMs)} AND ms < ${whole(window.toMs)})
    SELECT ${told} AS called, amount, isRefund, currencies, day FROM owed ${joins}`;
  return groupedPayments(["called"], attributed, plan.revenue);
}

/** The payments of a project with the key of their touches: company (`c` and its id) or identity (`who`); `""` for none. */
function paymentsOfProject({ revenue, payProject, level }: Plan<"revenueByAttribution">, asking: ReportContext, paymentsOfRule = paymentsOf): Sql {
  const needs = new Needs(asking, moneyRows(revenue, asking.tables));
  const who = needs.who();
  const company = level === "account" ? companyOf(needs) : null;
  const brought = company === null ? who : sql`if(${who} = '' OR ${company} = '', ${who}, concat('c', ${company}))`;
  const payments = paymentsOfRule(revenue, needs, sql`, ${brought} AS brought`);
  return sql`SELECT * FROM (${payments}) WHERE project = ${text(payProject)}`;
}

/** The touches of the companies or identities with payments. */
function touchesOf(plan: Plan<"revenueByAttribution">, asking: ReportContext): TouchRows {
  const { level, dimension, touch } = plan;
  const isOfAccounts = level === "account";
  return {
    newNeeds: (source) => new Needs({ ...asking, touch }, source),
    byActor: (columns, where) => (isOfAccounts ? rowsByActor(asking, columns, where) : rowsByIds(asking.tables, columns, where)),
    keyOf: (needs) => {
      const who = needs.who();
      if (!isOfAccounts) return who;
      const company = companyOf(needs);
      return sql`arrayJoin([${who}, if(${company} = '', '', concat('c', ${company}))])`;
    },
    told: sql`concat(${text(CALLED)}, ${touchOf(dimension, touch)})`,
    tables: asking.tables,
    isMeant: sql`key GLOBAL IN (SELECT DISTINCT brought FROM (${paymentsOfProject(plan, asking, allPaymentsOf)}))`,
  };
}

/** Entities with an event in a project, by the month in which they were first seen, and all they paid there. */
export const ltvCohorts: StatementReport<"ltvCohorts"> = async (plan, asking) => {
  const { connection, signal, rules } = asking;
  const cohorts = new Cohorts();
  const counts = sql`SELECT firstDay, count() FROM (${entitiesOf(plan, asking)}) GROUP BY firstDay`;
  for (const [day, count] of await connection.rows<[number, number]>(counts, signal)) cohorts.addEntities(day, count);
  const conversion = new Conversion(plan.revenue.currency, rules.rates);
  const unconverted = new Unconverted();
  for await (const [firstDay, ...payment] of connection.stream<[number, ...PaymentColumns]>(paymentsOfEntities(plan, asking), signal)) {
    const { amount, currency, converted, orderCount } = conversion.paid(payment);
    if (converted === null) unconverted.add(currency, amount, orderCount);
    else cohorts.addMoney(firstDay, converted, orderCount);
  }
  const { currency } = plan.revenue;
  return { currency, cohorts: cohorts.items(plan.limit, currency), unconverted: unconverted.items() };
};

/** The entity an event's money counts for: at account level its company, if it has one, else its identity; `""` for none. */
function entityOf({ level }: Plan<"ltvCohorts">, needs: Needs): Sql {
  const company = level === "account" ? companyOf(needs) : sql`''`;
  const who = needs.who();
  return sql`multiIf(${who} = '', '', ${company} != '', concat('c', ${company}), concat('w', ${who}))`;
}

/** Entities with an event in the project, and the day of their first one in any. */
function entitiesOf(plan: Plan<"ltvCohorts">, asking: ReportContext): Sql {
  const seen = plan.level === "account" ? accountsSeen(plan, asking) : peopleSeen(asking);
  return sql`SELECT entity, min(firstDay) AS firstDay FROM (${seen}) WHERE entity != ''
    GROUP BY entity HAVING countIf(project = ${text(plan.payProject)}) > 0`;
}

function peopleSeen(asking: ReportContext): Sql {
  const needs = new Needs(asking, actorRows(asking.tables));
  const who = needs.who();
  return sql`SELECT if(${who} = '', '', concat('w', ${who})) AS entity, project, firstDay FROM ${needs.rows()}`;
}

/** For an identity with several companies the company depends on the time, so its events are read. */
function accountsSeen(plan: Plan<"ltvCohorts">, asking: ReportContext): Sql {
  const actors = new Needs(asking, actorRows(asking.tables));
  const [who, companies] = [actors.who(), actors.companies()];
  const company = sql`if(companyId != '' OR empty(${companies}), toString(companyId), ${companies}[1].3)`;
  const changes = sql`companyId = '' AND length(${companies}) > 1`;
  const entity = sql`multiIf(${who} = '', '', ${company} != '', concat('c', ${company}), concat('w', ${who}))`;
  const ofActors = sql`SELECT ${entity} AS entity, project, firstDay FROM ${actors.rows()} WHERE NOT (${changes})`;
  const ids = sql`SELECT userId, anonymousId FROM ${actors.rows()} WHERE ${changes}`;
  if (asking.several?.length === 0) return ofActors;
  const events = new Needs(asking);
  const ofEvents = sql`SELECT ${entityOf(plan, events)} AS entity, project, day AS firstDay FROM ${events.rows()}
    WHERE companyId = '' AND (userId, anonymousId) GLOBAL IN (${ids})`;
  return sql`${ofActors} UNION ALL ${ofEvents}`;
}

function paymentsOfEntities(plan: Plan<"ltvCohorts">, asking: ReportContext): Sql {
  const needs = new Needs(asking, moneyRows(plan.revenue, asking.tables));
  const payments = paymentsOf(plan.revenue, needs, sql`, ${entityOf(plan, needs)} AS payer`);
  const ofEntities = sql`SELECT firstDay, amount, isRefund, currencies, day FROM (${payments}) AS payments
    GLOBAL ANY LEFT JOIN (${entitiesOf(plan, asking)}) AS entities ON entities.entity = payments.payer
    WHERE project = ${text(plan.payProject)} AND payer != ''`;
  return groupedPayments(["firstDay"], ofEntities, plan.revenue);
}
