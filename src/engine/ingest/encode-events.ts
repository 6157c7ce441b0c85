import { grown } from "../../core/base/arrays.js";
import { shown } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { dayOf } from "../../core/base/time.js";
import { uuidText } from "../../core/base/uuid.js";
import { EventFault, DECODED_ROW_COUNT, DecodedEvents, decodeEvent, textFault, type DecodeContext } from "../../core/schema/decode-event.js";
import { eventRecord, type EventRecord } from "../../core/schema/event.js";
import { FIELDS, FIELD_COUNT, fieldIndex, type FieldRow, slugOf } from "../../core/schema/fields.js";
import { SCALAR_CHARS_MAX, type KnownKey, type MetadataMembers, type KnownKeys } from "../../core/schema/metadata.js";
import { type Dictionaries, dictionaryBytesMax } from "../../storage/column/dictionaries.js";
import type { Dictionary } from "../../storage/column/dictionary.js";
import type { JsonDictionary } from "../../storage/column/json-dictionary.js";
import type { EventKey } from "../../storage/segment/event-order.js";
import type { BatchBuilder } from "../../store/batch/batch.js";
import type { Allowance, Limit } from "./allowed-options.js";
import { ERASED_EVENT, type Suppression } from "./suppression.js";

interface EncodedKey extends KnownKey {
  readonly scalars: JsonDictionary;
}

interface ShapePath {
  /** -1 if no event had exactly these keys. */
  code: number;
  readonly next: Map<number, ShapePath>;
}

class MetadataEncoder {
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

  /** Returns the code of the row's shape. */
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
    return new EventFault("invalid_event", `metadata: ${shown(unknown[Math.max(0, room)])} would exceed this store's limit of ${keyCountMax} keys`);
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

  /** Clears the tree; the dictionary of shapes still has the codes. */
  #forgetShapes(): void {
    this.#shapes = { code: 0, next: new Map() };
    this.#stepCount = 0;
  }
}

const NAME = fieldIndex("name");
const PROJECT = fieldIndex("project");
const SLUG = fieldIndex("slug");
const NOTIFY = fieldIndex("notify");
const USER_ID = fieldIndex("userId");
const ANONYMOUS_ID = fieldIndex("anonymousId");

/** Encodes events as rows of dictionary codes, up to `DECODED_ROW_COUNT` at a time. One per store: it caches recent values. */
export class EventEncoder {
  readonly #decoded = new DecodedEvents();
  readonly #faults: (EventFault | null)[] = [];
  /** Codes of the texts, in the same layout; -1 for a new text until its row is accepted. */
  readonly #codes = new Int32Array(DECODED_ROW_COUNT * FIELD_COUNT);
  /** The same memory, unsigned: rows that were accepted contain no -1. */
  readonly #settledCodes = new Uint32Array(this.#codes.buffer);
  /** 1 for rows with a new text. */
  readonly #hasNew = new Uint8Array(DECODED_ROW_COUNT);
  readonly #shapes = new Uint32Array(DECODED_ROW_COUNT);
  /** Accepted rows that are not in a batch yet: a run from this row on. */
  #firstAccepted = 0;
  #acceptedCount = 0;
  readonly #fields: readonly Dictionary[];
  readonly #metadata: MetadataEncoder;
  /** Code of the slug by code of the name; 0 if it is not cached. */
  #slugCodes = new Uint32Array(256);
  /** Whether a dictionary may fill up within the batch: only then is every new value checked. */
  #isTight = false;
  #hasKey: ((day: number, key: number) => boolean) | null = null;
  #keyCountMax: number = LIMITS.metadataKeyCount;
  /** Whether a limit applies to the rows: what they may not add is withheld, and no row is rejected for it. */
  #isLimited = false;
  /** Whether the values of the store use so much memory that no more may be added. */
  #isHeavy = false;
  /** Events for which every dictionary has room; a lower bound, since not every event adds a value. */
  #room = 0;

  constructor(readonly dictionaries: Dictionaries) {
    this.#fields = FIELDS.map((field) => dictionaries.named(field.column));
    this.#metadata = new MetadataEncoder(dictionaries);
  }

  readonly knownKeys: KnownKeys = (key) => this.#metadata.knownKey(key);

