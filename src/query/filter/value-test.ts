import { compareCodePoints } from "../../core/base/text-order.js";
import { assert } from "../../core/base/errors.js";
import { parseDateOnly, parseTimestamp } from "../../core/base/time.js";
import { compareNumeric, heldNumberOf, numericOf, type Numeric } from "../plan/filters/number-form.js";
import type { Order, Test } from "../plan/plan.js";
import type { Regexes } from "./regex.js";
import { changesOf, isTraitChange, SET_ONCE, TRAIT_CHANGES, type Traits } from "../../core/schema/record.js";

/** `url` up to the first `?` or `#`. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/** The value at a path of object keys; undefined if a key is missing or a value on the way is no object. */
export function walk(value: unknown, segments: readonly string[]): unknown {
  let current = value;
  for (const segment of segments) {
    if (!isObject(current) || !Object.hasOwn(current, segment)) return undefined;
    current = current[segment];
  }
  return current;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a JSON value is set: not missing, null, `""`, nor an array without an element that is set. */
export function isSetJson(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isSetJson);
  return value !== undefined && value !== null && value !== "";
}

/**
 * The distinct properties under which an aggregate counts a JSON value: texts as they are, numbers and booleans as JSON text, objects as
 * canonical JSON, an array once per distinct element that is set; `[""]` for not set.
 */
export function propertiesOf(value: unknown): readonly string[] {
  if (!isSetJson(value)) return [""];
  if (!Array.isArray(value)) return [propertyOf(value)];
  const distinct = new Set<string>();
  for (const element of value.filter(isSetJson)) {
    for (const property of propertiesOf(element)) distinct.add(property);
  }
  return [...distinct];
}

/** The label of a whole JSON value: its property, or the canonical JSON of an array; `""` for not set. */
export function labelOf(value: unknown): string {
  return isSetJson(value) ? propertyOf(value) : "";
}

function propertyOf(value: unknown): string {
  return typeof value === "string" ? value : canonicalJson(value);
}

/** JSON without white space, with the keys of every object sorted by code point. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort(compareCodePoints);
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join(",")}}`;
}

/** A test compiled for dictionary values. The caller applies the negation. */
export interface ValueTest {
  /** Tests the text of a stored field; `""` means not set. */
  string(value: string): boolean;
  /** Tests a parsed JSON value: an array matches if any element does, an object only matches `isSet`. */
  json(value: unknown): boolean;
  /** The result where there is no value. */
  readonly notSet: boolean;
}

/** One test per kind of scalar; none is ever called with `""`. */
interface ScalarTest {
  text(value: string): boolean;
  number(value: number): boolean;
  boolean(value: boolean): boolean;
}

/** Compiles a test; `regexes` must contain the pattern of a `regex` test. */
export function compileValueTest(test: Test, regexes: Regexes): ValueTest {
  if (test.op === "isSet") return { string: (value) => value !== "", json: isSetJson, notSet: false };
  const scalar = scalarTestOf(test, regexes);
  const notSet = test.op === "equals" && test.values.includes("");
  return {
    string: (value) => (value === "" ? notSet : scalar.text(value)),
    json: (value) => (isSetJson(value) ? matchesAny(scalar, value) : notSet),
    notSet,
  };
}

function matchesAny(scalar: ScalarTest, value: unknown): boolean {
  if (typeof value === "string") return value !== "" && scalar.text(value);
  if (typeof value === "number") return scalar.number(value);
  if (typeof value === "boolean") return scalar.boolean(value);
  return Array.isArray(value) && value.some((element) => matchesAny(scalar, element));
}

function scalarTestOf(test: Exclude<Test, { op: "isSet" }>, regexes: Regexes): ScalarTest {
  switch (test.op) {
    case "equals":
      return equalsTest(test.values);
    case "contains":
    case "startsWith":
    case "endsWith":
      return textTest(affixTest(test.op, test.text.toLowerCase()));
    case "regex": {
      const regex = regexes.get(test.pattern);
      assert(regex !== undefined, "the patterns of a plan are compiled before its tests");
      return textTest((text) => regex.test(text));
    }
    case "number":
      return numberTest(orderTest(test.order, test.bound));
    case "numberBetween":
      return numberTest(both(orderTest(">=", test.low), orderTest("<=", test.high)));
    case "instant":
      return instantTest(test.fromMs ?? -Infinity, test.toMs ?? Infinity);
  }
}

function equalsTest(values: readonly string[]): ScalarTest {
  const texts = new Set(values);
  const numbers = new Set(values.map(heldNumberOf).filter((value) => value !== null));
  return {
    text: (value) => texts.has(value),
    number: (value) => numbers.has(value),
    boolean: (value) => texts.has(value ? "true" : "false"),
  };
}

function affixTest(op: "contains" | "startsWith" | "endsWith", part: string): (text: string) => boolean {
  if (op === "contains") return (text) => text.toLowerCase().includes(part);
  if (op === "startsWith") return (text) => text.toLowerCase().startsWith(part);
  return (text) => text.toLowerCase().endsWith(part);
}

/** Text operators treat numbers and booleans as their JSON text. */
function textTest(text: (value: string) => boolean): ScalarTest {
  return { text, number: (value) => text(JSON.stringify(value)), boolean: (value) => text(JSON.stringify(value)) };
}

type NumericTest = (value: Numeric) => boolean;

function both(first: NumericTest, second: NumericTest): NumericTest {
  return (value) => first(value) && second(value);
}

function orderTest(order: Order, bound: Numeric): NumericTest {
  switch (order) {
    case ">":
      return (value) => compareNumeric(value, bound) > 0;
    case ">=":
      return (value) => compareNumeric(value, bound) >= 0;
    case "<":
      return (value) => compareNumeric(value, bound) < 0;
    case "<=":
      return (value) => compareNumeric(value, bound) <= 0;
  }
}

function numberTest(passes: NumericTest): ScalarTest {
  const text = (value: string) => {
    const parsed = numericOf(value);
    return parsed !== null && passes(parsed);
  };
  return { text, number: passes, boolean: () => false };
}

/** A stored date without a time is the instant at which its day begins. */
function instantTest(fromMs: number, toMs: number): ScalarTest {
  const text = (value: string) => {
    const ms = parseTimestamp(value) ?? parseDateOnly(value);
    return ms !== null && ms >= fromMs && ms < toMs;
  };
  return { text, number: () => false, boolean: () => false };
}

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
