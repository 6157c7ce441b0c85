import { AMOUNT_KEYS, CURRENCY_KEY, ORDER_KEYS, REFUND_KEY } from "../../storage/derived/stored.js";
import { TAG } from "../sql/tags.js";
import { keyColumn } from "./metadata-columns.js";

/** What an event has to do with money, under any rules: nothing, an amount that counts in any event, or one that counts in payments only. */
export const MONEY_KIND = { none: 0, anyEvent: 1, paymentOnly: 2 } as const;

const tagged = (key: string) => `ifNull(metadata.${keyColumn(key)}.:String, '')`;
const isNumber = (key: string) => `startsWith(${tagged(key)}, '${TAG.number}')`;
const body = (key: string) => `substring(${tagged(key)}, 2)`;
const isText = (key: string) => `startsWith(${tagged(key)}, '${TAG.text}')`;
const [inAnyEvent, ...inPayments] = AMOUNT_KEYS;

const KIND = `multiIf(value != '' OR ${isNumber(inAnyEvent)}, ${MONEY_KIND.anyEvent},
    ${inPayments.map(isNumber).join(" OR ")}, ${MONEY_KIND.paymentOnly}, ${MONEY_KIND.none})`;

const AMOUNT = `multiIf(value != '', value, ${AMOUNT_KEYS.map((key) => `${isNumber(key)}, ${body(key)}`).join(", ")}, '')`;

/** A non-empty text, or a number. */
const isKey = (key: string) => `${tagged(key)} != '${TAG.text}' AND (${isText(key)} OR ${isNumber(key)})`;
const ORDER_KEY = `multiIf(externalId != '', externalId, ${ORDER_KEYS.map((key) => `${isKey(key)}, ${body(key)}`).join(", ")}, '')`;

const CURRENCIES = `[toString(currency), if(${isText(CURRENCY_KEY)}, ${body(CURRENCY_KEY)}, '')]`;

/** Members of a payment: name, type, value for an event with money, and value for any other. */
const MEMBERS: readonly (readonly [name: string, type: string, value: string, none: string])[] = [
  ["id", "UUID", "id", "toUUID('00000000-0000-0000-0000-000000000000')"],
  ["ms", "UInt64", "ms", "0"],
  ["day", "UInt32", "day", "0"],
  ["project", "LowCardinality(String)", "project", "''"],
  ["userId", "String", "userId", "''"],
  ["anonymousId", "String", "anonymousId", "''"],
  ["companyId", "String", "companyId", "''"],
  ["amount", "String", AMOUNT, "''"],
  ["orderKey", "String", ORDER_KEY, "''"],
  ["currencies", "Array(String)", CURRENCIES, "[]"],
];

/** Members that have the name of their column of events. */
export const MONEY_MEMBERS: readonly string[] = MEMBERS.filter(([name, , value]) => name === value).map(([name]) => name);

const tuple = (values: readonly string[]) => `tuple(${values.join(", ")})`;

/** Derived columns: empty in most rows. */
export const MONEY_COLUMNS: readonly (readonly [name: string, type: string])[] = [
  ["moneyKind", `UInt8 MATERIALIZED ${KIND}`],
  ["money", `Tuple(${MEMBERS.map(([name, type]) => `${name} ${type}`).join(", ")}) MATERIALIZED
    if(moneyKind = ${MONEY_KIND.none}, ${tuple(MEMBERS.map(([, , , none]) => none))}, ${tuple(MEMBERS.map(([, , value]) => value))})`],
  ["refundId", `String MATERIALIZED if(moneyKind != ${MONEY_KIND.none} AND ${isKey(REFUND_KEY)}, ${body(REFUND_KEY)}, '')`],
];

/** The columns of the projection `money`: a GROUP BY with the same columns reads its few rows. */
export const MONEY_GROUP = MONEY_COLUMNS.map(([column]) => column).join(", ");
