/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and codes are bounded by their columns */
import { numberIn } from "../../../core/base/arrays.js";
import { dayStartMs } from "../../../core/base/time.js";
import { codeAt, type CodeColumn } from "../../../storage/column/column.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import type { Dictionary, JsonDictionary } from "../../../storage/column/dictionary.js";
import { AMOUNT_KEYS, CURRENCY_KEY, MONEY_FIELDS, MONEY_KEYS, ORDER_KEYS, REFUND_KEY, columnsOfKeys } from "../../../storage/derived/stored.js";
import type { RevenueRule } from "../../plan/plan.js";
import { SEQUENCE_COLUMN, TIME_COLUMN, metadataColumn } from "../../../core/schema/fields.js";
import { actorOf, type RowsSummary } from "../../../storage/segment/summaries.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { isNegative, moneyOfNumber, negated, type Money } from "../../answer/money.js";

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
  /** Number of the project and order key; -1 without an order key. */
  readonly orders: Int32Array;
  /** Number of what duplicates share: for a payment its order, for a refund its order and own id; -1 without one. */
  readonly keys: Int32Array;
  readonly currencies: readonly string[];
}

/** Whether any row may have an amount, by the zone maps alone. */
export function hasAmounts(rows: Rows, dictionaries: Dictionaries): boolean {
  return ["value", ...columnsOfKeys(AMOUNT_KEYS, dictionaries)].some((column) => rows.zone(column) !== null);
}

export function loadMoney(rows: Rows, dictionaries: Dictionaries): Promise<void> | null {
  return rows.load([TIME_COLUMN, SEQUENCE_COLUMN, ...MONEY_FIELDS, ...columnsOfKeys(MONEY_KEYS, dictionaries)]);
}

/** The columns must be loaded. Cost: a read of the rows with amounts. @param numbers of orders, and of refunds with an id */
export function revenueFactsOf(rows: RowsSummary, rule: RevenueRule, dictionaries: Dictionaries, numbers: Map<string, number>): RevenueFacts {
  const reader = new RevenueReader(rows, rule, dictionaries);
  const amounts: Money[] = [];
  const kept: number[] = [];
  for (const row of reader.candidates()) {
    const amount = reader.amountOf(row);
    if (amount === null) continue;
    kept.push(row);
    amounts.push(amount);
  }
  if (kept.length === 0) return NO_FACTS;
  const start = dayStartMs(rows.day);
  const times = rows.times();
  const sequences = rows.sequences();
  const [users, anonymous, projects, companies] = ["userId", "anonymousId", "project", "companyId"].map((name) => rows.column(name));
  const refunds = Uint8Array.from(kept, (row, at) => Number(isNegative(amounts[at]!) || reader.isNamedRefund(row)));
  const [orders, keys] = [new Int32Array(kept.length), new Int32Array(kept.length)];
  for (const [at, row] of kept.entries()) {
    const [project, order] = [codeAt(projects!, row), reader.orderKeyOf(row)];
    const refundId = refunds[at] === 1 ? reader.refundIdOf(row) : null;
    orders[at] = order === "" ? -1 : numberIn(numbers, `+${project} ${order}`);
    keys[at] = refundId === null ? orders[at]! : refundId === "" ? -1 : numberIn(numbers, `-${project} ${order.length} ${order}${refundId}`);
  }
  return {
    sequences: Uint32Array.from(kept, (row) => sequences[row]!),
    times: Float64Array.from(kept, (row) => start + times[row]!),
    actors: Uint32Array.from(kept, (row) => actorOf(codeAt(users!, row), codeAt(anonymous!, row))),
    projects: Uint32Array.from(kept, (row) => codeAt(projects!, row)),
    companies: Uint32Array.from(kept, (row) => codeAt(companies!, row)),
    amounts,
    refunds,
    orders,
    keys,
    currencies: kept.map((row) => reader.currencyOf(row)),
  };
}

const NO_CODES = new Uint32Array(0);
export const NO_FACTS: RevenueFacts = {
  sequences: NO_CODES, times: new Float64Array(0), actors: NO_CODES, projects: NO_CODES, companies: NO_CODES,
  amounts: [], refunds: new Uint8Array(0), orders: new Int32Array(0), keys: new Int32Array(0), currencies: [],
};

/** The amount of a value that is a JSON number, else null. Amounts rarely repeat, so none is cached. */
function moneyOf(dictionary: Dictionary, code: number): Money | null {
  const text = code === 0 ? "" : dictionary.valueOf(code);
  return /^-?\d/.test(text) ? moneyOfNumber(text) : null;
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
  readonly #externalIds: CodeColumn;
  readonly #currencies: CodeColumn;
  readonly #orderKeys: readonly (KeyColumn | null)[];
  readonly #refundKey: KeyColumn | null;
  readonly #currencyKey: KeyColumn | null;
  readonly #currencyOfText = new Map<string, string>();

  constructor(rows: RowsSummary, rule: RevenueRule, dictionaries: Dictionaries) {
    super(rows, rule, dictionaries);
    this.#externalIds = rows.column("externalId");
    this.#currencies = rows.column("currency");
    this.#orderKeys = ORDER_KEYS.map((key) => this.key(key));
    this.#refundKey = this.key(REFUND_KEY);
    this.#currencyKey = this.key(CURRENCY_KEY);
  }

  orderKeyOf(row: number): string {
    const externalId = codeAt(this.#externalIds, row);
    if (externalId !== 0) return this.dictionaries.named("externalId").valueOf(externalId);
    for (const key of this.#orderKeys) {
      const text = keyTextOf(jsonAt(key, row));
      if (text !== "") return text;
    }
    return "";
  }

  refundIdOf(row: number): string {
    return keyTextOf(jsonAt(this.#refundKey, row));
  }

  /** Three letters in upper case, other text unchanged; without any, the reporting currency. Equal texts give one string. */
  currencyOf(row: number): string {
    const field = this.dictionaries.named("currency").valueOf(codeAt(this.#currencies, row)).trim();
    const inMetadata = field === "" ? jsonAt(this.#currencyKey, row) : null;
    const text = typeof inMetadata === "string" ? inMetadata.trim() : field;
    if (text === "") return this.rule.currency;
    let currency = this.#currencyOfText.get(text);
    if (currency === undefined) {
      currency = /^[a-z]{3}$/i.test(text) ? text.toUpperCase() : text;
      this.#currencyOfText.set(text, currency === this.rule.currency ? this.rule.currency : currency);
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
