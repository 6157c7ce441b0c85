/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the payments */
import { compareCodePoints } from "../base/order.js";
import type { Plan } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";
import { ZERO, addMoney, compareMoney, majorUnits } from "./money.js";
import type { Money } from "./money.js";
import { PaymentLabels } from "./payment-labels.js";
import type { Report, ReportContext } from "./report.js";
import { revenueTable } from "./revenue-table.js";
import type { RevenueTable } from "./revenue-table.js";
import { ownedTouches, touchLabels } from "./owned-touches.js";
import type { Touch } from "./touch.js";
import { isOrder, unconvertedItems } from "./unconverted.js";

interface Sum {
  revenue: Money;
  orders: number;
}

/**
 * The revenue of a project, by who brought those who paid. Who brought whom is found once, until rows or identities change.
 * Cost: some 10 ns a payment; 0.2 µs for one of the window that was not asked about before.
 */
export const revenueByAttribution: Report<"revenueByAttribution", { readonly parts: Rows[] }> = {
  keepsRows: true,
  needsCompanies: ({ level }) => level === "account",
  columns: () => [],
  begin: () => ({ parts: [] }),
  scan: ({ parts }, rows) => void parts.push(rows),
  merge: (into, from) => void into.parts.push(...from.parts),
  finish: async ({ parts }, plan, context) => {
    const table = await revenueTable(parts, plan.revenue, context);
    const { places, unconverted } = conversionsOf(table, plan, context);
    const labels = await labelsOf(table, parts, plan, context);
    await labels.settle(places.map((place) => table.payments.orderPlaceOf(place, table.orders)));
    const names = touchLabels(plan.touch, context);
    const rows = new Map<string, Sum>();
    sumByLabel(table, places, labels).forEach((sum, label) => {
      const dimension = nameOf(names.labelOf(label), plan.dimension);
      const { revenue, orders } = rows.get(dimension) ?? { revenue: ZERO, orders: 0 };
      rows.set(dimension, { revenue: addMoney(revenue, sum.revenue), orders: orders + sum.orders });
    });
    return { currency: plan.revenue.currency, rows: ranked(rows, plan), unconverted: unconvertedItems(table, unconverted) };
  },
};

/**
 * Kept until rows or identities change; for payments of segments by touches of segments until these do, and by those of full
 * heads until there is another.
 */
async function labelsOf({ payments }: RevenueTable, parts: readonly Rows[], plan: Plan<"revenueByAttribution">, context: ReportContext): Promise<PaymentLabels> {
  const { memo, identities, companies } = context;
  const ofSegments = await ownedTouches("segments", parts, plan.touch, context);
  const ofFullHeads = await ownedTouches("full heads", parts, plan.touch, context);
  const ofHeads = await ownedTouches("heads", parts, plan.touch, context);
  const people = companies === null ? [identities] : [identities, companies];
  const name = `payment labels ${plan.model} ${plan.level}`;
  const old = payments.base ?? payments;
  const base = memo.of(`${name} of segments`, [old, ofSegments, ...people], () => new PaymentLabels(old, [ofSegments], null, plan, context));
  const next = memo.of(`${name} of full heads`, [old, ofFullHeads, base], () => new PaymentLabels(old, [ofSegments, ofFullHeads], base, plan, context));
  return memo.of(name, [payments, ofHeads, next], () => new PaymentLabels(payments, [ofSegments, ofFullHeads, ofHeads], next, plan, context));
}

/** Places of the payments of the project in the window that count, and of those among them without a rate. */
function conversionsOf({ payments, converted }: RevenueTable, { payProject, window }: Plan<"revenueByAttribution">, { dictionaries }: ReportContext) {
  const project = dictionaries.named("project").codeOf(payProject);
  const places: number[] = [];
  const unconverted: number[] = [];
  const { times, counted, projects } = payments;
  for (let place = 0; place < payments.count; place += 1) {
    const ms = times[place]!;
    if (counted[place] === 0 || projects[place] !== project || ms < window.fromMs || ms >= window.toMs) continue;
    (converted[place] === null ? unconverted : places).push(place);
  }
  return { places, unconverted };
}

/** By number of the label; there is none where there is no payment. */
function sumByLabel({ payments, orders, converted }: RevenueTable, places: readonly number[], labels: PaymentLabels): Sum[] {
  const sums: Sum[] = [];
  for (const place of places) {
    const sum = (sums[labels.labelOf(payments.orderPlaceOf(place, orders))] ??= { revenue: ZERO, orders: 0 });
    sum.revenue = addMoney(sum.revenue, converted[place]!);
    if (isOrder(payments.amountAt(place))) sum.orders += 1;
  }
  return sums;
}

/** The part of a touch that the question asks for, or what stands for none. */
function nameOf(touch: Touch | null, dimension: Plan<"revenueByAttribution">["dimension"]): string {
  if (touch === null) return dimension === "source" ? "(direct)" : "(none)";
  return touch[dimension] ?? "(not set)";
}

function ranked(rows: ReadonlyMap<string, Sum>, { limit, revenue: { currency } }: Plan<"revenueByAttribution">) {
  return [...rows]
    .sort(([a, left], [b, right]) => compareMoney(right.revenue, left.revenue) || right.orders - left.orders || compareCodePoints(a, b))
    .slice(0, limit)
    .map(([dimension, { revenue, orders }]) => ({ dimension, revenue: majorUnits(revenue, currency), orders }));
}
