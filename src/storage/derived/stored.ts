import type { Dictionaries } from "../column/dictionaries.js";
import { metadataColumn } from "../../core/schema/fields.js";
import type { SummaryRule } from "../segment/summaries.js";

/** Metadata keys of amounts (the first counts in any event, the others in payments and refunds), of orders, refund ids and the currency. */
export const AMOUNT_KEYS = ["revenue", "value", "amount"] as const;
export const ORDER_KEYS = ["order_id", "transaction_id"] as const;
export const REFUND_KEY = "refund_id";
export const CURRENCY_KEY = "currency";

export const PAYMENTS_SUMMARY = "payments";

export const MONEY_FIELDS = ["slug", "value", "currency", "externalId", "project", "userId", "anonymousId", "companyId"] as const;

export const MONEY_KEYS = [...AMOUNT_KEYS, ...ORDER_KEYS, REFUND_KEY, CURRENCY_KEY] as const;

/** Columns of metadata keys, without keys that no event has. */
export function columnsOfKeys(keys: readonly string[], dictionaries: Dictionaries): string[] {
  return keys.map((key) => dictionaries.knownKeyCode(key)).filter((code) => code >= 0).map(metadataColumn);
}

/** The summary that seals and compactions write with a segment, for new processes. @param slugs of payments and refunds, ascending */
export function paymentsSummary(dictionaries: Dictionaries, slugs: readonly string[]): SummaryRule {
  const known = dictionaries.named("slug");
  const codes = slugs.map((slug) => known.codeOf(slug)).filter((code) => code > 0);
  return {
    name: PAYMENTS_SUMMARY,
    of: slugs,
    takes: [
      { columns: ["value", ...columnsOfKeys(AMOUNT_KEYS.slice(0, 1), dictionaries)] },
      { columns: columnsOfKeys(AMOUNT_KEYS.slice(1), dictionaries), where: { column: "slug", codes } },
    ],
    columns: [...MONEY_FIELDS, ...columnsOfKeys(MONEY_KEYS, dictionaries)],
  };
}
