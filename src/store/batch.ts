import { FIELD_COUNT } from "../schema/fields.js";
import type { ArrivedRows } from "../segment/head-columns.js";

/** Accepted events as dictionary codes, rows in order of arrival: what the journal stores and heads append. */
export interface Batch extends ArrivedRows {
  readonly rowCount: number;
}

/** Collects rows for one batch; its arrays are reused from batch to batch. */
export class BatchBuilder {
  rowCount = 0;
  valueCount = 0;
  times = new Float64Array(1024);
  ids = new Uint8Array(1024 * 16);
  codes = new Uint32Array(1024 * FIELD_COUNT);
  shapes = new Uint32Array(1024);
  values = new Uint32Array(4096);

  clear(): void {
    this.rowCount = 0;
    this.valueCount = 0;
  }

  /** Makes room for one more row with `keyCount` metadata values; the caller then fills it and adds to the counts. */
  reserve(keyCount: number): void {
    if (this.rowCount === this.times.length) {
      this.times = grown(this.times, new Float64Array(this.times.length * 2));
      this.ids = grown(this.ids, new Uint8Array(this.ids.length * 2));
      this.codes = grown(this.codes, new Uint32Array(this.codes.length * 2));
      this.shapes = grown(this.shapes, new Uint32Array(this.shapes.length * 2));
    }
    while (this.valueCount + keyCount > this.values.length)
      this.values = grown(this.values, new Uint32Array(this.values.length * 2));
  }

  /** The rows so far: views, valid until the builder is filled again. */
  batch(): Batch {
    const { rowCount } = this;
    return {
      rowCount,
      times: this.times.subarray(0, rowCount),
      ids: this.ids.subarray(0, rowCount * 16),
      codes: this.codes.subarray(0, rowCount * FIELD_COUNT),
      shapes: this.shapes.subarray(0, rowCount),
      values: this.values.subarray(0, this.valueCount),
    };
  }
}

function grown<T extends { set(other: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
