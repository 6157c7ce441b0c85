import type { NumberChange } from "../format/number.js";
import { Icon } from "./icon.js";

/** The change of a figure: an arrow and a share, coloured as good or bad news. */
export function ChangeMark({ change, isCost }: { readonly change: NumberChange | null; readonly isCost: boolean }) {
  if (change === null) return null;
  const { direction, short, exact } = change;
  const news = direction === "same" ? "same" : (direction === "up") === isCost ? "bad" : "good";
  return (
    <span class={`change ${news}`} title={exact}>
      {direction !== "same" && <Icon name={direction} />}
      <span class="unseen">{direction === "same" ? "unchanged" : direction} </span>
      {short}
    </span>
  );
}
