import type { TrendBucket, ShownUnconverted } from "../api/answers.js";
import { Num } from "../../charts/figures.js";
import { Empty } from "../../charts/notice.js";
import { ViewLink } from "../parts/inline.js";
import { usePage } from "../parts/page-context.js";
import { noun, money, number, range, type FormattedNumber } from "../format/text.js";

interface TimeRemarksProps {
  readonly buckets: readonly TrendBucket[];
  /** Whether the figures count people. */
  readonly areUniques: boolean;
  readonly hasEarlier: boolean;
}

/** Remarks on figures over time: always one line, so that the layout does not shift. */
export function TimeRemarks({ buckets, areUniques, hasEarlier }: TimeRemarksProps) {
  const { scope } = usePage();
  const remarks: string[] = [];
  if (hasEarlier) remarks.push(`Dashed grey line: ${scope.compare === "previous_year" ? "a year ago" : "the previous period"}.`);
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (last?.partial === true) remarks.push(`The last ${scope.unit} is incomplete: not over yet, or cut off by the period.`);
  if (first !== last && first?.partial === true) remarks.push(`The first ${scope.unit} is incomplete: cut off by the period.`);
  if (scope.compare !== null && scope.to === scope.today)
    remarks.push("Changes are relative to whole days, but today is not over yet.");
  if (areUniques && scope.from !== scope.to)
    remarks.push("Visitors counted without cookies are new every day: over several days, they are the sum of the daily counts.");
  return <p class="remark">{remarks.join(" ")}</p>;
}

export function UnconvertedRemark({ unconverted }: { readonly unconverted: ShownUnconverted }) {
  if (unconverted.length === 0) return null;
  return (
    <p class="remark">
      Not included in these numbers, for lack of an exchange rate:{" "}
      {unconverted.map(({ currency, revenue, orders }, at) => (
        <span key={currency}>
          {at > 0 && ", "}
          <Num shown={formatted(revenue, currency)} /> (<Num shown={number(orders)} /> {noun(orders, "order")})
        </span>
      ))}
      .
    </p>
  );
}

/** Formats an amount. Currencies are as sent, and `Intl` rejects some of them. */
function formatted(revenue: number, currency: string): FormattedNumber {
  if (/^[A-Z]{3}$/.test(currency)) return money(revenue, currency);
  const { short, exact } = number(revenue);
  return { short: `${short} ${currency}`, exact: `${exact} ${currency}` };
}

export function NothingHere() {
  const { viewState, scope, extent } = usePage();
  const isOutside = extent !== null && ((scope.from !== null && scope.from > extent.to) || (scope.to !== null && scope.to < extent.from));
  return (
    <Empty title={viewState.filters.length > 0 && !isOutside ? "No events match these filters" : "No events in this period"}>
      {extent !== null && isOutside && <p>This project has events from {range(extent)}.</p>}
      <p class="row center">
        {viewState.filters.length > 0 && (
          <ViewLink to={{ ...viewState, filters: [] }} class="button">
            Clear filters
          </ViewLink>
        )}
        {extent !== null && (
          <ViewLink to={{ ...viewState, period: "all" }} class="button">
            All time
          </ViewLink>
        )}
      </p>
    </Empty>
  );
}
