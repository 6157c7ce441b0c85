/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and codes are bounded by their columns */
import { dayStartMs } from "../../../core/base/time.js";
import { codeAt, codesOfRows, type CodeColumn } from "../../../storage/column/column.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import type { Dictionary } from "../../../storage/column/dictionary.js";
import type { JsonDictionary } from "../../../storage/column/json-dictionary.js";
import { AMOUNT_KEYS, CURRENCY_KEY, MONEY_FIELDS, MONEY_KEYS, ORDER_KEYS, REFUND_KEY, columnsOfKeys } from "../../../storage/derived/stored.js";
import type { RevenueRule } from "../../plan/plan.js";
import { SEQUENCE_COLUMN, TIME_COLUMN, metadataColumn } from "../../../core/schema/fields.js";
import { actorOf, type RowsSummary } from "../../../storage/segment/summaries.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { isNegative, moneyOfNumber, negated, type Money } from "../../answer/money.js";
import type { OrderNumbers } from "./order-numbers.js";

/** Revenue events of one segment or head, by ascending row: 45 bytes each; about one event in a hundred is one. */
export interface RevenueFacts {
  readonly sequences: Uint32Array;
  /** Epoch ms. */
  readonly times: Float64Array;
  readonly actors: Uint32Array;
  readonly projects: Uint32Array;
  /** The company that the event names itself; 0 for none. */
  readonly companies: Uint32Array;
  readonly amounts: readonly Money[];
  /** 1 for a negative amount or a refund slug. */
  readonly refunds: Uint8Array;
  /** Number of the project and order key; 0 without an order key. */
  readonly orders: Uint32Array;
  /** Number of what duplicates share: for a payment its order, for a refund its order and own id; 0 without one. */
  readonly keys: Uint32Array;
  readonly currencies: readonly string[];
}

/** Whether any row may have an amount, by the zone maps alone. */
export function hasAmounts(rows: Rows, dictionaries: Dictionaries): boolean {
  return ["value", ...columnsOfKeys(AMOUNT_KEYS, dictionaries)].some((column) => rows.zone(column) !== null);
}

export function loadMoney(rows: Rows, dictionaries: Dictionaries): Promise<void> | null {
  return rows.load([TIME_COLUMN, SEQUENCE_COLUMN, ...MONEY_FIELDS, ...columnsOfKeys(MONEY_KEYS, dictionaries)]);
}

/** The columns must be loaded. Cost: a read of the rows with amounts. */
export function revenueFactsOf(rows: RowsSummary, rule: RevenueRule, dictionaries: Dictionaries, numbers: OrderNumbers): RevenueFacts {
  const reader = new RevenueReader(rows, rule, dictionaries);
  const amounts: Money[] = [];
  const kept: number[] = [];
  for (const row of reader.candidates()) {
    const amount = reader.amountOf(row);
    if (amount === null) continue;
    kept.push(row);
    amounts.push(amount);
  }
  const count = kept.length;
  if (count === 0) return NO_FACTS;
  const [start, times, sequences] = [dayStartMs(rows.day), rows.times(), rows.sequences()];
  const codesOf = (name: string) => codesOfRows(rows.column(name), kept);
  const [users, anonymous, externalIds, currencies] = [codesOf("userId"), codesOf("anonymousId"), codesOf("externalId"), codesOf("currency")];
  const facts = {
    sequences: new Uint32Array(count),
    times: new Float64Array(count),
    actors: new Uint32Array(count),
    projects: codesOf("project"),
    companies: codesOf("companyId"),
    amounts,
    refunds: new Uint8Array(count),
    orders: new Uint32Array(count),
    keys: new Uint32Array(count),
    currencies: [] as string[],
  };
  for (let at = 0; at < count; at += 1) {
    const [row, project] = [kept[at]!, facts.projects[at]!];
    const isRefund = isNegative(amounts[at]!) || reader.isNamedRefund(row);
    const order = reader.orderOf(row, project, externalIds[at]!, numbers);
    facts.sequences[at] = sequences[row]!;
    facts.times[at] = start + times[row]!;
    facts.actors[at] = actorOf(users[at]!, anonymous[at]!);
    facts.refunds[at] = isRefund ? 1 : 0;
    facts.orders[at] = order;
    facts.keys[at] = isRefund ? reader.refundOf(row, project, order, numbers) : order;
    facts.currencies.push(reader.currencyOf(row, currencies[at]!));
  }
  return facts;
}

const [DIGIT_0, DIGIT_9] = [48, 57];
const NO_CODES = new Uint32Array(0);
export const NO_FACTS: RevenueFacts = {
  sequences: NO_CODES, times: new Float64Array(0), actors: NO_CODES, projects: NO_CODES, companies: NO_CODES,
  amounts: [], refunds: new Uint8Array(0), orders: NO_CODES, keys: NO_CODES, currencies: [],
};

/** The amount of a value that is a JSON number, else null. Amounts rarely repeat, so none is cached. */
function moneyOf(dictionary: Dictionary, code: number): Money | null {
  const text = code === 0 ? "" : dictionary.valueOf(code);
  const first = text.charCodeAt(text.startsWith("-") ? 1 : 0);
  return first >= DIGIT_0 && first <= DIGIT_9 ? moneyOfNumber(text) : null;
}

interface KeyColumn {
  readonly column: CodeColumn;
  readonly dictionary: JsonDictionary;
}

