/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the payments */
import type { Plan } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";
import { CompanyReader } from "./company-rows-reader.js";
import type { ReportContext } from "./report.js";
import type { Payment } from "./revenue-table.js";
import type { Moment, TouchIndex } from "./touch-index.js";
import type { TouchIndexes } from "./touch-indexes.js";

/** Number of the label that each payment goes to; 0 for none. A refund goes where its order went. */
export function paymentLabels(payments: readonly Payment[], indexes: TouchIndexes, plan: Plan<"revenueByAttribution">, context: ReportContext): Uint32Array {
  const payers = new Payers(indexes, plan, context);
  const labels = Uint32Array.from(payments, (payment) => payers.labelOf(payment));
  const orderPlaces = new Map<number, number>();
  payments.forEach(({ order, paymentOrder }, place) => {
    if (order !== -1 && paymentOrder === -1) orderPlaces.set(order, place);
  });
  payments.forEach(({ paymentOrder }, place) => {
    const paid = paymentOrder === -1 ? undefined : orderPlaces.get(paymentOrder);
    if (paid !== undefined) labels[place] = labels[paid]!;
  });
  return labels;
}

/** Finds the touch of single payments by the plan's model and level. */
class Payers {
  readonly #readers = new Map<Rows, CompanyReader>();

  constructor(
    readonly indexes: TouchIndexes,
    readonly plan: Plan<"revenueByAttribution">,
    readonly context: ReportContext,
  ) {}

  labelOf({ rows, row, createdAtMs, actor }: Payment): number {
    if (actor === 0) return 0;
    const { identities } = this.context;
    const moment = { ms: createdAtMs, ids: rows.ids(), idAt: row * 16 };
    const identity = identities.identityOf(actor);
    const company = this.plan.level === "account" ? this.#reader(rows).companyOf(row, identity) : 0;
    if (company !== 0) return this.#label(this.indexes.byCompany, [company], moment);
    return this.#label(this.indexes.byActor, identities.actorsOf(identity), moment);
  }

  #label(indexes: readonly TouchIndex[], owners: readonly number[], moment: Moment): number {
    const isFirst = this.plan.model === "first_touch";
    const { lookbackMs } = this.plan.touch;
    const sinceMs = lookbackMs === null ? -Infinity : moment.ms - lookbackMs;
    let best: { readonly moment: Moment; readonly label: number } | null = null;
    for (const index of indexes) {
      for (const owner of owners) {
        const place = isFirst ? index.firstSince(owner, sinceMs) : index.last(owner, moment);
        if (place === -1 || index.compare(place, moment) > 0) continue;
        const found = index.momentOf(place);
        if (found.ms < sinceMs) continue;
        const order = best === null ? 0 : index.compare(place, best.moment);
        if (best === null || (isFirst ? order < 0 : order > 0)) best = { moment: found, label: index.labelOf(place) };
      }
    }
    return best?.label ?? 0;
  }

  #reader(rows: Rows): CompanyReader {
    let reader = this.#readers.get(rows);
    if (reader === undefined) {
      reader = new CompanyReader(rows, this.context);
      this.#readers.set(rows, reader);
    }
    return reader;
  }
}
