const UNKNOWN = -2;

/** A whole number from -1 that follows from each code of a dictionary, found once: 4 bytes a code below the greatest asked for. */
export class CodeMemo {
  #known = new Int32Array(0);

  constructor(readonly make: (code: number) => number) {}

  of(code: number): number {
    const known = code < this.#known.length ? (this.#known[code] as number) : UNKNOWN;
    return known === UNKNOWN ? this.#find(code) : known;
  }

  #find(code: number): number {
    if (code >= this.#known.length) {
      const grown = new Int32Array(Math.max(1_024, code * 2)).fill(UNKNOWN);
      grown.set(this.#known);
      this.#known = grown;
    }
    const made = this.make(code);
    this.#known[code] = made;
    return made;
  }
}
