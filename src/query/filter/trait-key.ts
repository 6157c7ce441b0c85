import { compareCodePoints } from "../../core/base/order.js";
import { changesOf, isTraitChange, SET_ONCE, TRAIT_CHANGES, type Traits } from "../../core/schema/record.js";
import { canonicalJson, isSetJson, walk } from "./value-test.js";

/** The traits of a record, as JSON; `""` for none. */
export interface RecordedTraits {
  readonly ms: number;
  readonly traits: string;
}

/** One top-level key of traits. Parses only the texts that may contain it. */
export class TraitKey {
  /** The key as it occurs in JSON without white space; possibly within a value, too. */
  readonly written: string;

  constructor(readonly key: string) {
    this.written = `${JSON.stringify(key)}:`;
  }

  /**
   * The newest value of the key (at equal times the greater canonical JSON), with the changes made after it; undefined if no record has the key.
   * @param records in order of (createdAt, id)
   */
  newest(records: readonly RecordedTraits[]): unknown {
    const value = new TraitValue();
    for (const { ms, traits } of records) {
      if (!traits.includes(this.written)) continue;
      const members = JSON.parse(traits) as Traits;
      const once = this.#of(changesOf(members, SET_ONCE));
      if (isSetJson(once) && !isSetJson(value.now)) value.change(once);
      const own = this.#of(members);
      if (own !== undefined && !isTraitChange(this.key, own)) value.set(own, ms);
      for (const change of OTHER_CHANGES) {
        const by = this.#of(changesOf(members, change));
        if (isSetJson(by)) value[change](by);
      }
    }
    return value.now;
  }

  #of(members: Traits): unknown {
    return Object.hasOwn(members, this.key) ? members[this.key] : undefined;
  }
}

/** Within one record, these apply after the values that it sets. */
const OTHER_CHANGES = TRAIT_CHANGES.filter((change) => change !== SET_ONCE);

/** The value of a trait while records change it one after the other. */
class TraitValue {
  now: unknown = undefined;
  #set: unknown = undefined;
  #setMs = -Infinity;
  /** The value as a list, once changes made it one: the cost of adding does not grow with its length. */
  #list: { readonly items: unknown[]; readonly texts: Set<string> } | null = null;

  set(value: unknown, ms: number): void {
    if (ms === this.#setMs && compareCodePoints(canonicalJson(value), canonicalJson(this.#set)) <= 0) return;
    [this.#set, this.#setMs] = [value, ms];
    this.change(value);
  }

  change(value: unknown): void {
    this.now = value;
    this.#list = null;
  }

  $add(by: unknown): void {
    if (typeof by !== "number") return;
    if (!isSetJson(this.now)) this.change(by);
    else if (typeof this.now === "number" && Number.isFinite(this.now + by)) this.change(this.now + by);
  }

  $append(values: unknown): void {
    const { items, texts } = this.#listed();
    for (const value of settledItems(values)) {
      items.push(value);
      texts.add(canonicalJson(value));
    }
  }

  $union(values: unknown): void {
    const { texts } = this.#listed();
    for (const value of settledItems(values)) if (!texts.has(canonicalJson(value))) this.$append([value]);
  }

  $remove(values: unknown): void {
    if (!Array.isArray(this.now)) return;
    const gone = new Set(settledItems(values).map(canonicalJson));
    this.change(this.now.filter((item) => !gone.has(canonicalJson(item))));
  }

  #listed(): { readonly items: unknown[]; readonly texts: Set<string> } {
    if (this.#list === null) {
      const items = settledItems(this.now);
      this.#list = { items, texts: new Set(items.map(canonicalJson)) };
      this.now = items;
    }
    return this.#list;
  }
}

/** The items of a list that are set; a single value counts as a list of one. */
function settledItems(value: unknown): unknown[] {
  return [value].flat().filter(isSetJson);
}

/** The value of a path in the records of one owner: the literal key first, else a path from the key before the first dot. */
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

  /** Texts without any of these do not contain the path. */
  get written(): readonly string[] {
    return [this.#literal.written, ...(this.#root === null ? [] : [this.#root.written])];
  }

  /** @param records in order of (createdAt, id) */
  newest(records: readonly RecordedTraits[]): unknown {
    const value = this.#literal.newest(records);
    return value === undefined && this.#root !== null ? walk(this.#root.newest(records), this.#rest) : value;
  }
}
