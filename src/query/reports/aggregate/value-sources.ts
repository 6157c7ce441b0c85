import { grown } from "../../../core/base/arrays.js";
import { tooManyValues } from "../../answer/ranked-items.js";
import { assert } from "../../../core/base/errors.js";
import { flatText } from "../../../core/base/json-text.js";
import { LIMITS } from "../../../core/base/limits.js";
import { dayStartMs, isoOf } from "../../../core/base/time.js";
import type { Yielder } from "../../../core/base/yield.js";
import { uuidText } from "../../../core/base/uuid.js";
import { absentColumn, type CodeColumn } from "../../../storage/column/column.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import { TextTable } from "../../../storage/column/text-table.js";
import type { KnownValues } from "../../filter/predicate.js";
import { pathOf, propertiesOf, walk } from "../../filter/value-test.js";
import type { Operand, TouchDimension } from "../../plan/plan.js";
import { ID_COLUMN, TIME_COLUMN, metadataColumn } from "../../../core/schema/fields.js";
import { referrerDomainOf } from "../../../core/schema/web-address.js";
import { IdIndex } from "../../../storage/segment/event-order.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { ACTOR_COLUMNS } from "../../../storage/segment/summaries.js";
import { labelNumbers } from "../../tables/touches/touch-facts.js";
import type { RowContext } from "../form/report.js";
import { COMPANY_READER_COLUMNS, CompanyReader } from "../../filter/company-reader.js";

