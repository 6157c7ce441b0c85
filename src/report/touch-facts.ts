import type { Rows } from "../segment/rows.js";
import type { Touch, TouchReader } from "./touch.js";

/** Touches of one segment or head, in the order of its rows: 8 bytes each. */
export interface TouchFacts {
  readonly rows: Uint32Array;
  /** Numbers of their labels. */
  readonly labels: Uint32Array;
}

/** Numbers the labels (source, medium, campaign) of a store's touches; 0 is no touch. */
export class TouchLabels {
  static #made = 0;
  /** Tells what was derived with these numbers from what was with others. */
  readonly name = `touches ${(TouchLabels.#made += 1)}`;
  readonly #labels: (Touch | null)[] = [null];
  readonly #numbers = new Map<string, number>();
  /** The same by the objects that readers keep per referrer. */
  readonly #known = new WeakMap<Touch, number>();

  numberOf(touch: Touch): number {
    let number = this.#known.get(touch);
    if (number === undefined) {
      const text = JSON.stringify([touch.source, touch.medium, touch.campaign]);
      number = this.#numbers.get(text);
      if (number === undefined) {
        number = this.#labels.length;
        this.#labels.push(touch);
        this.#numbers.set(text, number);
      }
      this.#known.set(touch, number);
    }
    return number;
  }

  /** Null for no touch. */
  labelOf(number: number): Touch | null {
    return this.#labels[number] ?? null;
  }
}

/** The touches of a segment, found once. The reader's columns are loaded. Cost: some 0.1 µs a row, once. */
export function touchFacts(rows: Rows, reader: TouchReader, labels: TouchLabels): TouchFacts {
  const make = () => find(rows, reader, labels);
  return rows.derive(labels.name, make, (made) => made.rows.byteLength + made.labels.byteLength);
}

function find(rows: Rows, reader: TouchReader, labels: TouchLabels): TouchFacts {
  const found = new Uint32Array(rows.rowCount);
  const numbers = new Uint32Array(rows.rowCount);
  let count = 0;
  for (let row = 0; row < rows.rowCount; row += 1) {
    const touch = reader.touch(rows, row);
    if (touch === null) continue;
    found[count] = row;
    numbers[count] = labels.numberOf(touch);
    count += 1;
  }
  return { rows: found.slice(0, count), labels: numbers.slice(0, count) };
}