/** Reads the amounts of single rows, whose columns of slugs and amounts must be loaded. */
export class AmountReader {
  readonly #values: CodeColumn;
  readonly #slugs: CodeColumn;
  readonly #amountKeys: readonly (KeyColumn | null)[];
  readonly #paymentSlugs: ReadonlySet<number>;
  readonly #refundSlugs: ReadonlySet<number>;

  constructor(
    readonly rows: RowsSummary,
    readonly rule: RevenueRule,
    readonly dictionaries: Dictionaries,
  ) {
    this.#values = rows.column("value");
    this.#slugs = rows.column("slug");
    this.#amountKeys = AMOUNT_KEYS.map((key) => this.key(key));
    const slugs = dictionaries.named("slug");
    const codes = (texts: readonly string[]) => new Set(texts.map((text) => slugs.codeOf(text)).filter((code) => code > 0));
    this.#paymentSlugs = codes([...rule.paymentSlugs, ...rule.refundSlugs]);
    this.#refundSlugs = codes(rule.refundSlugs);
  }

  /** Ascending rows with a value, or with a metadata key that may hold an amount. */
  candidates(): number[] {
    const marks = new Uint8Array(this.rows.rowCount);
    for (const column of [this.#values, ...this.#amountKeys.flatMap((key) => (key === null ? [] : [key.column]))]) {
      const { codes } = column;
      for (let at = 0; at < codes.length; at += 1) if (codes[at] !== 0) marks[column.kind === "sparse" ? column.rows[at]! : at] = 1;
    }
    const found: number[] = [];
    for (let row = marks.indexOf(1); row !== -1; row = marks.indexOf(1, row + 1)) found.push(row);
    return found;
  }

  /** Null for an event that is no revenue. */
  amountOf(row: number): Money | null {
    const isNamed = this.#paymentSlugs.has(codeAt(this.#slugs, row));
    const amount = moneyOf(this.dictionaries.named("value"), codeAt(this.#values, row)) ?? this.#metadataAmount(row, isNamed);
    return amount === null || isNegative(amount) || !this.isNamedRefund(row) ? amount : negated(amount);
  }

  isNamedRefund(row: number): boolean {
    return this.#refundSlugs.has(codeAt(this.#slugs, row));
  }

  protected key(key: string): KeyColumn | null {
    const code = this.dictionaries.knownKeyCode(key);
    return code < 0 ? null : { column: this.rows.column(metadataColumn(code)), dictionary: this.dictionaries.ofKey(code) };
  }

  #metadataAmount(row: number, isNamed: boolean): Money | null {
    for (const key of isNamed ? this.#amountKeys : this.#amountKeys.slice(0, 1)) {
      const amount = key === null ? null : moneyOf(key.dictionary, codeAt(key.column, row));
      if (amount !== null) return amount;
    }
    return null;
  }
}

class RevenueReader extends AmountReader {
  readonly #orderKeys: readonly (KeyColumn | null)[];
  readonly #refundKey: KeyColumn | null;
  readonly #currencyKey: KeyColumn | null;
  /** By code of the field; `""` for a blank one. */
  readonly #currencyOfCode: (string | undefined)[] = [];
  readonly #currencyOfText = new Map<string, string>();

  constructor(rows: RowsSummary, rule: RevenueRule, dictionaries: Dictionaries) {
    super(rows, rule, dictionaries);
    this.#orderKeys = ORDER_KEYS.map((key) => this.key(key));
    this.#refundKey = this.key(REFUND_KEY);
    this.#currencyKey = this.key(CURRENCY_KEY);
  }

  /** The number of an order; 0 for a payment without one. */
  orderOf(row: number, project: number, externalId: number, numbers: OrderNumbers): number {
    if (externalId !== 0) return numbers.ofId(project, externalId);
    for (const key of this.#orderKeys) {
      const text = keyTextOf(jsonAt(key, row));
      if (text !== "") return numbers.ofText(project, text);
    }
    return 0;
  }

  /** The number of a refund; 0 for one without an id. */
  refundOf(row: number, project: number, order: number, numbers: OrderNumbers): number {
    const id = keyTextOf(jsonAt(this.#refundKey, row));
    return id === "" ? 0 : numbers.ofRefund(project, order, id);
  }

  /** Three letters in upper case, other text unchanged; without any, the reporting currency. */
  currencyOf(row: number, code: number): string {
    const currency = (this.#currencyOfCode[code] ??= this.#currencyNamed(this.dictionaries.named("currency").valueOf(code)));
    if (currency !== "") return currency;
    const inMetadata = jsonAt(this.#currencyKey, row);
    return (typeof inMetadata === "string" ? this.#currencyNamed(inMetadata) : "") || this.rule.currency;
  }

  /** Equal texts give one string, and the reporting currency its own: comparing it to itself is fastest. */
  #currencyNamed(given: string): string {
    let currency = this.#currencyOfText.get(given);
    if (currency === undefined) {
      const text = given.trim();
      currency = /^[a-z]{3}$/i.test(text) ? text.toUpperCase() : text;
      if (currency === this.rule.currency) ({ currency } = this.rule);
      this.#currencyOfText.set(given, currency);
    }
    return currency;
  }
}

function jsonAt(key: KeyColumn | null, row: number): unknown {
  return key === null ? null : key.dictionary.json(codeAt(key.column, row));
}

function keyTextOf(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? JSON.stringify(value) : "";
}
