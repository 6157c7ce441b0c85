/** The codes of a dictionary that pass a test: the form of a comparison before any row is read. */
export class CodeSet {
  /** @param table 1 for each code of the dictionary that passes */
  private constructor(
    /** Ascending codes, if few enough to be looked up one by one. */
    readonly list: readonly number[] | null,
    /** With a list: the set is every code not in it. */
    readonly negated: boolean,
    readonly table: Uint8Array | null,
    readonly size: number,
  ) {}

  static readonly listCodeCount = 12;

  /** The codes of a dictionary of `size` that are in `codes` (or, negated, that are not). */
  static ofList(codes: readonly number[], negated: boolean, size: number): CodeSet {
    const list = [...new Set(codes)].filter((code) => code >= 0).sort((a, b) => a - b);
    if (list.length <= CodeSet.listCodeCount) return new CodeSet(list, negated, null, size);
    const table = new Uint8Array(size).fill(negated ? 1 : 0);
    for (const code of list) table[code] = negated ? 0 : 1;
    return new CodeSet(null, false, table, size);
  }

  /** The set that a table of 0 and 1 describes, as a list if it or its complement is short. */
  static ofTable(table: Uint8Array): CodeSet {
    let ones = 0;
    for (const flag of table) ones += flag;
    const zeros = table.length - ones;
    if (Math.min(ones, zeros) > CodeSet.listCodeCount) return new CodeSet(null, false, table, table.length);
    const wanted = ones <= zeros ? 1 : 0;
    const list: number[] = [];
    for (let code = table.indexOf(wanted); code !== -1; code = table.indexOf(wanted, code + 1)) list.push(code);
    return new CodeSet(list, wanted === 0, null, table.length);
  }

  has(code: number): boolean {
    if (this.table !== null) return this.table[code] === 1;
    return this.list?.includes(code) !== this.negated;
  }

  /** The only code that passes; -1 if none or several do. */
  get only(): number {
    return this.list !== null && this.list.length === 1 && !this.negated ? (this.list[0] ?? -1) : -1;
  }

  get isEmpty(): boolean {
    return this.list !== null && this.list.length === 0 && !this.negated;
  }

  get isAll(): boolean {
    return this.list !== null && this.list.length === 0 && this.negated;
  }

  /** Whether a code of `[min, max]`, or code 0 if `hasZero`, can pass: the check of a zone map. */
  mayMatch(min: number, max: number, hasZero: boolean): boolean {
    if (hasZero && this.has(0)) return true;
    if (this.list === null || this.negated) return !this.isEmpty && max >= min;
    return this.list.some((code) => code >= min && code <= max);
  }

  /** 1 per passing code; codes added to the dictionary since are not covered. */
  toTable(): Uint8Array {
    if (this.table !== null) return this.table;
    const table = new Uint8Array(this.size).fill(this.negated ? 1 : 0);
    for (const code of this.list ?? []) table[code] = this.negated ? 0 : 1;
    return table;
  }
}
