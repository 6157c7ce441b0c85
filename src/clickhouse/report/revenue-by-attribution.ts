import { AttributedRevenue } from "../../query/answer/attribution.js";
import { Unconverted } from "../../query/answer/unconverted.js";
import type { Plan } from "../../query/plan/plan.js";
import { companyOf, rowsByActor } from "../query/companies.js";
import { Needs } from "../query/needs.js";
import { nearestTouch, type TouchRows } from "../query/nearest-touch.js";
import { rowsByIds } from "../query/who.js";
import { placeOf } from "../query/sort-key.js";
import { touchOf } from "../query/touch.js";
import { groupedPayments, allPaymentsOf, moneyRows, paymentsOf } from "../query/payments.js";
import { sql, text, whole, type Sql } from "../sql/sql.js";
import { Conversion, type PaymentColumns } from "./conversion.js";
import type { ReportContext, StatementReport } from "./report.js";

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
