import { LIMITS } from "../base/limits.js";
import { FIELDS, KEY_DICTIONARY, SHAPE_DICTIONARY, metadataColumn } from "../schema/fields.js";
import { Dictionary, JsonDictionary, VALUE_OVERHEAD_BYTES } from "./dictionary.js";
import type { HeldValues } from "./dictionary.js";

/** Bytes of distinct values that a store may hold in this process, by estimate: what its heap has room for, where that is told. */
export function dictionaryBytesMax(): number {
  return Math.min(LIMITS.dictionaryBytes, Math.max(0, HEAP_BYTES - LIMITS.heapBesideBytes) * LIMITS.dictionaryHeapShare);
}

// Of Node, Bun and Deno, without importing what browsers do not have.
const HEAP_BYTES = globalThis.process?.getBuiltinModule?.("node:v8")?.getHeapStatistics().heap_size_limit || Infinity;

/** Values a dictionary gained: the codes from `start` on. */
export interface DictionaryDelta {
  readonly name: string;
  readonly start: number;
  readonly values: readonly string[];
}

/** The same values in parts of at most `charCount` characters each, longer values alone. */
export function splitDeltas(deltas: readonly DictionaryDelta[], charCount: number): DictionaryDelta[][] {
  const parts: DictionaryDelta[][] = [[]];
  let room = charCount;
  for (const { name, start, values } of deltas) {
    let from = 0;
    values.forEach((value, at) => {
      room -= value.length;
      if (room >= 0) return;
      if (at > from) parts.at(-1)?.push({ name, start: start + from, values: values.slice(from, at) });
      parts.push([]);
      from = at;
      room = charCount - value.length;
    });
    parts.at(-1)?.push({ name, start: start + from, values: from === 0 ? values : values.slice(from) });
  }
  return parts.filter((part) => part.length > 0);
}

/** Stands before every key name, so that the key `""` is told from no key. */
const KEY_MARK = ".";

const metadataName = /^m\d+$/;

/** Every dictionary of a store: one per field, metadata key names, shapes, and one of JSON texts per metadata key. */
export class Dictionaries {
  readonly #byName = new Map<string, Dictionary>();
  readonly #shapeKeys: (readonly number[])[] = [];
  readonly #byKey: (JsonDictionary | undefined)[] = [];
  readonly #held: HeldValues = { charCount: 0, valueCount: 0 };
  readonly keys: Dictionary;
  readonly shapes: Dictionary;

  constructor() {
    for (const { column } of FIELDS) this.#byName.set(column, new Dictionary(column, this.#held));
    this.keys = new Dictionary(KEY_DICTIONARY, this.#held);
    this.shapes = new Dictionary(SHAPE_DICTIONARY, this.#held);
    this.#byName.set(KEY_DICTIONARY, this.keys);
    this.#byName.set(SHAPE_DICTIONARY, this.shapes);
  }

  /** The dictionary of this name, which is also the name of its column; a metadata key's is made on first need. */
  named(name: string): Dictionary {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const made = metadataName.test(name) ? new JsonDictionary(name, this.#held) : new Dictionary(name, this.#held);
    this.#byName.set(name, made);
    return made;
  }

  /** JSON texts of one metadata key, by the key's code. */
  ofKey(keyCode: number): JsonDictionary {
    const known = this.#byKey[keyCode];
    if (known !== undefined) return known;
    const dictionary = this.named(metadataColumn(keyCode)) as JsonDictionary;
    this.#byKey[keyCode] = dictionary;
    return dictionary;
  }

  /** The code of a metadata key, a new one if need be. The empty key has one like any other. */
  keyCode(key: string): number {
    return this.keys.intern(`${KEY_MARK}${key}`);
  }

  /** The code of a metadata key; -1 when no event ever had it. */
  knownKeyCode(key: string): number {
    return this.keys.codeOf(`${KEY_MARK}${key}`);
  }

  /** The metadata key of a code. */
  keyOf(code: number): string {
    return this.keys.valueOf(code).slice(KEY_MARK.length);
  }

  /** Codes of the keys that a shape lists, in order. */
  keysOfShape(shape: number): readonly number[] {
    let keys = this.#shapeKeys[shape];
    if (keys === undefined) {
      keys = shape === 0 ? [] : this.shapes.valueOf(shape).split(",").map(Number);
      this.#shapeKeys[shape] = keys;
    }
    return keys;
  }

  /** Number of values of the dictionary that has most. */
  get largestSize(): number {
    let size = 0;
    for (const dictionary of this.#byName.values()) size = Math.max(size, dictionary.size);
    return size;
  }

  /** Estimate of the bytes of all values, without what is derived from them. Costs nothing to ask. */
  get heldByteLength(): number {
    return this.#held.charCount * 2 + this.#held.valueCount * VALUE_OVERHEAD_BYTES;
  }

  /** Share of the bound on bytes, or on the values of one dictionary, whichever is more. */
  get fullness(): number {
    return Math.max(this.heldByteLength / dictionaryBytesMax(), this.largestSize / LIMITS.dictionaryValueCount);
  }

  get byteLength(): number {
    let byteLength = 0;
    for (const dictionary of this.#byName.values()) byteLength += dictionary.byteLength;
    return byteLength;
  }

  /** Sizes of all dictionaries now, to be handed to `deltasSince` later. */
  sizes(): Map<string, number> {
    const sizes = new Map<string, number>();
    for (const [name, dictionary] of this.#byName) sizes.set(name, dictionary.size);
    return sizes;
  }

  /** What was added since `sizes`, up to `until` where given. Cost: one look at each dictionary. */
  deltasSince(sizes: ReadonlyMap<string, number>, until?: ReadonlyMap<string, number>): DictionaryDelta[] {
    const deltas: DictionaryDelta[] = [];
    for (const [name, dictionary] of this.#byName) {
      const start = sizes.get(name) ?? 1;
      const end = until === undefined ? dictionary.size : (until.get(name) ?? 1);
      if (end > start) deltas.push({ name, start, values: dictionary.values.slice(start, end) });
    }
    return deltas;
  }

  /** Forgets what was added since `sizes`: nothing stored ever used it. */
  truncate(sizes: ReadonlyMap<string, number>): void {
    for (const [name, dictionary] of this.#byName) {
      dictionary.truncate(sizes.get(name) ?? 1);
      if (metadataName.test(name) && !sizes.has(name)) this.#byName.delete(name);
    }
    // Those that are left are found again by their names.
    this.#byKey.length = 0;
    this.#shapeKeys.length = Math.min(this.#shapeKeys.length, this.shapes.size);
  }

  /** Adds values that were stored earlier; values already here must be the same. False when they are not. */
  apply(delta: DictionaryDelta): boolean {
    const dictionary = this.named(delta.name);
    if (delta.start > dictionary.size) return false;
    for (let at = 0; at < delta.values.length; at += 1) {
      const value = delta.values[at] ?? "";
      const code = delta.start + at;
      if (code < dictionary.size) {
        if (dictionary.valueOf(code) !== value) return false;
      } else dictionary.add(value);
    }
    return true;
  }
}