  /** @param hasKey whether a day has a key; null while there is room for columns @param allowance of the first ingest; all share one `keyCountMax` */
  begin(rowCount: number, hasKey: ((day: number, key: number) => boolean) | null = null, allowance: Allowance | null = null): void {
    this.#hasKey = hasKey;
    this.#keyCountMax = allowance?.keyCountMax ?? LIMITS.metadataKeyCount;
    this.#isLimited = allowance !== null && allowance.limit !== null;
    this.#room -= rowCount;
    // No event adds more than one value to a dictionary.
    if (this.#room < 0) this.#room = LIMITS.dictionaryValueCount - this.dictionaries.largestSize - rowCount;
    this.#isTight = this.#room < 0;
  }

  /** Decodes as many events from `start` on as fit, and returns their number. Row 0 is the first of them. */
  decode(events: readonly unknown[], start: number, context: DecodeContext): number {
    const rowCount = Math.min(events.length - start, DECODED_ROW_COUNT);
    this.#isHeavy = this.dictionaries.heldByteLength > dictionaryBytesMax();
    this.#acceptedCount = 0;
    for (let row = 0; row < rowCount; row += 1) this.#faults[row] = this.#read(events[start + row], context, row);
    const { texts } = this.#decoded;
    this.#hasNew.fill(0, 0, rowCount);
    for (let field = 0; field < FIELD_COUNT; field += 1)
      (this.#fields[field] as Dictionary).codesOf(texts, this.#codes, field * DECODED_ROW_COUNT, this.#hasNew, rowCount);
    for (let row = 0; row < rowCount; row += 1) if (this.#faults[row] === null) this.#settleSlug(row);
    return rowCount;
  }

  /** The fault that rejects a row; null for a valid one, from which it removes the device id of an erased person. */
  checkAndRedact(row: number, suppression: Suppression): EventFault | null {
    const fault = this.#faults[row] ?? (this.#hasNew[row] === 1 ? this.#textFault(row) : null) ?? this.#keysFault(row) ?? this.#columnsFault(row);
    if (fault !== null) return fault;
    const noRoom = this.#isLimited ? null : this.#isHeavy ? this.#weightFault(row) : this.#isTight ? this.#roomFault(row) : null;
    return noRoom ?? (suppression.isEmpty ? null : this.#suppress(row, suppression));
  }

  /** 16 bytes a row. */
  get ids(): Uint8Array {
    return this.#decoded.ids;
  }

  /** Epoch ms. */
  timeOf(row: number): number {
    return this.#decoded.times[row] as number;
  }

  /** Whether `timeOf` is the time of receipt, because the event's own time was too far ahead. */
  isAdjusted(row: number): boolean {
    return this.#decoded.adjusted[row] === 1;
  }

  projectOf(row: number): string {
    return this.#decoded.text(row, PROJECT);
  }

  keyOf(row: number): EventKey {
    return { id: this.#decoded.ids.slice(row * 16, row * 16 + 16), project: this.projectOf(row) };
  }

  /** Null unless `notify` is set. */
  notifiedRecord(row: number): EventRecord | null {
    const decoded = this.#decoded;
    if (decoded.text(row, NOTIFY) !== "true") return null;
    const metadata = this.#metadata.objectOf(decoded.members, decoded.memberStart(row), decoded.memberEnds[row] as number);
    const text = (field: number) => (field === SLUG ? this.#slugOf(row) : decoded.text(row, field));
    return eventRecord(text, uuidText(decoded.ids, row * 16), this.timeOf(row), metadata);
  }

  /** Accepts a row for a batch and interns its new texts; `flush` writes it. */
  accept(row: number, builder: BatchBuilder, limit: Limit | null = null): void {
    const { members, memberEnds } = this.#decoded;
    if (row !== this.#firstAccepted + this.#acceptedCount) this.flush(builder);
    if (limit !== null) limit.event(row, this.#decoded, this.#codes, this.dictionaries);
    if (this.#hasNew[row] === 1) this.#internTexts(row);
    this.#shapes[row] = this.#metadata.append(members, this.#decoded.memberStart(row), memberEnds[row] as number, builder);
    if (this.#acceptedCount === 0) this.#firstAccepted = row;
    this.#acceptedCount += 1;
  }

  /** Column by column, which is faster than row by row. */
  flush(builder: BatchBuilder): void {
    const [from, to] = [this.#firstAccepted, this.#firstAccepted + this.#acceptedCount];
    builder.reserve(to - from);
    const { rowCount: at, times, ids, shapes, codes } = builder;
    times.set(this.#decoded.times.subarray(from, to), at);
    ids.set(this.#decoded.ids.subarray(from * 16, to * 16), at * 16);
    shapes.set(this.#shapes.subarray(from, to), at);
    for (let field = 0; field < FIELD_COUNT; field += 1)
      codes[field]?.set(this.#settledCodes.subarray(placeOf(field, from), placeOf(field, to)), at);
    builder.rowCount = at + to - from;
    this.#acceptedCount = 0;
  }

  #internTexts(row: number): void {
    const { texts } = this.#decoded;
    for (let field = 0, at = row; field < FIELD_COUNT; field += 1, at += DECODED_ROW_COUNT)
      if (this.#codes[at] === -1) this.#codes[at] = (this.#fields[field] as Dictionary).intern(texts[at] as string);
  }

  /** Getters and proxies run the caller's code, whose errors reject only that event. */
  #read(input: unknown, context: DecodeContext, row: number): EventFault | null {
    try {
      return decodeEvent(input, context, this.#decoded, row);
    } catch (error) {
      this.#decoded.skip(row);
      return new EventFault("invalid_event", `reading the event failed: ${messageOf(error)}`);
    }
  }

  /** An event without a slug gets that of its name, mostly by the name's code alone. */
  #settleSlug(row: number): void {
    const at = placeOf(SLUG, row);
    if (this.#codes[at] !== 0) return;
    const name = this.#codes[placeOf(NAME, row)] as number;
    let code = name > 0 && name < this.#slugCodes.length ? (this.#slugCodes[name] as number) : 0;
    if (code === 0) {
      const slug = slugOf(this.#decoded.text(row, NAME));
      code = (this.#fields[SLUG] as Dictionary).codeOf(slug);
      if (code < 0) {
        this.#decoded.texts[at] = slug;
        this.#hasNew[row] = 1;
      } else if (name > 0) this.#keepSlug(name, code);
    }
    this.#codes[at] = code;
  }

  #keepSlug(name: number, slug: number): void {
    if (name >= this.#slugCodes.length) this.#slugCodes = grown(this.#slugCodes, 2 ** Math.ceil(Math.log2(name + 1)));
    this.#slugCodes[name] = slug;
  }

  #slugOf(row: number): string {
    const code = this.#codes[placeOf(SLUG, row)] as number;
    return code < 0 ? this.#decoded.text(row, SLUG) : (this.#fields[SLUG] as Dictionary).valueOf(code);
  }

  #textFault(row: number): EventFault | null {
    for (let field = 0; field < FIELD_COUNT; field += 1) {
      if (this.#codes[placeOf(field, row)] !== -1) continue;
      const fault = textFault(this.#decoded.text(row, field), FIELDS[field] as FieldRow);
      if (fault !== null) return fault;
    }
    return null;
  }

  /** Fields whose text had no code when the row was decoded, and the indexes of these texts. */
  *#newFields(row: number): Generator<[field: FieldRow, at: number]> {
    for (const [field, definition] of FIELDS.entries()) {
      const at = placeOf(field, row);
      if (this.#codes[at] === -1) yield [definition, at];
    }
  }

  /** Rejects an event of an erased person; removes an erased person's device from an event of another person. */
  #suppress(row: number, suppression: Suppression): EventFault | null {
    const anonymousId = this.#decoded.text(row, ANONYMOUS_ID);
    const createdAtMs = this.timeOf(row);
    if (suppression.coversPerson(this.#decoded.text(row, USER_ID), anonymousId, createdAtMs)) return ERASED_EVENT;
    if (suppression.covers("anonymousId", anonymousId, createdAtMs)) {
      const at = placeOf(ANONYMOUS_ID, row);
      this.#decoded.texts[at] = "";
      this.#codes[at] = 0;
    }
    return null;
  }

  #keysFault(row: number): EventFault | null {
    const { members, memberEnds } = this.#decoded;
    return this.#metadata.keysFault(members, this.#decoded.memberStart(row), memberEnds[row] as number, this.#keyCountMax);
  }

  #columnsFault(row: number): EventFault | null {
    const hasKey = this.#hasKey;
    if (hasKey === null) return null;
    const { members, memberEnds } = this.#decoded;
    const day = dayOf(this.timeOf(row));
    for (let at = this.#decoded.memberStart(row); at < (memberEnds[row] as number); at += 1) {
      const key = members.keys[at] as string;
      if (hasKey(day, this.dictionaries.knownKeyCode(key))) continue;
      return limitFault(`metadata.${key}`, `${LIMITS.columnCount} metadata columns (one per key and day)`);
    }
    return null;
  }

  #roomFault(row: number): EventFault | null {
    const { texts, members, memberEnds } = this.#decoded;
    for (const [{ column }, at] of this.#newFields(row)) {
      const dictionary = this.dictionaries.named(column);
      if (dictionary.size > LIMITS.dictionaryValueCount && dictionary.codeOf(texts[at] as string) < 0) return fullFault(column);
    }
    const key = this.#metadata.fullKey(members, this.#decoded.memberStart(row), memberEnds[row] as number);
    return key === null ? null : fullFault(`metadata.${key}`);
  }

  #weightFault(row: number): EventFault | null {
    const { texts, members, memberEnds } = this.#decoded;
    for (const [{ column }, at] of this.#newFields(row))
      if (this.dictionaries.named(column).codeOf(texts[at] as string) < 0) return heavyFault(column);
    const key = this.#metadata.newKey(members, this.#decoded.memberStart(row), memberEnds[row] as number);
    return key === null ? null : heavyFault(key === "" ? "metadata" : `metadata.${key}`);
  }
}

function placeOf(field: number, row: number): number {
  return field * DECODED_ROW_COUNT + row;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? shown(error.message) : shown(error);
}

function limitFault(name: string, limit: string): EventFault {
  return new EventFault("invalid_event", `${name}: would exceed this store's limit of ${limit}`);
}

function fullFault(name: string): EventFault {
  return limitFault(name, `${LIMITS.dictionaryValueCount} distinct values`);
}

function heavyFault(name: string): EventFault {
  return limitFault(name, `${dictionaryBytesMax()} bytes of distinct values`);
}
