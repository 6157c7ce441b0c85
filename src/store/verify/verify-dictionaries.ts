import type { Dictionaries } from "../../storage/column/dictionaries.js";
import { KEY_DICTIONARY, SHAPE_DICTIONARY } from "../../core/schema/fields.js";
import type { Findings } from "../files/findings.js";

/** Named by findings about values, which may be in any of several files. */
const FILE = "dictionaries/";
/** The record dictionary whose values are JSON; those of metadata keys, also JSON, are named `m1`, `m2`, … */
const TRAITS = "traits";

/** Checks the values: no value has two codes, JSON parses, shapes list existing keys. Cost: a set of one dictionary's values. */
export function verifyDictionaries(dictionaries: Dictionaries, findings: Findings): void {
  for (const name of dictionaries.sizes().keys()) {
    const { values } = dictionaries.named(name);
    const isJson = name === TRAITS || /^m\d+$/.test(name);
    const known = new Set<string>();
    for (let code = 1; code < values.length; code += 1) {
      const value = values[code] ?? "";
      // The value was erased.
      if (value === "") continue;
      if (known.has(value)) findings.add(FILE, `one code for each value of ${name}`, `code ${code} has the value of an earlier code`);
      known.add(value);
      if (!value.isWellFormed()) findings.add(FILE, `Unicode in ${name}`, `code ${code} has half a surrogate pair`);
      if (isJson && !isJsonText(value)) findings.add(FILE, `JSON texts in ${name}`, `code ${code} is not JSON`);
      if (name === KEY_DICTIONARY && !value.startsWith(".")) findings.add(FILE, "a dot before each metadata key", `code ${code} has none`);
      if (name === SHAPE_DICTIONARY) verifyShape(value, code, dictionaries, findings);
    }
    const key = /^m(\d+)$/.exec(name);
    if (key !== null && Number(key[1]) >= dictionaries.keys.size) findings.add(FILE, `a metadata key with the code ${key[1]}`, `values for it, but only ${dictionaries.keys.size - 1} keys`);
  }
}

function verifyShape(value: string, code: number, dictionaries: Dictionaries, findings: Findings): void {
  const keys = value.split(",").map(Number);
  const isList = keys.every((key) => Number.isInteger(key) && key > 0 && key < dictionaries.keys.size);
  if (!isList || new Set(keys).size < keys.length) findings.add(FILE, "shapes that list metadata keys, each once", `shape ${code} does not`);
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Checks that codes have a value in the dictionaries of a snapshot. */
export class CodeChecker {
  readonly #blanks = new Map<string, ReadonlySet<number>>();

  /** @param sizes dictionary sizes of the snapshot; absent: the current ones */
  constructor(
    readonly dictionaries: Dictionaries,
    readonly sizes?: ReadonlyMap<string, number>,
  ) {}

  /** Why no row may have this code; null for a valid one. The caller checks code 0 (not set). */
  faultOf(dictionary: string, code: number): string | null {
    const size = this.sizeOf(dictionary);
    if (code >= size) return `code ${code} of ${dictionary}, whose size is ${size}`;
    return this.blanksOf(dictionary).has(code) ? `code ${code} of ${dictionary}, whose value is missing` : null;
  }

  sizeOf(dictionary: string): number {
    return this.sizes === undefined ? this.dictionaries.named(dictionary).size : (this.sizes.get(dictionary) ?? 1);
  }

  /** Codes without a value: erased, or lost with a damaged file. */
  blanksOf(dictionary: string): ReadonlySet<number> {
    let blanks = this.#blanks.get(dictionary);
    if (blanks === undefined) {
      const { values } = this.dictionaries.named(dictionary);
      const found = new Set<number>();
      for (let code = values.indexOf("", 1); code !== -1; code = values.indexOf("", code + 1)) found.add(code);
      blanks = found;
      this.#blanks.set(dictionary, blanks);
    }
    return blanks;
  }
}
