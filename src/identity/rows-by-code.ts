const NONE: readonly number[] = [];

/** Row numbers by code, in order of arrival. */
export class RowsByCode {
  readonly #rows = new Map<number, number[]>();

  /** Read-only; valid until the next change. */
  of(code: number): readonly number[] {
    return this.#rows.get(code) ?? NONE;
  }

  add(code: number, row: number): void {
    const rows = this.#rows.get(code);
    if (rows === undefined) this.#rows.set(code, [row]);
    else rows.push(row);
  }

  remove(code: number, row: number): void {
    const rows = this.of(code).filter((other) => other !== row);
    if (rows.length === 0) this.#rows.delete(code);
    else this.#rows.set(code, rows);
  }

  codes(): Iterable<number> {
    return this.#rows.keys();
  }
}
