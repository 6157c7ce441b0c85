import type { Unconverted } from "../ask/answers.js";
import { plural } from "../format/locale.js";
import { money } from "../format/number.js";
import { Remark } from "../parts/notice.js";

/** Money without a rate, which is part of no other number. */
export function UnconvertedRemark({ unconverted }: { readonly unconverted: Unconverted }) {
  if (unconverted.length === 0) return null;
  const told = unconverted.map(({ currency, revenue, orders }) => `${shownIn(revenue, currency)} (${plural(orders, "order")})`);
  return <Remark>Not in these numbers, because there is no rate for it: {told.join(", ")}.</Remark>;
}

/** Currencies are what senders wrote: some are none that `Intl` takes. */
function shownIn(revenue: number, currency: string): string {
  return /^[A-Z]{3}$/.test(currency) ? money(revenue, currency).exact : `${revenue} ${currency}`;
}
