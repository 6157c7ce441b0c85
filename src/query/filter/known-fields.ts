import type { FrozenCodes } from "../../storage/column/paged-codes.js";
import type { TouchDimension } from "../plan/plan.js";
import type { Rows } from "../../storage/segment/rows.js";

/** A snapshot of one trait of all people, or of all companies. */
export class KnownValues {
  /** @param values by number, as JSON; the first means not set */
  constructor(
    readonly numbers: FrozenCodes,
    readonly values: readonly unknown[],
  ) {}

  /** The number of the value of an identity, or of a company by its code; 0 for not set. */
  numberOf(owner: number): number {
    return this.numbers.of(owner);
  }
}

/** The attribution of the people of single rows. */
export interface RowLabels {
  /** Columns that must be loaded. */
  readonly columns: readonly string[];
  /** All labels of rows so far are below it. */
  readonly size: number;
  /** The label of a row whose columns are loaded; -1 if data must be read first, after which the query starts again. */
  of(rows: Rows): (row: number) => number;
  textOf(label: number, dimension: TouchDimension): string;
}

/** A snapshot of the fields of people, companies and attribution that a query names. */
export interface KnownFields {
  person(path: string): KnownValues;
  company(path: string): KnownValues;
  paymentTouch(model: "first_touch" | "last_touch"): RowLabels;
}
