import { compareCodePoints } from "../../base/order.js";
import type { Dictionary } from "../../column/dictionary.js";
import { canonicalJson } from "../../filter/operand-value.js";

/** One top-level key of traits: what each distinct text of them says of it. Parsed are only those that may have it. */
export class TraitKey {
  /** How the key stands in JSON without white space; perhaps within a value, too. */
  readonly #written: string;

  constructor(
    readonly key: string,
    readonly traits: Dictionary,
  ) {
    this.#written = `${JSON.stringify(key)}:`;
  }

  /** The value of the key in the traits of a code; undefined where they have none. */
  valueOf(code: number): unknown {
    const text = code === 0 ? "" : this.traits.valueOf(code);
    if (!text.includes(this.#written)) return undefined;
    const members = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return Object.hasOwn(members, this.key) ? members[this.key] : undefined;
  }

  /** The newest value of the key in some records; of one time the greater canonical JSON. Undefined where none has it. */
  newest(records: readonly { readonly ms: number; readonly traits: number }[]): unknown {
    let newestMs = -Infinity;
    let newest: unknown;
    for (const { ms, traits } of records) {
      if (ms < newestMs) continue;
      const value = this.valueOf(traits);
      if (value === undefined || (ms === newestMs && compareCodePoints(canonicalJson(value), canonicalJson(newest)) <= 0)) continue;
      newestMs = ms;
      newest = value;
    }
    return newest;
  }
}
