import { Dictionary } from "./dictionary.js";

/** Cached scalars per key: values of keys with more rarely repeat. */
const SCALAR_COUNT_MAX = 4_096;

const NOT_PARSED = Symbol("not parsed");
const OPENING_BRACKET = 0x5b;

/** A dictionary of JSON texts; `""`, its code 0, stands for an absent key. */
export class JsonDictionary extends Dictionary {
  readonly #scalars = new Map<string | number | boolean, number>();
  readonly #parsed: unknown[] = [undefined];
  readonly #arrayCodes: number[] = [];
  #scanned = 1;

  /** The cached code of a scalar, which spares building and hashing its text; -1 if it is not cached. */
  codeOfScalar(value: string | number | boolean): number {
    return this.#scalars.get(value) ?? -1;
  }

  /** The code of a value's text, adding it if new; caches the code of a scalar. */
  internScalar(value: unknown, text: string): number {
    const code = this.intern(text);
    if (this.#scalars.size < SCALAR_COUNT_MAX && (typeof value === "string" || typeof value === "number" || typeof value === "boolean"))
      this.#scalars.set(value, code);
    return code;
  }

  /** The JSON value of a code; undefined for code 0 and blanked ones. Each text is parsed once. Not to be changed. */
  json(code: number): unknown {
    // Parsing a million of them would block the thread: only requested ones are parsed.
    for (let next = this.#parsed.length; next <= code; next += 1) this.#parsed.push(NOT_PARSED);
    if (this.#parsed[code] === NOT_PARSED) {
      const text = this.valueOf(code);
      this.#parsed[code] = text === "" ? undefined : JSON.parse(text);
    }
    return this.#parsed[code];
  }

  override truncate(size: number): void {
    super.truncate(size);
    this.#scalars.clear();
    this.#parsed.length = Math.min(this.#parsed.length, this.size);
    this.#scanned = Math.min(this.#scanned, this.size);
    while ((this.#arrayCodes.at(-1) ?? 0) >= this.size) this.#arrayCodes.pop();
  }

  override retire(code: number): void {
    super.retire(code);
    this.#scalars.clear();
  }

  override blank(code: number): void {
    super.blank(code);
    if (code < this.#parsed.length) this.#parsed[code] = undefined;
  }

  /** Codes whose value is an array: they may equal a scalar whose text differs. */
  arrayCodes(): readonly number[] {
    for (; this.#scanned < this.size; this.#scanned += 1)
      if (this.hasUnit(this.#scanned, OPENING_BRACKET) && this.valueOf(this.#scanned).startsWith("[")) this.#arrayCodes.push(this.#scanned);
    return this.#arrayCodes;
  }
}
