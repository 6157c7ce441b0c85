/** Something that is not as it must be: a checksum, or a law that stored data obeys. */
export interface Finding {
  /** Key of the file. */
  readonly file: string;
  /** What must be there, and where. */
  readonly expected: string;
  /** What is there. */
  readonly found: string;
}

/** Findings of one file that are kept: a file that is broken throughout says no more by its thousandth fault. */
const KEPT_PER_FILE = 20;

/** Collects what a verification finds. */
export class Findings {
  readonly kept: Finding[] = [];
  count = 0;
  readonly #countByFile = new Map<string, number>();

  add(file: string, expected: string, found: string): void {
    this.count += 1;
    const ofFile = (this.#countByFile.get(file) ?? 0) + 1;
    this.#countByFile.set(file, ofFile);
    if (ofFile <= KEPT_PER_FILE) this.kept.push({ file, expected, found });
  }

  /** Files with at least one finding. */
  get files(): readonly string[] {
    return [...this.#countByFile.keys()];
  }
}
