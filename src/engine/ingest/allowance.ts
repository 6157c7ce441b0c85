import { LIMITS } from "../../core/base/limits.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { type DecodedEvents, DECODED_ROW_COUNT } from "../../core/schema/decode-event.js";
import { FIELDS, fieldIndex, slugOf } from "../../core/schema/fields.js";
import type { DecodedRecord } from "../../identity/decode-record.js";
import { DICTIONARY_OF_FIELD, RECORD_FIELDS } from "../../identity/record-table.js";
import { type Dictionaries, dictionaryBytesMax } from "../../storage/column/dictionaries.js";
import { VALUE_OVERHEAD_BYTES, type Dictionary } from "../../storage/column/dictionary.js";
import { ORDER_KEYS, REFUND_KEY } from "../../storage/derived/stored.js";
import type { Limit } from "./allowed-options.js";

/** Parts that are not stored as sent: replaced texts, omitted ids and keys, dropped records. */
export type Withheld = "value" | "id" | "key" | "record";

export interface Budget {
  /** Charges so many values, of so many bytes as a store counts them; false where there is no room. @param areIds ids, not texts */
  takesValues(count: number, byteLength: number, areIds: boolean): boolean;
  /** Charges one metadata key; false where there is no room. */
  takesKey(): boolean;
  withheld(what: Withheld): void;
}

/** Replaces values that are not stored. */
const OTHER = "(other)";
const OTHER_JSON = JSON.stringify(OTHER);

/** Metadata keys that our trackers and handlers send for pages: always admitted, and lists of these keys always fit. */
export const BUILT_IN_KEYS: readonly string[] = ["title", "url", "width", "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"];
/** Metadata keys that identify an order: one text for several values would merge the orders. */
const NAMING_KEYS: readonly string[] = [...ORDER_KEYS, REFUND_KEY];

const NAME = fieldIndex("name");
const SLUG = fieldIndex("slug");
/** Never limited: `project` is bound to the public key, and `notify` takes no text of the sender's. */
const UNLIMITED: readonly string[] = ["project", "notify"];
/** Omitted, never replaced: one text for several ids would merge people, and no text stands for a number. */
const IDS: readonly string[] = ["userId", "anonymousId", "externalId", "companyId"];
const NUMBERS: readonly string[] = ["value", "location_lon", "location_lat"];

/** Whether values fill the share that is open to public keys; the rest is reserved for other senders. */
function isOverReserve(dictionaries: Dictionaries): boolean {
  return dictionaries.heldByteLength > SERVER_LIMITS.collectedShare * dictionaryBytesMax();
}

/** Admits new values and metadata keys while the budget, and the reserve of the store, have room. Known ones stay as they are. */
export class BudgetedLimit implements Limit {
  constructor(readonly budget: Budget) {}

  event(row: number, decoded: DecodedEvents, codes: Int32Array, dictionaries: Dictionaries): void {
    this.#limitTexts(row, decoded, codes, dictionaries);
    const start = decoded.memberStart(row);
    if (start === decoded.memberEnds[row]) return;
    this.#limitMembers(row, decoded, dictionaries);
    if (!this.#mayListKeys(row, decoded, dictionaries)) keepBuiltIn(row, decoded, () => this.budget.withheld("key"));
  }

  record({ texts }: DecodedRecord, dictionaries: Dictionaries): boolean {
    const added = RECORD_FIELDS.filter((field) => dictionaries.named(DICTIONARY_OF_FIELD[field]).codeOf(texts[field]) < 0);
    if (added.length === 0) return true;
    const hasRoom = !isOverReserve(dictionaries) && added.every((field) => isRoomy(dictionaries.named(DICTIONARY_OF_FIELD[field])));
    if (hasRoom && this.budget.takesValues(added.length, added.reduce((sum, field) => sum + bytesOf(texts[field]), 0), true)) return true;
    this.budget.withheld("record");
    return false;
  }

  #limitTexts(row: number, { texts }: DecodedEvents, codes: Int32Array, dictionaries: Dictionaries): void {
    const put = (field: number, text: string) => {
      const at = field * DECODED_ROW_COUNT + row;
      texts[at] = text;
      codes[at] = dictionaries.named(FIELDS[field]?.column ?? "").codeOf(text);
    };
    for (const [field, { column }] of FIELDS.entries()) {
      const at = field * DECODED_ROW_COUNT + row;
      if (codes[at] !== -1 || UNLIMITED.includes(column)) continue;
      const text = texts[at] ?? "";
      const dictionary = dictionaries.named(column);
      // An earlier row may have added it.
      const isId = IDS.includes(column);
      if (dictionary.codeOf(text) >= 0 || this.#mayBring(text, dictionary, dictionaries, isId)) continue;
      this.budget.withheld(isId ? "id" : "value");
      // A withheld slug becomes that of its name: there is one per name.
      put(field, isId || NUMBERS.includes(column) ? "" : field === SLUG ? slugOf(texts[NAME * DECODED_ROW_COUNT + row] ?? "") : OTHER);
      if (field === NAME) put(SLUG, slugOf(OTHER));
    }
  }

  #limitMembers(row: number, decoded: DecodedEvents, dictionaries: Dictionaries): void {
    const { keys, keyCodes, texts, codes } = decoded.members;
    const end = decoded.memberEnds[row] ?? 0;
    let kept = decoded.memberStart(row);
    let addedCount = 0;
    for (let at = kept; at < end; at += 1) {
      const key = keys[at] ?? "";
      const text = texts[at] ?? "";
      let keyCode = keyCodes[at] ?? -1;
      if (keyCode < 0) keyCode = dictionaries.knownKeyCode(key);
      let code = codes[at] ?? -1;
      const dictionary = keyCode < 0 ? null : dictionaries.ofKey(keyCode);
      const isNew = code < 0 && (dictionary === null || dictionary.codeOf(text) < 0);
      if (keyCode < 0) {
        if (!this.#mayBringKey(key, addedCount, dictionaries)) {
          this.budget.withheld("key");
          continue;
        }
        addedCount += 1;
      }
      let value = text;
      if (isNew && !this.#mayBring(text, dictionary, dictionaries)) {
        const isNaming = NAMING_KEYS.includes(key);
        this.budget.withheld(isNaming ? "id" : "value");
        value = isNaming ? "null" : OTHER_JSON;
        code = -1;
      }
      keys[kept] = key;
      keyCodes[kept] = keyCode;
      texts[kept] = value;
      codes[kept] = code;
      kept += 1;
    }
    decoded.memberEnds[row] = kept;
  }

