/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the payments */
import { compareCodePoints } from "../base/order.js";
import type { Plan } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";
import { ZERO, addMoney, compareMoney, majorUnits } from "./money.js";
import type { Money } from "./money.js";
import { paymentLabels } from "./payment-labels.js";
import type { Report } from "./report.js";
import { revenueColumns, revenueTable } from "./revenue-table.js";
import { touchIndexes } from "./touch-indexes.js";
import { touchReader } from "./touch.js";
import type { Touch } from "./touch.js";
import { isOrder, unconvertedItems } from "./unconverted.js";

/** The revenue of a project, by who brought those who paid. Who brought whom is found once, until rows or identities change. */
export const revenueByAttribution: Report<"revenueByAttribution", { readonly parts: Rows[] }> = {
  keepsRows: true,
  needsCompanies: ({ level }) => level === "account",
  columns: (plan, context) => [...revenueColumns(context.dictionaries), ...touchReader(plan.touch, context).columns, "companyId"],
  begin: () => ({ parts: [] }),
  scan: ({ parts }, rows) => void parts.push(rows),
  merge: (into, from) => void into.parts.push(...from.parts),
  finish: ({ parts }, plan, context) => {
    const { memo, identities, companies, dictionaries } = context;
    const { payments } = revenueTable(parts, plan.revenue, context);
    const isAccount = plan.level === "account";
    const indexes = () => touchIndexes(parts, plan.touch, isAccount, context);
    const among = companies === null ? [identities, ...parts] : [identities, companies, ...parts];
    const { names, labels } = memo.of(`payment labels ${plan.model} ${plan.level}`, among, () => {
      const made = indexes();
      return { names: made.labels, labels: paymentLabels(payments, made, plan, context) };
    });
    const project = dictionaries.named("project").codeOf(plan.payProject);
    const rows = new Map<string, { revenue: Money; orders: number }>();
    const { fromMs, toMs } = plan.window;
    const inWindow = payments.filter((payment) => payment.project === project && payment.createdAtMs >= fromMs && payment.createdAtMs < toMs);
    payments.forEach((payment, place) => {
      const { converted, createdAtMs } = payment;
      if (converted === null || payment.project !== project || createdAtMs < fromMs || createdAtMs >= toMs) return;
      const dimension = nameOf(names.labelOf(labels[place]!), plan.dimension);
      const sum = rows.get(dimension) ?? { revenue: ZERO, orders: 0 };
      rows.set(dimension, { revenue: addMoney(sum.revenue, converted), orders: sum.orders + (isOrder(payment) ? 1 : 0) });
    });
    return { currency: plan.revenue.currency, rows: ranked(rows, plan), unconverted: unconvertedItems(inWindow) };
  },
};

/** The part of a touch that the question asks for, or what stands for none. */
function nameOf(touch: Touch | null, dimension: Plan<"revenueByAttribution">["dimension"]): string {
  if (touch === null) return dimension === "source" ? "(direct)" : "(none)";
  return touch[dimension] ?? "(not set)";
}

function ranked(rows: ReadonlyMap<string, { revenue: Money; orders: number }>, { limit, revenue: { currency } }: Plan<"revenueByAttribution">) {
  return [...rows]
    .sort(([a, left], [b, right]) => compareMoney(right.revenue, left.revenue) || right.orders - left.orders || compareCodePoints(a, b))
    .slice(0, limit)
    .map(([dimension, { revenue, orders }]) => ({ dimension, revenue: majorUnits(revenue, currency), orders }));
}
