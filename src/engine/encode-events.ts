import { shown } from "../base/errors.js";
import { LIMITS } from "../base/limits.js";
import { uuidText } from "../base/uuid.js";
import type { Dictionaries } from "../column/dictionaries.js";
import type { Dictionary, JsonDictionary } from "../column/dictionary.js";
import type { EventRecord } from "../schema/event.js";
import { eventRecord } from "../schema/event-record.js";
import { EventFault, EventRow, decodeEvent } from "../schema/decode-event.js";
import type { DecodeContext } from "../schema/decode-event.js";
import { FIELDS, FIELD_COUNT, fieldIndex } from "../schema/fields.js";
import type { BatchBuilder } from "../store/batch.js";
import type { Suppression } from "./suppression.js";

const SCALAR_CHARS_MAX = 64;

/** Turns events into rows of dictionary codes. One per store: it keeps the last values at hand. */
export class EventEncoder {
  readonly #row = new EventRow();
  /** Of each field of `FIELDS`. */
  readonly fields: readonly Dictionary[];
  #lastKeys: readonly string[] = [];
  #lastKeyCodes: readonly number[] = [];
  #lastShape = 0;
  /** Whether some dictionary may become full within the batch: only then is every new value checked. */
  #isTight = false;

  constructor(readonly dictionaries: Dictionaries) {
    this.fields = FIELDS.map((field) => dictionaries.named(field.column));
  }

  /** The dictionary of a metadata key; null for a new key. */
  readonly knownKeys = (key: string): JsonDictionary | null => {
    let known = this.#byKey.get(key);
    if (known === undefined) {
      const code = this.dictionaries.knownKeyCode(key);
      if (code < 0) return null;
      known = this.dictionaries.ofKey(code);
      this.#byKey.set(key, known);
    }
    return known;
  };
  readonly #byKey = new Map<string, JsonDictionary>();

  /** Before a batch of at most `rowCount` events. */
  begin(rowCount: number): void {
    this.#isTight = this.dictionaries.largestSize + rowCount > LIMITS.dictionaryValueCount;
  }

  /** Decodes an event; its id is then in `id`, and `append` makes it a row. */
  decode(input: unknown, context: DecodeContext): EventFault | null {
    const fault = this.#read(input, context);
    return fault ?? this.#checkKeys(this.#row.metadataKeys) ?? (this.#isTight ? this.#checkRoom() : null);
  }

  /** Getters and proxies run code of the caller's: what it throws is a fault of that event alone. */
  #read(input: unknown, context: DecodeContext): EventFault | null {
    try {
      return decodeEvent(input, context, this.#row);
    } catch (error) {
      return new EventFault("invalid_event", `reading the event failed: ${messageOf(error)}`);
    }
  }

  get id(): Uint8Array {
    return this.#row.id;
  }

  get createdAtMs(): number {
    return this.#row.createdAtMs;
  }

  /** Whether the decoded event is about somebody who was erased after it. */
  isSuppressed(suppression: Suppression): boolean {
    const { texts, createdAtMs } = this.#row;
    const covers = (kind: "userId" | "anonymousId") => suppression.covers(kind, texts[fieldIndex(kind)] ?? "", createdAtMs);
    return covers("userId") || covers("anonymousId");
  }

  /** The decoded event as a record, if it asks to be notified of; null if not. */
  notifiedRecord(): EventRecord | null {
    const { texts, metadataKeys, metadataTexts, metadataCodes, id, createdAtMs } = this.#row;
    if (texts[fieldIndex("notify")] !== "true") return null;
    const members = metadataKeys.map((key, at) => {
      const code = metadataCodes[at] as number;
      const text = code >= 0 ? this.knownKeys(key)?.valueOf(code) : metadataTexts[at];
      return `${JSON.stringify(key)}:${text ?? "null"}`;
    });
    const metadata = JSON.parse(`{${members.join(",")}}`) as Record<string, unknown>;
    return eventRecord((column) => texts[fieldIndex(column)] ?? "", uuidText(id), createdAtMs, metadata);
  }

  /** Adds the decoded event to a batch. */
  append(builder: BatchBuilder): void {
    const { texts, codes, metadataKeys, metadataTexts, metadataCodes, id, createdAtMs } = this.#row;
    builder.reserve(metadataKeys.length);
    const row = builder.rowCount;
    builder.times[row] = createdAtMs;
    builder.ids.set(id, row * 16);
    for (let field = 0, at = row * FIELD_COUNT; field < FIELD_COUNT; field += 1, at += 1) {
      const code = codes[field] as number;
      builder.codes[at] = code >= 0 ? code : (this.fields[field] as Dictionary).intern(texts[field] as string);
    }
    const keyCodes = this.#keyCodes(metadataKeys);
    builder.shapes[row] = this.#lastShape;
    for (let at = 0; at < keyCodes.length; at += 1) {
      const known = metadataCodes[at] as number;
      builder.values[builder.valueCount + at] = known >= 0 ? known : this.#internValue(keyCodes[at] as number, metadataTexts[at] as string);
    }
    builder.valueCount += keyCodes.length;
    builder.rowCount = row + 1;
  }

  #internValue(keyCode: number, text: string): number {
    const dictionary = this.dictionaries.ofKey(keyCode);
    // Texts of more than this are not met again soon enough to be kept twice.
    return text.length > SCALAR_CHARS_MAX ? dictionary.intern(text) : dictionary.internScalar(JSON.parse(text), text);
  }

  /** Codes of metadata keys, and the shape they make together; traffic repeats the shape before. */
  #keyCodes(keys: readonly string[]): readonly number[] {
    if (isSame(keys, this.#lastKeys)) return this.#lastKeyCodes;
    this.#lastKeyCodes = keys.map((key) => this.dictionaries.keyCode(key));
    this.#lastShape = keys.length === 0 ? 0 : this.dictionaries.shapes.intern(this.#lastKeyCodes.join(","));
    this.#lastKeys = keys;
    return this.#lastKeyCodes;
  }

  #checkRoom(): EventFault | null {
    const { codes, metadataKeys, metadataTexts, metadataCodes } = this.#row;
    const isFull = (dictionary: Dictionary) => dictionary.size > LIMITS.dictionaryValueCount;
    for (const [index, dictionary] of this.fields.entries())
      if (codes[index] === -1 && isFull(dictionary)) return fullFault(dictionary.name);
    for (const [at, key] of metadataKeys.entries()) {
      const code = this.dictionaries.knownKeyCode(key);
      if (code < 0 || (metadataCodes[at] as number) >= 0) continue;
      const dictionary = this.dictionaries.ofKey(code);
      if (isFull(dictionary) && dictionary.codeOf(metadataTexts[at] ?? "") < 0) return fullFault(`metadata.${key}`);
    }
    return null;
  }

  #checkKeys(keys: readonly string[]): EventFault | null {
    const { dictionaries } = this;
    const keyCount = dictionaries.keys.size - 1;
    if (keyCount + keys.length <= LIMITS.metadataKeyCount) return null;
    const unknown = keys.filter((key) => dictionaries.knownKeyCode(key) < 0);
    if (unknown.length === 0 || keyCount + unknown.length <= LIMITS.metadataKeyCount) return null;
    const message = `metadata: expected at most ${LIMITS.metadataKeyCount} distinct keys in a store, ${JSON.stringify(unknown[0])} would be one more`;
    return new EventFault("invalid_event", message);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? shown(error.message) : shown(error);
}

function fullFault(name: string): EventFault {
  return new EventFault("invalid_event", `${name}: expected at most ${LIMITS.dictionaryValueCount} distinct values in a store`);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}