  /** @param addedCount keys that the row adds already */
  #mayBringKey(key: string, addedCount: number, dictionaries: Dictionaries): boolean {
    if (BUILT_IN_KEYS.includes(key)) return true;
    const { keys } = dictionaries;
    if (keys.valueCount + addedCount >= SERVER_LIMITS.collectedMetadataKeyCount) return false;
    return this.budget.takesKey() && this.#mayBring(key, keys, dictionaries);
  }

  /** @param dictionary null: it does not exist yet */
  #mayBring(text: string, dictionary: Dictionary | null, dictionaries: Dictionaries, isId = false): boolean {
    return !isOverReserve(dictionaries) && (dictionary === null || isRoomy(dictionary)) && this.budget.takesValues(1, bytesOf(text), isId);
  }

  /** Lists of keys are stored too: known keys in ever new orders would also fill a store. */
  #mayListKeys(row: number, decoded: DecodedEvents, dictionaries: Dictionaries): boolean {
    const { keyCodes } = decoded.members;
    const [start, end] = [decoded.memberStart(row), decoded.memberEnds[row] ?? 0];
    if (start === end) return true;
    // New keys get codes when they are stored: the dictionary's size is about as long.
    const list = keyCodes.slice(start, end).map((code) => (code < 0 ? dictionaries.keys.size : code)).join(",");
    return dictionaries.shapes.codeOf(list) >= 0 || this.#mayBring(list, dictionaries.shapes, dictionaries);
  }
}

/** Keeps only built-in metadata keys, in the order of `BUILT_IN_KEYS`: there are few such lists. */
function keepBuiltIn(row: number, decoded: DecodedEvents, onLeftOut: () => void): void {
  const { keys, keyCodes, texts, codes } = decoded.members;
  const start = decoded.memberStart(row);
  const members = keys.slice(start, decoded.memberEnds[row]).map((key, index) => {
    const at = start + index;
    return { key, place: BUILT_IN_KEYS.indexOf(key), keyCode: keyCodes[at] ?? -1, text: texts[at] ?? "", code: codes[at] ?? -1 };
  });
  const kept = members.filter(({ place }) => place >= 0).sort((a, b) => a.place - b.place);
  for (const [index, member] of kept.entries()) {
    keys[start + index] = member.key;
    keyCodes[start + index] = member.keyCode;
    texts[start + index] = member.text;
    codes[start + index] = member.code;
  }
  for (let count = kept.length; count < members.length; count += 1) onLeftOut();
  decoded.memberEnds[row] = start + kept.length;
}

function bytesOf(text: string): number {
  return text.length * 2 + VALUE_OVERHEAD_BYTES;
}

function isRoomy(dictionary: Dictionary): boolean {
  return dictionary.size <= SERVER_LIMITS.collectedShare * LIMITS.dictionaryValueCount;
}
