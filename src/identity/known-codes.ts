import { RowsByCode } from "./rows-by-code.js";

/**
 * Which codes stand for something that happened. A dictionary has the code of every id that was ever named; one that only
 * records named is known no longer when these are taken back.
 */
export class KnownCodes {
  /** Codes from here on are of a commit under way: it may fail, and somebody else be given them. */
  end = Infinity;
  /** Live records that name a code. */
  readonly #mentions = new RowsByCode();
  /** Codes that a record brought and no event has used. */
  readonly #onlyOfRecords = new Set<number>();

  isKnown(code: number): boolean {
    return code > 0 && code < this.end && (!this.#onlyOfRecords.has(code) || this.#mentions.of(code).length > 0);
  }

  mention(code: number, row: number): void {
    if (code > 0) this.#mentions.add(code, row);
  }

  unmention(code: number, row: number): void {
    if (code > 0) this.#mentions.remove(code, row);
  }

  /** Live records that name a code. */
  recordsOf(code: number): readonly number[] {
    return this.#mentions.of(code);
  }

  /** A record brought this code. */
  brought(code: number): void {
    this.#onlyOfRecords.add(code);
  }

  /** An event uses this code. */
  seen(code: number): void {
    if (this.#onlyOfRecords.size > 0) this.#onlyOfRecords.delete(code);
  }

  /** Codes that no event has used, ascending. */
  onlyOfRecords(): number[] {
    return [...this.#onlyOfRecords].sort((a, b) => a - b);
  }
}
