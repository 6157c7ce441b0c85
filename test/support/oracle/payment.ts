import { parameterError } from "../../../src/core/base/errors.js";
import { isCurrency, normalCurrency } from "./currency.js";
import { scaled, type Exact } from "./decimal.js";
import type { OracleEvent } from "./event.js";
import type { Rules } from "./rules.js";

/** An event that is money, a duplicate or not. */
export interface Payment {
  readonly event: OracleEvent;
  /** Signed, in 10^-12 of `currency`. */
  readonly picos: bigint;
  /** Negative, or named so. */
  readonly isRefund: boolean;
  readonly currency: string;
  /** `""` where the event names no order. */
  readonly orderKey: string;
  /** The id of the refund itself; `""` where it has none, and for what is no refund. */
  readonly refundId: string;
}

/** The money in an event; null where it holds none. */
export function paymentOf(event: OracleEvent, rules: Rules): Payment | null {
  const amount = amountOf(event, rules);
  if (amount === null) return null;
  const picos = scaled(amount, 12);
  const isRefund = picos < 0n || rules.refundSlugs.includes(event.record.slug);
  return {
    event,
    picos: isRefund && picos > 0n ? -picos : picos,
    isRefund,
    currency: currencyOf(event, rules.currency),
    orderKey: firstText([event.externalId, event.record.metadata["order_id"], event.record.metadata["transaction_id"]]),
    refundId: isRefund ? firstText([event.record.metadata["refund_id"]]) : "",
  };
}

function amountOf({ value, record: { slug, metadata } }: OracleEvent, rules: Rules): number | null {
  if (value !== null) return value;
  const isNamed = [...rules.paymentSlugs, ...rules.refundSlugs].includes(slug);
  const candidates = isNamed ? [metadata["revenue"], metadata["value"], metadata["amount"]] : [metadata["revenue"]];
  return candidates.find((candidate) => typeof candidate === "number") ?? null;
}

function currencyOf({ currency, record: { metadata } }: OracleEvent, reporting: string): string {
  const other = metadata["currency"];
  return normalCurrency(currency.trim() || (typeof other === "string" ? other.trim() : "") || reporting);
}

/** The first of some keys that is a text or a number, as a text. */
function firstText(keys: readonly unknown[]): string {
  const texts = keys.map((key) => (typeof key === "number" ? JSON.stringify(key) : typeof key === "string" ? key : ""));
  return texts.find((text) => text !== "") ?? "";
}

/**
 * The payments that count, in order of time and id: of those with one project and order key the first alone, of refunds with one project, order key
 * and id of the refund. `payments` come in that order.
 */
export function countedPayments(payments: readonly Payment[]): Payment[] {
  const seen = new Set<string>();
  return payments.filter(({ event, orderKey, refundId, isRefund }) => {
    const key = JSON.stringify([event.record.project, orderKey, isRefund, refundId]);
    const hasKey = isRefund ? refundId !== "" : orderKey !== "";
    if (hasKey && seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** A payment in the reporting currency; null where no rate is known. @throws invalid_parameter (a rate that is none) */
export function convertedAmount({ event, picos, currency }: Payment, { currency: reporting, rates }: Rules): Exact | null {
  if (currency === reporting) return picos * 10n ** 18n;
  const rate = isCurrency(currency) ? rates(currency, reporting, event.record.createdAt.slice(0, 10)) : undefined;
  if (rate === undefined) return null;
  if (!(rate > 0 && rate < Infinity)) throw parameterError("invalid_parameter", "rates", `expected a rate above 0, got ${rate}`);
  return picos * scaled(rate, 18);
}
