import type { Series, TrendAnswer } from "../../ask/answers.js";
import { SERIES_COUNT } from "../../ask/questions/trends.js";
import { bucketLong, bucketShort } from "../../format/date.js";
import { noun } from "../../format/locale.js";
import { change, money, number, type Shown } from "../../format/number.js";
import { ChangeMark } from "../../parts/change-mark.js";
import { Remark } from "../../parts/notice.js";
import { Num } from "../../parts/number.js";
import { usePage } from "../../parts/page-context.js";
import { Legend, Plot } from "../../parts/plot.js";
import type { PlotLine } from "../../parts/plot-options.js";
import { Grid } from "../../parts/table.js";
import type { ChoicesOf } from "../../state/choices.js";
import { filterByValue } from "../../state/filter.js";
import { useFilterBy } from "../../parts/page-context.js";
import { NothingHere } from "../nothing-here.js";
import { TimeRemarks } from "../time-remarks.js";
import { UnconvertedRemark } from "../unconverted-remark.js";
import { seriesName } from "./series.js";

interface TrendShownProps {
  readonly answer: TrendAnswer;
  readonly chosen: ChoicesOf<"trends">;
}

/** The lines of a trend and their totals. */
export function TrendAnswerShown({ answer, chosen }: TrendShownProps) {
  const { scope } = usePage();
  const { buckets, series, rest, previous, currency } = answer;
  const show = (value: number | null): Shown => (currency === null ? number(value) : money(value, currency));
  if (buckets.length === 0 || series.every(({ counted }) => counted === 0)) return <NothingHere />;
  const isBroken = chosen.by !== "";
  const all = [
    ...series.map((each) => ({ ...each, name: seriesName(each.values, chosen.by) })),
    ...(rest === null || !isBroken ? [] : [{ ...rest, name: "All others" }]),
  ];
  const earlier = previous?.series[0];
  const lines: PlotLine[] = [
    ...(isBroken || earlier === undefined ? [] : [{ name: "Before", data: earlier.data, isEarlier: true }]),
    ...all.map(({ name, data }) => ({ name, data })),
  ];
  return (
    <>
      {isBroken ? (
        <Legend names={all.map(({ name }) => name)} />
      ) : (
        <Total total={series[0]?.total ?? null} before={earlier?.total ?? null} show={show} />
      )}
      <Plot
        label="Trend"
        kind={chosen.chart}
        isOpenEnd={buckets.at(-1)?.partial === true}
        labels={buckets.map(bucketShort)}
        titles={buckets.map((bucket) => bucketLong(bucket, scope.unit))}
        earlierTitles={(previous?.buckets ?? []).map((bucket) => bucketLong(bucket, scope.unit))}
        lines={lines}
        format={show}
      />
      <TimeRemarks buckets={buckets} areUniques={chosen.measure === "unique_users"} hasEarlier={!isBroken && earlier !== undefined} />
      <UnconvertedRemark unconverted={answer.unconverted} />
      {isBroken && <Totals all={all} previous={previous?.series ?? null} by={chosen.by} show={show} />}
      {isBroken && answer.value_count > SERIES_COUNT && (
        <Remark>
          <Num shown={number(answer.value_count)} /> {noun(answer.value_count, "value")} in all; the largest <Num shown={number(series.length)} /> are
          shown.
        </Remark>
      )}
    </>
  );
}

function Total({
  total,
  before,
  show,
}: {
  readonly total: number | null;
  readonly before: number | null;
  readonly show: (value: number | null) => Shown;
}) {
  return (
    <div class="figures alone">
      <div class="figure">
        <span class="figure-number">
          <Num shown={show(total)} hook="total" /> <ChangeMark change={change(total, before)} isCost={false} />
        </span>
      </div>
    </div>
  );
}

interface TotalsProps {
  readonly all: readonly (Series & { readonly name: string })[];
  readonly previous: readonly Series[] | null;
  readonly by: string;
  readonly show: (value: number | null) => Shown;
}

function Totals({ all, previous, by, show }: TotalsProps) {
  const filterBy = useFilterBy();
  const beforeOf = (values: readonly string[]) => previous?.find((each) => each.values[0] === values[0])?.total ?? null;
  return (
    <Grid
      label="Totals"
      rows={all}
      keyOf={({ values, name }) => JSON.stringify([values, name])}
      columns={[
        {
          name: "Value",
          cell: ({ name, values }) =>
            values.length === 0 ? (
              name
            ) : (
              <button type="button" class="cell-button" onClick={() => filterBy(filterByValue(by, values[0] ?? ""))}>
                {name}
              </button>
            ),
        },
        { name: "Total", isNumber: true, cell: ({ total }) => <Num shown={show(total)} /> },
        {
          name: "Change",
          isNumber: true,
          cell: ({ total, values }) => (values.length === 0 ? null : <ChangeMark change={change(total, beforeOf(values))} isCost={false} />),
        },
        { name: "Counted", isNumber: true, cell: ({ counted }) => <Num shown={number(counted)} /> },
      ]}
    />
  );
}