class EventTimes {
  /** By the start of the day: ms of a day are small integers, which a map stores without boxing. */
  readonly #days = new Map<number, Map<number, number>>();
  #times = new Float64Array(1024);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Returns a function that numbers the ms of one day and throws too_many_values. */
  ofDay(startMs: number): (ms: number) => number {
    let numbers = this.#days.get(startMs);
    if (numbers === undefined) this.#days.set(startMs, (numbers = new Map()));
    const known = numbers;
    return (ms) => {
      let number = known.get(ms);
      if (number === undefined) known.set(ms, (number = this.#push(startMs + ms)));
      return number;
    };
  }

  of(number: number): number {
    const ms = this.#times[number];
    assert(ms !== undefined && number < this.#count, "a number stands for a time");
    return ms;
  }

  /** All numbers by time, which is also the order of the ISO texts: years are 0 to 9999. */
  inOrder(): Uint32Array {
    const times = this.#times;
    return Uint32Array.from({ length: this.#count }, (_, number) => number).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
  }

  #push(ms: number): number {
    if (this.#count === LIMITS.ownValueCount) throw tooManyValues("createdAt");
    if (this.#count === this.#times.length) {
      this.#times = grown(this.#times, this.#times.length * 2);
    }
    this.#times[this.#count] = ms;
    this.#count += 1;
    return this.#count - 1;
  }
}

/** Codes by row. A row's value is its code in the first source where that is not 0, else code 0 of the last source. */
interface CodeSource {
  readonly columns: readonly string[];
  /** The stored column that holds the codes; null for derived codes. */
  readonly column: string | null;
  /** Codes with the same name are the same in every query; null: they are specific to this query. */
  readonly name: string | null;
  /** Exclusive upper bound of the codes of the rows read so far. */
  readonly size: number;
  /** Entries of rows that are not selected are arbitrary. */
  codesOf(rows: Rows, selected: Uint32Array): CodeColumn;
}

/** The sources of an aggregate's row values, and the meaning of their codes. */
export interface AggregateValues {
  readonly sources: readonly CodeSource[];
  /** Present if there is one source and each of its codes has a property of its own. */
  readonly distinct?: ValuesByCode;
  /** The groups that a code of a source counts in. */
  groupsOf(place: number, code: number): readonly number[];
  propertyOf(group: number): string;
}

interface ValuesByCode {
  /** All codes below `size`, sorted by property, if that is cheaper than sorting `shownCount` of them; else null. */
  placesInOrder(shownCount: number): Uint32Array | null;
  readonly sortedCodesOf?: (codes: Uint32Array) => Uint32Array;
  /** Prepares the order for `placesInOrder`, yielding in between. */
  readonly prepareOrder?: (shownCount: number, yielder: Yielder) => Promise<void>;
}

/** The texts under which a JSON value is counted. */
export type TextsOf = (value: unknown) => readonly string[];

/**
 * The value sources of an operand.
 * @param textsOf applies to metadata and traits; by default the properties under which an aggregate counts them
 */
export function valuesOf(by: Operand, context: RowContext, textsOf: TextsOf = propertiesOf): AggregateValues {
  const { dictionaries } = context;
  switch (by.kind) {
    case "field":
      return fieldValues(by.field, dictionaries);
    case "path":
      return derivedValues("url", pathOf, dictionaries);
    case "referrerDomain":
      return derivedValues("referrer", referrerDomainOf, dictionaries);
    case "member": {
      const key = dictionaries.knownKeyCode(by.field);
      const own = (code: number) => [dictionaries.named(by.field).valueOf(code)];
      const sources = [stored(by.field, dictionaries), ...(key < 0 ? [] : [stored(metadataColumn(key), dictionaries)])];
      return textValues(sources, (place, code) => (place === 0 ? own(code) : textsOf(dictionaries.ofKey(key).json(code))));
    }
    case "metadataKey":
      return metadataValues(by.key, [], dictionaries, textsOf);
    case "metadataPath":
      return metadataValues(by.path, by.path.split("."), dictionaries, textsOf);
    case "identityId":
      return identityValues(context);
    case "companyId":
      return companyValues(context);
    case "touch":
      return touchValues(by.dimension, context);
    case "id":
      return idValues(LIMITS.ownValueCount);
    case "createdAt":
      return timeValues();
    case "person":
      return personValues(by.path, context, textsOf);
    case "company":
      return companyTraitValues(by.path, context, textsOf);
    case "paymentTouch":
      return paymentTouchValues(by, context);
    case "segment":
      throw new Error("only filters test membership in a segment");
  }
}

function stored(column: string, dictionaries: Dictionaries): CodeSource {
  const { size } = dictionaries.named(column);
  return { columns: [column], column, name: column, size, codesOf: (rows) => rows.column(column) };
}

function fieldValues(column: string, dictionaries: Dictionaries): AggregateValues {
  const dictionary = dictionaries.named(column);
  const { size } = dictionary;
  // Values added after the query began are not in its counts.
  const placesInOrder = (shownCount: number) => {
    if (!dictionary.shouldSortAll(shownCount)) return null;
    return dictionary.size === size ? dictionary.codesInOrder() : dictionary.codesInOrder().filter((code) => code < size);
  };
  const prepareOrder = async (shownCount: number, yielder: Yielder) => {
    if (dictionary.shouldSortAll(shownCount)) await dictionary.order(yielder);
  };
  const propertyOf = (code: number) => dictionary.valueOf(code);
  const sortedCodesOf = (codes: Uint32Array) => dictionary.sortedCodesOf(codes);
  return { sources: [stored(column, dictionaries)], distinct: { placesInOrder, sortedCodesOf, prepareOrder }, groupsOf: (_place, code) => [code], propertyOf };
}

function textValues(sources: readonly CodeSource[], textsOf: (place: number, code: number) => readonly string[]): AggregateValues {
  const texts = new Texts();
  return { sources, groupsOf: (place, code) => textsOf(place, code).map((text) => texts.numberOf(text)), propertyOf: (group) => texts.of(group) };
}

function derivedValues(column: string, derive: (text: string) => string, dictionaries: Dictionaries): AggregateValues {
  const dictionary = dictionaries.named(column);
  return textValues([stored(column, dictionaries)], (_place, code) => [derive(dictionary.valueOf(code))]);
}

/** @param segments of a path to walk if the event lacks the literal key; empty: no walk */
function metadataValues(key: string, segments: readonly string[], dictionaries: Dictionaries, textsOf: TextsOf): AggregateValues {
  const keys: { readonly code: number; readonly rest: readonly string[] }[] = [];
  const literal = dictionaries.knownKeyCode(key);
  if (literal > 0) keys.push({ code: literal, rest: [] });
  const root = segments.length > 1 ? dictionaries.knownKeyCode(segments[0] ?? "") : -1;
  if (root > 0) keys.push({ code: root, rest: segments.slice(1) });
  if (keys.length === 0) return textValues([NOTHING], () => [""]);
  return textValues(
    keys.map(({ code }) => stored(metadataColumn(code), dictionaries)),
    (place, code) => textsOf(walk(dictionaries.ofKey(keys[place]?.code ?? 0).json(code), keys[place]?.rest ?? [])),
  );
}

const NOTHING: CodeSource = { columns: [], column: null, name: "", size: 1, codesOf: (rows) => absentColumn(rows.rowCount) };

/** Counts rows by id and maps ids to identities at the end: an id is hashed only for identities that are shown. */
function identityValues({ dictionaries, identities }: RowContext): AggregateValues {
  return {
    sources: ACTOR_COLUMNS.map((column) => stored(column, dictionaries)),
    groupsOf: (place, code) => [code === 0 ? 0 : identities.identityOf(code * 2 + place)],
    propertyOf: (identity) => (identity === 0 ? "" : identities.identityId(identity)),
  };
}

/** As in `identityValues`: counts by row id can be cached, and traits are looked up at the end. */
function personValues(path: string, { dictionaries, identities, known }: RowContext, textsOf: TextsOf): AggregateValues {
  const values = known.person(path);
  const numberOf = (place: number, code: number) => (code === 0 ? 0 : values.numberOf(identities.identityOf(code * 2 + place)));
  return knownValues(ACTOR_COLUMNS.map((column) => stored(column, dictionaries)), values, numberOf, textsOf);
}

function companyTraitValues(path: string, context: RowContext, textsOf: TextsOf): AggregateValues {
  const values = context.known.company(path);
  return knownValues([companySource(context)], values, (_place, code) => values.numberOf(code), textsOf);
}

function knownValues(sources: readonly CodeSource[], { values }: KnownValues, numberOf: (place: number, code: number) => number, textsOf: TextsOf): AggregateValues {
  const texts = new Texts();
  const groups: (readonly number[])[] = [];
  const groupsOf = (place: number, code: number) => {
    const number = numberOf(place, code);
    return (groups[number] ??= textsOf(values[number]).map((text) => texts.numberOf(text)));
  };
  return { sources, groupsOf, propertyOf: (group) => texts.of(group) };
}

function companyValues(context: RowContext): AggregateValues {
  const dictionary = context.dictionaries.named("companyId");
  return { sources: [companySource(context)], groupsOf: (_place, code) => [code], propertyOf: (code) => dictionary.valueOf(code) };
}

function companySource({ companies, dictionaries, identities }: RowContext): CodeSource {
  assert(companies !== null, "companies were loaded (needsCompanies)");
  return {
    columns: [...COMPANY_READER_COLUMNS, ID_COLUMN],
    column: null,
    // Memberships may change before the next query.
    name: null,
    size: dictionaries.named("companyId").size,
    codesOf: (rows, selected) => {
      const reader = new CompanyReader(rows, identities, companies);
      return codesOfRows(rows, selected, (row) => reader.companyOf(row));
    },
  };
}

function touchValues(dimension: TouchDimension, context: RowContext): AggregateValues {
  const { touches } = context;
  const { labels } = touches;
  const source: CodeSource = {
    columns: touches.reader().columns,
    column: null,
    name: labels.name,
    get size() {
      return labels.count;
    },
    codesOf: (rows) => ({ kind: "dense", codes: labelNumbers(rows, touches) }),
  };
  return textValues([source], (_place, code) => [labels.labelOf(code)?.[dimension] ?? ""]);
}

function paymentTouchValues({ model, dimension }: Extract<Operand, { kind: "paymentTouch" }>, { known }: RowContext): AggregateValues {
  const labels = known.paymentTouch(model);
  const source: CodeSource = {
    columns: labels.columns,
    column: null,
    // Identities may change before the next query.
    name: null,
    get size() {
      return labels.size;
    },
    codesOf: (rows, selected) => {
      const labelOf = labels.of(rows);
      return codesOfRows(rows, selected, (row) => Math.max(labelOf(row), 0));
    },
  };
  return textValues([source], (_place, code) => [labels.textOf(code, dimension)]);
}

/** Times have no dictionary: those of selected rows are numbered in order of occurrence. */
function timeValues(): AggregateValues {
  const times = new EventTimes();
  const source: CodeSource = {
    columns: [TIME_COLUMN],
    column: null,
    name: null,
    get size() {
      return times.count;
    },
    codesOf: (rows, selected) => {
      const ms = rows.times();
      const numberOf = times.ofDay(dayStartMs(rows.day));
      return codesOfRows(rows, selected, (row) => numberOf(ms[row] ?? 0));
    },
  };
  return {
    sources: [source],
    distinct: { placesInOrder: (shownCount) => (shownCount * 8 >= times.count ? times.inOrder() : null) },
    groupsOf: (_place, code) => [code],
    propertyOf: (code) => flatText(isoOf(times.of(code))),
  };
}

/**
 * Ids have no dictionary: those of selected rows are numbered in order of occurrence, about 30 bytes each. Events of several projects may share one.
 * @param countMax maximum number of distinct ids
 */
export function idValues(countMax: number): AggregateValues {
  const numbers = new IdNumbers();
  const source: CodeSource = {
    columns: [ID_COLUMN],
    column: null,
    name: null,
    get size() {
      return numbers.count;
    },
    codesOf: (rows, selected) => {
      const ids = rows.ids();
      return codesOfRows(rows, selected, (row) => {
        const number = numbers.numberOf(ids, row * 16);
        if (number === countMax) throw tooManyValues("id");
        return number;
      });
    },
  };
  return { sources: [source], groupsOf: (_place, code) => [code], propertyOf: (code) => flatText(numbers.textOf(code)) };
}

function codesOfRows(rows: Rows, selected: Uint32Array, codeOf: (row: number) => number): CodeColumn {
  const codes = new Uint32Array(rows.rowCount);
  for (let at = 0; at < selected.length; at += 1) {
    const row = selected[at] ?? 0;
    codes[row] = codeOf(row);
  }
  return { kind: "dense", codes };
}

class IdNumbers {
  readonly #index = new IdIndex();
  #ids = new Uint8Array(1024 * 16);
  count = 0;

  numberOf(ids: Uint8Array, offset: number): number {
    const known = this.#index.find(this.#ids.subarray(0, this.count * 16), ids, offset, () => true);
    if (known >= 0) return known;
    if (this.#ids.length === this.count * 16) {
      this.#ids = grown(this.#ids, this.#ids.length * 2);
    }
    this.#ids.set(ids.subarray(offset, offset + 16), this.count * 16);
    this.count += 1;
    return this.count - 1;
  }

  textOf(number: number): string {
    return uuidText(this.#ids, number * 16);
  }
}

class Texts {
  /** From index 1 on: a text table never assigns code 0. */
  readonly #texts: string[] = [""];
  readonly #table = new TextTable(this.#texts);

  numberOf(text: string): number {
    const known = this.#table.codeOf(text);
    if (known > 0) return known - 1;
    const code = this.#texts.push(text) - 1;
    this.#table.add(text, code);
    return code - 1;
  }

  of(number: number): string {
    const text = this.#texts[number + 1];
    assert(text !== undefined, "a number stands for a text");
    return text;
  }
}
