import { LIMITS } from "../../core/base/limits.js";
import { FIELDS, KEY_DICTIONARY, SHAPE_DICTIONARY, metadataColumn } from "../../core/schema/fields.js";
import { runAtOnce, type Steps } from "../../core/base/yield.js";
import type { UnreadValues } from "./dictionary-values.js";
import { Dictionary, VALUE_OVERHEAD_BYTES, VALUES_PER_STEP, type HeldValues } from "./dictionary.js";
import { JsonDictionary } from "./json-dictionary.js";

/** Estimated bytes of distinct values that a store may hold in this process: as much as its heap allows, if the heap limit is known. */
export function dictionaryBytesMax(): number {
  return Math.min(LIMITS.dictionaryBytes, Math.max(0, HEAP_BYTES - LIMITS.heapBesideBytes) * LIMITS.dictionaryHeapShare);
}

// Works in Node, Bun and Deno, without importing what browsers do not have.
const HEAP_BYTES = globalThis.process?.getBuiltinModule?.("node:v8")?.getHeapStatistics().heap_size_limit || Infinity;

/** Values added to a dictionary: the codes from `start` on. */
export interface DictionaryDelta {
  readonly name: string;
  readonly start: number;
  readonly values: readonly string[];
}

/** The same values in parts of at most `charCount` characters each; longer values stand alone. */
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

/** Prefix of every key name, which distinguishes the key `""` from no key. */
const KEY_MARK = ".";

const metadataName = /^m\d+$/;

/** All dictionaries of a store: one per field, metadata key names, shapes, and one of JSON texts per metadata key. */
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

  /** The dictionary of this name, which is also the name of its column; created on first use for a metadata key. */
  named(name: string): Dictionary {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const made = metadataName.test(name) ? new JsonDictionary(name, this.#held) : new Dictionary(name, this.#held);
    this.#byName.set(name, made);
    return made;
  }

  ofKey(keyCode: number): JsonDictionary {
    const known = this.#byKey[keyCode];
    if (known !== undefined) return known;
    const dictionary = this.named(metadataColumn(keyCode)) as JsonDictionary;
    this.#byKey[keyCode] = dictionary;
    return dictionary;
  }

  /** The code of a metadata key, adding it if new. The empty key has one like any other. */
  keyCode(key: string): number {
    return this.keys.intern(`${KEY_MARK}${key}`);
  }

  /** The code of a metadata key; -1 if no event ever had it. */
  knownKeyCode(key: string): number {
    return this.keys.codeOf(`${KEY_MARK}${key}`);
  }

  keyOf(code: number): string {
    return this.keys.valueOf(code).slice(KEY_MARK.length);
  }

  keysOfShape(shape: number): readonly number[] {
    let keys = this.#shapeKeys[shape];
    if (keys === undefined) {
      keys = shape === 0 ? [] : this.shapes.valueOf(shape).split(",").map(Number);
      this.#shapeKeys[shape] = keys;
    }
    return keys;
  }

  get largestSize(): number {
    let size = 0;
    for (const dictionary of this.#byName.values()) size = Math.max(size, dictionary.size);
    return size;
  }

  /** Estimated bytes of all values, without derived data. Free to read. */
  get heldByteLength(): number {
    return this.#held.charCount * 2 + this.#held.valueCount * VALUE_OVERHEAD_BYTES;
  }

  /** Share of the limit on bytes, or on the values of one dictionary, whichever is larger. */
  get fullness(): number {
    return Math.max(this.heldByteLength / dictionaryBytesMax(), this.largestSize / LIMITS.dictionaryValueCount);
  }

  get byteLength(): number {
    let byteLength = 0;
    for (const dictionary of this.#byName.values()) byteLength += dictionary.byteLength;
    return byteLength;
  }

  sizes(): Map<string, number> {
    const sizes = new Map<string, number>();
    for (const [name, dictionary] of this.#byName) sizes.set(name, dictionary.size);
    return sizes;
  }

  /** Values added since `sizes`, up to `until` if given. Cost: one check per dictionary. */
  deltasSince(sizes: ReadonlyMap<string, number>, until?: ReadonlyMap<string, number>): DictionaryDelta[] {
    return runAtOnce(this.deltasInSteps(sizes, until));
  }

  /** As `deltasSince`, for many values. */
  *deltasInSteps(sizes: ReadonlyMap<string, number>, until?: ReadonlyMap<string, number>): Steps<DictionaryDelta[]> {
    const deltas: DictionaryDelta[] = [];
    for (const [name, dictionary] of this.#byName) {
      const start = sizes.get(name) ?? 1;
      const end = until === undefined ? dictionary.size : (until.get(name) ?? 1);
      const values: string[] = [];
      for (let code = start; code < end; code += 1) {
        values.push(dictionary.valueOf(code));
        if (values.length % VALUES_PER_STEP === 0) yield;
      }
      if (values.length > 0) deltas.push({ name, start, values });
    }
    return deltas;
  }

  /** Drops the values added since `sizes`, which nothing stored ever used. */
  truncate(sizes: ReadonlyMap<string, number>): void {
    for (const [name, dictionary] of this.#byName) {
      dictionary.truncate(sizes.get(name) ?? 1);
      if (metadataName.test(name) && !sizes.has(name)) this.#byName.delete(name);
    }
    // `ofKey` finds the remaining ones again by name.
    this.#byKey.length = 0;
    this.#shapeKeys.length = Math.min(this.#shapeKeys.length, this.shapes.size);
  }

  /** Adds values of a file that are read later; returns false unless they continue those of the dictionary. */
  applyStored(name: string, stored: UnreadValues): boolean {
    return this.named(name).addStored(stored);
  }

  /** As `indexing` of each dictionary; damage is left to what needs its values. */
  *indexing(): Steps<void> {
    for (const dictionary of this.#byName.values())
      try {
        yield* dictionary.indexing();
      } catch {
        continue;
      }
  }

  /** Adds values stored earlier; returns false if they differ from values already present. */
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
