import type { TrendAnswer, WebAnswer } from "../../ask/answers.js";
import { bucketLong, bucketShort } from "../../format/date.js";
import { number } from "../../format/number.js";
import { usePage } from "../../parts/page-context.js";
import { Plot } from "../../parts/plot.js";
import { TimeRemarks } from "../time-remarks.js";

interface OverviewPlotProps {
  readonly answer: WebAnswer;
  readonly figure: "visitors" | "visits" | "views";
  readonly earlier: TrendAnswer["previous"];
}

const NAMES = { visitors: "Visitors", visits: "Visits", views: "Views" } as const;

/** The course of one figure. */
export function OverviewPlot({ answer, figure, earlier }: OverviewPlotProps) {
  const { scope } = usePage();
  const buckets = answer.chart ?? [];
  const before = earlier?.series[0];
  if (buckets.length === 0) return <div class="plot" />;
  return (
    <>
      <Plot
        label={`${NAMES[figure]} over time`}
        kind="line"
        isOpenEnd={buckets.at(-1)?.partial === true}
        labels={buckets.map(bucketShort)}
        titles={buckets.map((bucket) => bucketLong(bucket, scope.unit))}
        earlierTitles={(earlier?.buckets ?? []).map((bucket) => bucketLong(bucket, scope.unit))}
        lines={[
          ...(before === undefined ? [] : [{ name: "Before", data: before.data, isEarlier: true }]),
          { name: NAMES[figure], data: buckets.map((bucket) => bucket[figure]) },
        ]}
        format={number}
      />
      <TimeRemarks buckets={buckets} areUniques={figure === "visitors"} hasEarlier={scope.compare !== null && figure !== "views"} />
    </>
  );
}
