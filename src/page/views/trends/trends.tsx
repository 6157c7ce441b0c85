import { takesField, trendQuery, SERIES_COUNT } from "../../ask/queries/product.js";
import { canRead } from "../../ask/rights.js";
import { sheetOfSeries } from "../../format/sheet.js";
import { fieldName, fieldValue, noun } from "../../format/value.js";
import { Checkbox, Select, FieldRow, TextField, FIELD_SUGGESTIONS, useEventNames } from "../../parts/field.js";
import { Empty, Remark } from "../../parts/notice.js";
import { usePage, useFilterBy, useQuery } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { Tabs, Grid } from "../../parts/table.js";
import { MEASURES, type ChoicesOf } from "../../state/choices.js";
import { choose } from "../../state/view-state.js";
import type { TrendLine, TrendAnswer } from "../../ask/answers.js";
import { bucketLong, bucketShort } from "../../format/date.js";
import { change, money, number, type FormattedNumber } from "../../format/number.js";
import { ChangeMark, Num } from "../../parts/inline.js";
import { Legend, Plot, type PlotLine } from "../../parts/plot.js";
import { filterByValue } from "../../state/filter.js";
import { NothingHere, TimeRemarks, UnconvertedRemark } from "../remarks.js";

const MEASURE_NAMES: Readonly<Record<(typeof MEASURES)[number], string>> = {
  events: "Number of events",
  unique_users: "Distinct people",
  sessions: "Visits",
  unique_values: "Distinct values of",
  sum: "Sum of",
  avg: "Average of",
  median: "Median of",
  min: "Minimum of",
  max: "Maximum of",
  p25: "25th percentile of",
  p75: "75th percentile of",
  p90: "90th percentile of",
  p95: "95th percentile of",
  p99: "99th percentile of",
  revenue: "Revenue",
};

/** Any measure over time, with a breakdown by a field. */
export function Trends() {
  const { viewState, scope, token, go } = usePage();
  const chosen = viewState.choices.trends;
  const names = useEventNames();
  const result = useQuery(trendQuery(scope, chosen));
  const change = (changed: Partial<ChoicesOf<"trends">>) => go(choose(viewState, "trends", changed));
  const measures = MEASURES.filter((name) => name !== "revenue" || canRead(token, "revenue:read"));
  return (
    <>
      <section class="panel choices-panel" aria-label="Trend settings">
        <FieldRow>
          <TextField label="Event" value={chosen.event} suggestions={names} placeholder="any event" onCommit={(event) => change({ event })} />
          <Select
            label="Measure"
            value={chosen.measure}
            names={measures.map((name) => [name, MEASURE_NAMES[name]])}
            onChoose={(measure) => change({ measure })}
          />
          {takesField(chosen.measure) && (
            <TextField
              label="Field"
              value={chosen.field}
              suggestions={FIELD_SUGGESTIONS}
              placeholder="metadata key, value …"
              onCommit={(field) => change({ field })}
            />
          )}
          <TextField
            label="Break down by"
            value={chosen.by}
            suggestions={FIELD_SUGGESTIONS}
            placeholder="nothing"
            onCommit={(by) => change({ by })}
          />
          <Checkbox label="Cumulative" value={chosen.cumulative} onChoose={(cumulative) => change({ cumulative })} />
        </FieldRow>
      </section>
      <Panel
        title={titleOf(chosen)}
        class="trend-panel"
        result={result}
        lines={10}
        head={
          <Tabs
            label="Chart type"
            names={[
              ["line", "Lines"],
              ["bar", "Bars"],
            ]}
            chosen={chosen.chart}
            onChoose={(chart) => change({ chart })}
          />
        }
        sheet={({ buckets, series, rest }) =>
          sheetOfSeries(buckets, [
            ...series.map(({ values, data }) => ({ name: seriesName(values, chosen.by), data })),
            ...(rest === null ? [] : [{ name: "all others", data: rest.data }]),
          ])
        }
        noQuery={<Empty title="Choose a field">This measure is computed from the values of a field: enter one above.</Empty>}
      >
        {(answer) => <TrendResult answer={answer} chosen={chosen} />}
      </Panel>
    </>
  );
}

function titleOf({ event, measure, field, by, cumulative }: ChoicesOf<"trends">): string {
  const what = takesField(measure) ? `${MEASURE_NAMES[measure]} ${field}` : MEASURE_NAMES[measure];
  return [what, event === "" ? "" : `· ${event}`, by === "" ? "" : `by ${fieldName(by).toLowerCase()}`, cumulative ? "(cumulative)" : ""]
    .filter((part) => part !== "")
    .join(" ");
}

interface TrendResultProps {
  readonly answer: TrendAnswer;
  readonly chosen: ChoicesOf<"trends">;
}

function TrendResult({ answer, chosen }: TrendResultProps) {
  const { scope } = usePage();
  const { buckets, series, rest, previous, currency } = answer;
  const show = (value: number | null): FormattedNumber => (currency === null ? number(value) : money(value, currency));
  if (buckets.length === 0 || series.every(({ counted }) => counted === 0)) return <NothingHere />;
  const hasBreakdown = chosen.by !== "";
  const all = [
    ...series.map((line) => ({ ...line, name: seriesName(line.values, chosen.by) })),
    ...(rest === null || !hasBreakdown ? [] : [{ ...rest, name: "All others" }]),
  ];
  const earlier = previous?.series[0];
  const lines: PlotLine[] = [
    ...(hasBreakdown || earlier === undefined ? [] : [{ name: "Previous", data: earlier.data, isEarlier: true }]),
    ...all.map(({ name, data }) => ({ name, data })),
  ];
  return (
    <>
      {hasBreakdown ? (
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
      <TimeRemarks buckets={buckets} areUniques={chosen.measure === "unique_users"} hasEarlier={!hasBreakdown && earlier !== undefined} />
      <UnconvertedRemark unconverted={answer.unconverted} />
      {hasBreakdown && <Totals all={all} previous={previous?.series ?? null} by={chosen.by} show={show} />}
      {hasBreakdown && answer.value_count > SERIES_COUNT && (
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
  readonly show: (value: number | null) => FormattedNumber;
}) {
  return (
    <div class="figures alone">
      <div class="figure">
        <span class="figure-number">
          <Num shown={show(total)} figure="total" /> <ChangeMark change={change(total, before)} isCost={false} />
        </span>
      </div>
    </div>
  );
}

interface TotalsProps {
  readonly all: readonly (TrendLine & { readonly name: string })[];
  readonly previous: readonly TrendLine[] | null;
  readonly by: string;
  readonly show: (value: number | null) => FormattedNumber;
}

function Totals({ all, previous, by, show }: TotalsProps) {
  const filterBy = useFilterBy();
  const beforeOf = (values: readonly string[]) => previous?.find((line) => line.values[0] === values[0])?.total ?? null;
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

/** The name of a series: its value, or "All" without a breakdown. */
function seriesName(values: readonly string[], by: string): string {
  const [value] = values;
  return value === undefined ? "All" : fieldValue(by, value);
}
