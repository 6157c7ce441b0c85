import { compareCodePoints } from "../base/order.js";
import { canonicalJson, walk } from "./operand-value.js";

/** Traits that a record tells, as JSON; `""` for none. */
export interface ToldTraits {
  readonly ms: number;
  readonly traits: string;
}

/** One top-level key of traits: what texts of them say of it. Parsed are only those that may have it. */
export class TraitKey {
  /** How the key stands in JSON without white space; perhaps within a value, too. */
  readonly written: string;

  constructor(readonly key: string) {
    this.written = `${JSON.stringify(key)}:`;
  }

  /** The value of the key in a text; undefined where it has none. */
  valueOf(text: string): unknown {
    if (!text.includes(this.written)) return undefined;
    const members = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return Object.hasOwn(members, this.key) ? members[this.key] : undefined;
  }

  /** The newest value of the key in some records; of one time the greater canonical JSON. Undefined where none has it. */
  newest(records: readonly ToldTraits[]): unknown {
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

/** What records of one owner say under a name: the literal key first, then a walk from the key before the first dot. */
export class TraitPath {
  readonly #literal: TraitKey;
  readonly #root: TraitKey | null;
  readonly #rest: readonly string[];

  constructor(path: string) {
    const [root = "", ...rest] = path.split(".");
    this.#literal = new TraitKey(path);
    this.#root = rest.length === 0 ? null : new TraitKey(root);
    this.#rest = rest;
  }

  /** Texts without any of these say nothing. */
  get written(): readonly string[] {
    return [this.#literal.written, ...(this.#root === null ? [] : [this.#root.written])];
  }

  newest(records: readonly ToldTraits[]): unknown {
    const value = this.#literal.newest(records);
    return value === undefined && this.#root !== null ? walk(this.#root.newest(records), this.#rest) : value;
  }
}
