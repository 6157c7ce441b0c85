import { LIMITS } from "../../core/base/limits.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import type { JsonDictionary } from "../../storage/column/dictionary.js";
import { EventFault } from "../../core/schema/decode-event.js";
import { SCALAR_CHARS_MAX } from "../../core/schema/metadata.js";
import type { KnownKey, MetadataMembers } from "../../core/schema/metadata.js";
import type { BatchBuilder } from "../../store/batch/batch.js";

/** A known key and its dictionary. */
export interface EncodedKey extends KnownKey {
  readonly scalars: JsonDictionary;
}

/** A node in a tree of the key lists seen so far. */
interface ShapePath {
  /** -1 if no event had exactly these keys. */
  code: number;
  readonly next: Map<number, ShapePath>;
}

/** Encodes the members of metadata objects as codes of keys, shapes and values. */
export class MetadataEncoder {
  readonly #keys = new Map<string, EncodedKey>();
  #shapes: ShapePath = { code: 0, next: new Map() };
  #stepCount = 0;

  constructor(readonly dictionaries: Dictionaries) {}

  /** The code and dictionary of a key; null for a new one. */
  knownKey(key: string): EncodedKey | null {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const code = this.dictionaries.knownKeyCode(key);
    return code < 0 ? null : this.#keep(key, code);
  }

  /** Adds a row's values to a batch; returns the code of its shape. */
  append({ keys, keyCodes, texts, codes }: MetadataMembers, start: number, end: number, builder: BatchBuilder): number {
    if (this.#stepCount > LIMITS.shapeStepCount) this.#forgetShapes();
    let path = this.#shapes;
    for (let at = start; at < end; at += 1) {
      let keyCode = keyCodes[at] as number;
      if (keyCode < 0) keyCode = this.dictionaries.keyCode(keys[at] as string);
      const known = codes[at] as number;
      builder.pushValue(known >= 0 ? known : this.#internValue(keyCode, texts[at] as string));
      path = this.#stepOf(path, keyCode);
    }
    if (path.code < 0) path.code = this.#internShape(keys, start, end);
    return path.code;
  }

  /** An error if a store would have more than `keyCountMax` keys with those of a row; else null. */
  keysFault(members: MetadataMembers, start: number, end: number, keyCountMax: number): EventFault | null {
    const keyCount = this.dictionaries.keys.valueCount;
    return keyCount + end - start <= keyCountMax ? null : this.#newKeysFault(members, start, end, keyCountMax - keyCount, keyCountMax);
  }

  #newKeysFault({ keys, keyCodes }: MetadataMembers, start: number, end: number, room: number, keyCountMax: number): EventFault | null {
    const isNew = (at: number) => keyCodes[at] === -1 && this.dictionaries.knownKeyCode(keys[at] as string) < 0;
    const unknown = keys.slice(start, end).filter((_, at) => isNew(start + at));
    if (unknown.length === 0 || unknown.length <= room) return null;
    const message = `metadata: expected at most ${keyCountMax} distinct keys in a store, which ${JSON.stringify(unknown[0])} would exceed`;
    return new EventFault("invalid_event", message);
  }

  /** The first key of a row whose dictionary has no room for the row's value; null if there is none. */
  fullKey({ keys, texts, codes }: MetadataMembers, start: number, end: number): string | null {
    for (let at = start; at < end; at += 1) {
      const key = this.knownKey(keys[at] as string);
      if (key === null || (codes[at] as number) >= 0) continue;
      if (key.scalars.size > LIMITS.dictionaryValueCount && key.scalars.codeOf(texts[at] as string) < 0) return keys[at] as string;
    }
    return null;
  }

  /** The first key of a row that is new or adds a value; `""` if only the list of keys is new; null if nothing is. */
  newKey({ keys, texts, codes }: MetadataMembers, start: number, end: number): string | null {
    if (start === end) return null;
    for (let at = start; at < end; at += 1) {
      const key = this.knownKey(keys[at] as string);
      if (key === null || ((codes[at] as number) < 0 && key.scalars.codeOf(texts[at] as string) < 0)) return keys[at] as string;
    }
    return this.dictionaries.shapes.codeOf(this.#shapeText(keys, start, end)) < 0 ? "" : null;
  }

  /** A row's metadata as it was sent. */
  objectOf({ keys, texts, codes }: MetadataMembers, start: number, end: number): Record<string, unknown> {
    const members = keys.slice(start, end).map((key, index) => {
      const code = codes[start + index] as number;
      const text = code >= 0 ? this.knownKey(key)?.scalars.valueOf(code) : texts[start + index];
      return `${JSON.stringify(key)}:${text ?? "null"}`;
    });
    return JSON.parse(`{${members.join(",")}}`) as Record<string, unknown>;
  }

  #keep(key: string, code: number): EncodedKey {
    const known = { code, scalars: this.dictionaries.ofKey(code) };
    this.#keys.set(key, known);
    return known;
  }

  #internValue(keyCode: number, text: string): number {
    const dictionary = this.dictionaries.ofKey(keyCode);
    return text.length > SCALAR_CHARS_MAX ? dictionary.intern(text) : dictionary.internScalar(JSON.parse(text), text);
  }

  #internShape(keys: readonly string[], start: number, end: number): number {
    return this.dictionaries.shapes.intern(this.#shapeText(keys, start, end));
  }

  #shapeText(keys: readonly string[], start: number, end: number): string {
    const codes = keys.slice(start, end).map((key) => this.dictionaries.keyCode(key));
    return codes.join(",");
  }

  #stepOf(path: ShapePath, keyCode: number): ShapePath {
    const known = path.next.get(keyCode);
    if (known !== undefined) return known;
    const step = { code: -1, next: new Map<number, ShapePath>() };
    path.next.set(keyCode, step);
    this.#stepCount += 1;
    return step;
  }

  /** The dictionary of shapes keeps them. */
  #forgetShapes(): void {
    this.#shapes = { code: 0, next: new Map() };
    this.#stepCount = 0;
  }
}
