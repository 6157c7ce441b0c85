import type { FormattedNumber, NumberChange } from "./format.js";

export const ARROWS = { up: "M8 13V3M3.5 7.5 8 3l4.5 4.5", down: "M8 3v10M3.5 8.5 8 13l4.5-4.5" } as const;

/** @param path in a square of 16 by 16 */
export function Glyph({ path }: { readonly path: string }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={path} />
    </svg>
  );
}

/** A number: short on the page, exact on hover and for screen readers. @param figure value of `data-figure`, for tests */
export function Num({ shown, figure }: { readonly shown: FormattedNumber; readonly figure?: string }) {
  const isExact = shown.short === shown.exact;
  return (
    <span class="num" title={shown.exact} data-figure={figure} data-exact={shown.exact}>
      <span aria-hidden={isExact ? undefined : "true"}>{shown.short}</span>
      {isExact ? null : <span class="unseen">{shown.exact}</span>}
    </span>
  );
}

export function BigNum(props: { readonly shown: FormattedNumber; readonly figure: string }) {
  return (
    <span class="figure-number">
      <Num {...props} />
    </span>
  );
}

/** The change of a figure: an arrow and a percentage, green if better, red if worse, gray if unchanged. @param isCost whether lower is better */
export function ChangeMark({ change: shown, isCost }: { readonly change: NumberChange | null; readonly isCost: boolean }) {
  if (shown === null) return null;
  const { direction, short, exact } = shown;
  const tone = direction === "same" ? "same" : (direction === "up") === isCost ? "bad" : "good";
  return (
    <span class={`change ${tone}`} title={exact}>
      {direction !== "same" && <Glyph path={ARROWS[direction]} />}
      <span class="unseen">{direction === "same" ? "unchanged" : direction} </span>
      {short}
    </span>
  );
}
