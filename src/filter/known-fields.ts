import type { FrozenCodes } from "../column/paged-codes.js";
import type { TouchDimension } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";

/** One trait of all people, or of all companies, as it was known at one moment. */
export class KnownValues {
  /** @param values by number, as JSON; the first is what is not set */
  constructor(
    readonly numbers: FrozenCodes,
    readonly values: readonly unknown[],
  ) {}

  /** The number of what is known of an identity, or of a company by its code; 0 for what is not set. */
  numberOf(owner: number): number {
    return this.numbers.of(owner);
  }
}

/** Who brought the people behind single rows. */
export interface RowLabels {
  /** Columns that are to be loaded. */
  readonly columns: readonly string[];
  /** Labels of rows so far are below it. */
  readonly size: number;
  /** The label of a row whose columns are loaded; -1 where something has to be read first: then the question begins anew. */
  of(rows: Rows): (row: number) => number;
  textOf(label: number, dimension: TouchDimension): string;
}

/** What is known of people and companies, and of who brought them: at the moment of a question, and only what it names. */
export interface KnownFields {
  person(path: string): KnownValues;
  company(path: string): KnownValues;
  paymentTouch(model: "first_touch" | "last_touch"): RowLabels;
}
