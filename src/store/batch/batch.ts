import { FIELD_COUNT } from "../../core/schema/fields.js";
import type { ArrivedRows } from "../../storage/segment/head-columns.js";

/** Accepted events as dictionary codes, in order of arrival, as the journal stores and heads append them. */
export interface Batch extends ArrivedRows {
  readonly rowCount: number;
}

const START_ROW_COUNT = 1_024;

/** Collects rows for one batch; its arrays are reused for later batches. */
export class BatchBuilder {
  rowCount = 0;
  valueCount = 0;
  times = new Float64Array(START_ROW_COUNT);
  ids = new Uint8Array(START_ROW_COUNT * 16);
  /** One array per entry of `FIELDS`. */
  codes = Array.from({ length: FIELD_COUNT }, () => new Uint32Array(START_ROW_COUNT));
  shapes = new Uint32Array(START_ROW_COUNT);
  values = new Uint32Array(4_096);

  clear(): void {
    this.rowCount = 0;
    this.valueCount = 0;
  }

  /** Makes room for more rows; the caller then fills them and increases the count. */
  reserve(rowCount: number): void {
    while (this.rowCount + rowCount > this.times.length) {
      const capacity = this.times.length * 2;
      this.times = grown(this.times, new Float64Array(capacity));
      this.ids = grown(this.ids, new Uint8Array(capacity * 16));
      this.codes = this.codes.map((codes) => grown(codes, new Uint32Array(capacity)));
      this.shapes = grown(this.shapes, new Uint32Array(capacity));
    }
  }

  /** Adds a metadata value of the next row. */
  pushValue(code: number): void {
    if (this.valueCount === this.values.length) this.values = grown(this.values, new Uint32Array(this.values.length * 2));
    this.values[this.valueCount] = code;
    this.valueCount += 1;
  }

  /** The rows so far, as views that are valid until the builder is filled again. */
  batch(): Batch {
    const { rowCount } = this;
    return {
      rowCount,
      times: this.times.subarray(0, rowCount),
      ids: this.ids.subarray(0, rowCount * 16),
      codes: this.codes.map((codes) => codes.subarray(0, rowCount)),
      shapes: this.shapes.subarray(0, rowCount),
      values: this.values.subarray(0, this.valueCount),
    };
  }
}

function grown<T extends { set(other: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
