import type { TrendAnswer } from "../../ask/answers.js";
import { revenueTrendQuery } from "../../ask/queries/overview.js";
import { bucketLong, bucketShort } from "../../format/date.js";
import { change, money } from "../../format/number.js";
import { sheetOfSeries } from "../../format/sheet.js";
import { ChangeMark, Num } from "../../parts/inline.js";
import { usePage, useQuery } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { Plot } from "../../parts/plot.js";
import { TimeRemarks, UnconvertedRemark } from "../remarks.js";

/** Revenue over time; hidden without payments. It comes last, so that the layout does not shift when it appears. */
export function OverviewRevenue() {
  const { scope } = usePage();
  const result = useQuery(revenueTrendQuery(scope));
  const { answer } = result;
  if (answer === null || (answer.series[0]?.counted === 0 && answer.unconverted.length === 0)) return null;
  return (
    <Panel
      title="Revenue"
      result={result}
      sheet={({ buckets, series }) =>
        sheetOfSeries(
          buckets,
          series.map(({ data }) => ({ name: "revenue", data })),
        )
      }
    >
      {(shown) => <RevenueOverTime answer={shown} />}
    </Panel>
  );
}

/** The total revenue, and its plot. */
export function RevenueOverTime({ answer }: { readonly answer: TrendAnswer }) {
  const { scope } = usePage();
  const { buckets, series, previous, currency } = answer;
  const total = series[0]?.total ?? null;
  const earlier = previous?.series[0] ?? null;
  return (
    <>
      <div class="figures alone">
        <div class="figure">
          <span class="figure-number">
            <Num shown={money(total, currency)} figure="revenue" />
          </span>
          <ChangeMark change={change(total, earlier?.total ?? null)} isCost={false} />
        </div>
      </div>
      {buckets.length > 0 && (
        <Plot
          label="Revenue over time"
          kind="bar"
          isOpenEnd={buckets.at(-1)?.partial === true}
          labels={buckets.map(bucketShort)}
          titles={buckets.map((bucket) => bucketLong(bucket, scope.unit))}
          earlierTitles={(previous?.buckets ?? []).map((bucket) => bucketLong(bucket, scope.unit))}
          lines={[
            ...(earlier === null ? [] : [{ name: "Previous", data: earlier.data, isEarlier: true }]),
            { name: "Revenue", data: series[0]?.data ?? [] },
          ]}
          format={(value) => money(value, currency)}
        />
      )}
      <TimeRemarks buckets={buckets} areUniques={false} hasEarlier={earlier !== null} />
      <UnconvertedRemark unconverted={answer.unconverted} />
    </>
  );
}
