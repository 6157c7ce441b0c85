import { Cohorts } from "../../query/answer/cohorts.js";
import { Unconverted } from "../../query/answer/unconverted.js";
import type { Plan } from "../../query/plan/plan.js";
import { actorRows, companyOf } from "../query/companies.js";
import { Needs } from "../query/needs.js";
import { groupedPayments, moneyRows, paymentsOf } from "../query/payments.js";
import { sql, text, type Sql } from "../sql/sql.js";
import { Conversion, type PaymentColumns } from "./conversion.js";
import type { ReportContext, StatementReport } from "./report.js";

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
