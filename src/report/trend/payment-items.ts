/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and places are bounded by their lists */
import type { Money } from "../../answer/money.js";
import { Unconverted } from "../../answer/unconverted.js";
import type { Missing } from "../../derived/missing.js";
import type { UnconvertedItem } from "../../plan/answers.js";
import type { RevenueRule } from "../../plan/plan.js";
import { SEQUENCE_COLUMN } from "../../schema/fields.js";
import type { Payments } from "../../table/money/payments.js";
import type { TableMoment } from "../../table/tables.js";
import type { RowItems } from "../insights/cells-by-unit.js";

/** The revenue events of a moment: what rows of them are, and what each comes to. */
export interface PaymentsOfMoment {
  /** A payment is its place in the table, and one; 0 for an event that is none. */
  readonly items: RowItems;
  /** Null for a duplicate, for what has no rate, and for what is no payment. */
  amountOf(item: number): Money | null;
  /** Sums of what counts and has no rate. */
  unconvertedOf(items: Uint32Array): UnconvertedItem[];
}

/** Null where something is missing. To be asked in the turn of the moment. @throws invalid_parameter (a bad rate) */
export function paymentsOfMoment(rule: RevenueRule, moment: TableMoment, missing: Missing): PaymentsOfMoment | null {
  const table = moment.tables.revenue(rule, moment, missing);
  if (table === null) return null;
  const { payments } = table;
  const converted = table.converted(moment.rates);
  // Later events may turn one into a duplicate, and may come before this question is answered.
  const counted = payments.counted.slice(0, payments.count);
  const { amounts, currencies } = payments;
  const placeOf = payments.placesBySequence();
  const isCounted = (item: number) => item > 0 && counted[item - 1] === 1;
  return {
    items: { columns: [SEQUENCE_COLUMN], name: `payments ${nameOf(payments)}`, itemsOf: (rows, selected) => {
      const sequences = rows.sequences();
      return selected.map((row) => placeOf(sequences[row]!) + 1);
    } },
    amountOf: (item) => (isCounted(item) ? converted[item - 1]! : null),
    unconvertedOf: (items) => {
      const unconverted = new Unconverted();
      for (const item of items) if (isCounted(item) && converted[item - 1] === null) unconverted.add(currencies[item - 1]!, amounts[item - 1]!);
      return unconverted.items();
    },
  };
}

const names = new WeakMap<Payments, number>();
let nameCount = 0;

/** Places are those of one table, until it begins anew. */
function nameOf(payments: Payments): string {
  let name = names.get(payments);
  if (name === undefined) names.set(payments, (name = nameCount += 1));
  return `${name}.${payments.generation}`;
}
