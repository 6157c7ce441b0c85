/** A violated expectation: a checksum, or an invariant of stored data. */
export interface Finding {
  /** Key of the file. */
  readonly file: string;
  /** What was expected, and where. */
  readonly expected: string;
  /** What was found. */
  readonly found: string;
}

/** Findings kept per file: more add nothing about a file that is damaged throughout. */
const KEPT_PER_FILE = 20;

/** Collects the findings of a verification. */
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
