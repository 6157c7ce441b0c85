import type { ShownUnconverted } from "../ask/answers.js";
import { noun } from "../format/locale.js";
import { money, number, type FormattedNumber } from "../format/number.js";
import { Remark } from "../parts/notice.js";
import { Num } from "../parts/number.js";

/** Money without a rate, which no other number includes. */
export function UnconvertedRemark({ unconverted }: { readonly unconverted: ShownUnconverted }) {
  if (unconverted.length === 0) return null;
  return (
    <Remark>
      Not included in these numbers, for lack of an exchange rate:{" "}
      {unconverted.map(({ currency, revenue, orders }, at) => (
        <span key={currency}>
          {at > 0 && ", "}
          <Num shown={shownIn(revenue, currency)} /> (<Num shown={number(orders)} /> {noun(orders, "order")})
        </span>
      ))}
      .
    </Remark>
  );
}

/** Currencies are as sent, and `Intl` rejects some of them. */
function shownIn(revenue: number, currency: string): FormattedNumber {
  if (/^[A-Z]{3}$/.test(currency)) return money(revenue, currency);
  const { short, exact } = number(revenue);
  return { short: `${short} ${currency}`, exact: `${exact} ${currency}` };
}
