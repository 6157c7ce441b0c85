/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
type CellArray = Int32Array | Uint8Array | Uint16Array | Uint32Array;

/** The selected rows of a segment or head, ascending, at least one. */
export class Cut {
  readonly #first: number;
  readonly #isRun: boolean;

  constructor(readonly rows: Uint32Array) {
    this.#first = rows[0]!;
    this.#isRun = rows.at(-1)! - this.#first === rows.length - 1;
  }

  get length(): number {
    return this.rows.length;
  }

  /** The values of the rows: a view if the rows are contiguous, else a copy. @param width values of one row */
  of<T extends CellArray>(values: T, width = 1): T {
    if (this.#isRun) return values.subarray(this.#first * width, (this.#first + this.length) * width) as T;
    const taken = new (values.constructor as new (length: number) => T)(this.length * width);
    for (let at = 0; at < this.length; at += 1) {
      for (let part = 0; part < width; part += 1) taken[at * width + part] = values[this.rows[at]! * width + part]!;
    }
    return taken;
  }
}
