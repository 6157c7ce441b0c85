/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes lie between the first and the last, places within the units */
/** Texts of one run, and units with their marks; a longer text is a run by itself. */
const COUNT_MAX = 65_536;
const UNITS_MAX = 2 ** 20;
/** Units that become a string at once: the arguments of a call are limited. */
const UNITS_PER_CALL = 4_096;

/** A run of texts outside the JavaScript heap, where millions of strings lengthen each garbage collection. 6 bytes a text, and 2 a UTF-16 unit. */
export class PackedTexts {
  /** The units of each text behind a mark: 1, or 0 once it is blanked. */
  readonly #units: Uint16Array;
  /** Where the mark of each text lies; behind the last one, where the next will. */
  readonly #starts = new Uint32Array(COUNT_MAX + 1);
  #count = 0;

  /** @param start code of the first text */
  constructor(
    readonly start: number,
    first: string,
  ) {
    this.#units = new Uint16Array(Math.max(first.length + 1, UNITS_MAX));
    this.add(first);
  }

  /** The code behind the last text. */
  get end(): number {
    return this.start + this.#count;
  }

  /** Appends a text. @returns false if the run is full */
  add(text: string): boolean {
    const start = this.#starts[this.#count]!;
    const end = start + 1 + text.length;
    if (this.#count === COUNT_MAX || end > this.#units.length) return false;
    this.#units[start] = 1;
    for (let at = 0; at < text.length; at += 1) this.#units[start + 1 + at] = text.charCodeAt(at);
    this.#count += 1;
    this.#starts[this.#count] = end;
    return true;
  }

  /** Drops the texts from a code on. */
  truncate(end: number): void {
    this.#units.fill(0, this.#starts[end - this.start], this.#starts[this.#count]);
    this.#count = end - this.start;
  }

  valueOf(code: number): string {
    const [start, end] = this.#placeOf(code);
    let text = "";
    if (this.#units[start] === 1)
      for (let at = start + 1; at < end; at += UNITS_PER_CALL)
        text += Reflect.apply(String.fromCharCode, null, this.#units.subarray(at, Math.min(at + UNITS_PER_CALL, end)));
    return text;
  }

  /** Whether a code has this value, which is not empty. */
  hasValue(code: number, value: string): boolean {
    const units = this.#units;
    const start = this.#starts[code - this.start]!;
    if (this.#starts[code - this.start + 1]! - start - 1 !== value.length || units[start] === 0) return false;
    let at = 0;
    while (at < value.length && units[start + 1 + at] === value.charCodeAt(at)) at += 1;
    return at === value.length;
  }

  hasUnit(code: number, unit: number): boolean {
    const [start, end] = this.#placeOf(code);
    for (let at = start + 1; at < end; at += 1) if (this.#units[at] === unit) return true;
    return false;
  }

  /** Overwrites the value of a code, which is `""` then. */
  blank(code: number): void {
    this.#units.fill(0, ...this.#placeOf(code));
  }

  #placeOf(code: number): [start: number, end: number] {
    return [this.#starts[code - this.start]!, this.#starts[code - this.start + 1]!];
  }
}
