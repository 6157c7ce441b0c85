import type { FormattedNumber } from "../format/number.js";

/** A number: short on the page, exact on hover and for screen readers. */
export function Num({ shown, hook }: { readonly shown: FormattedNumber; readonly hook?: string }) {
  const isExact = shown.short === shown.exact;
  return (
    <span class="num" title={shown.exact} data-figure={hook} data-exact={shown.exact}>
      <span aria-hidden={isExact ? undefined : "true"}>{shown.short}</span>
      {isExact ? null : <span class="unseen">{shown.exact}</span>}
    </span>
  );
}
