import { takesField, trendQuery, SERIES_COUNT } from "../api/queries.js";
import { canRead } from "../api/rights.js";
import { sheetOfSeries } from "../format/sheet.js";
import { fieldName, fieldValue, noun, change, money, number, type FormattedNumber } from "../format/text.js";
import { BreakdownField, Checkbox, EventNameField, Select, TextField, FIELD_SUGGESTIONS, Settings } from "../parts/fields.js";
import { ChangeMark, Num } from "../../charts/figures.js";
import { Empty } from "../../charts/notice.js";
import { Total } from "../parts/inline.js";
import { usePage, useQuery, useChoices } from "../parts/page-context.js";
import { Panel } from "../parts/panel.js";
import { Tabs, Grid } from "../parts/tables.js";
import { MEASURES, type ChoicesOf } from "../state/view-state.js";
import type { TrendLine, TrendAnswer } from "../api/answers.js";
import { Legend, TimePlot } from "../../charts/plot.js";
import { ValueButton } from "../parts/filter-chips.js";
import { NothingHere, TimeRemarks, UnconvertedRemark } from "./remarks.js";

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

const CHART_NAMES = { line: "Lines", bar: "Bars" } as const;

export function Trends() {
  const { scope, token } = usePage();
  const [chosen, change] = useChoices("trends");
  const result = useQuery(trendQuery(scope, chosen));
  const measures = MEASURES.filter((name) => name !== "revenue" || canRead(token, "revenue:read"));
  return (
    <>
      <Settings label="Trend settings">
        <EventNameField label="Event" value={chosen.event} onCommit={(event) => change({ event })} />
        <Select
          label="Measure"
          value={chosen.measure}
          names={measures.map((name) => [name, MEASURE_NAMES[name]] as const)}
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
        <BreakdownField value={chosen.by} onCommit={(by) => change({ by })} />
        <Checkbox label="Cumulative" value={chosen.cumulative} onChoose={(cumulative) => change({ cumulative })} />
      </Settings>
      <Panel
        title={titleOf(chosen)}
        class="trend-panel"
        result={result}
        lines={10}
        head={
          <Tabs label="Chart type" names={CHART_NAMES} chosen={chosen.chart} onChoose={(chart) => change({ chart })} />
        }
        sheet={({ buckets, series, rest }) =>
          sheetOfSeries(buckets, [
            ...series.map(({ values, data }) => ({ name: seriesName(values, chosen.by), data })),
            ...(rest === null ? [] : [{ name: "all others", data: rest.data }]),
          ])
        }
        noQuery={<Empty title="Choose a field">This measure is computed from the values of a field: enter one above.</Empty>}
      >
        {(answer) => <TrendResult answer={answer} />}
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

function TrendResult({ answer }: { readonly answer: TrendAnswer }) {
  const { scope } = usePage();
  const [chosen] = useChoices("trends");
  const { buckets, series, rest, previous, currency } = answer;
  const show = (value: number | null): FormattedNumber => (currency === null ? number(value) : money(value, currency));
  if (buckets.length === 0 || series.every(({ counted }) => counted === 0)) return <NothingHere />;
  const hasBreakdown = chosen.by !== "";
  const all = [
    ...series.map((line) => ({ ...line, name: seriesName(line.values, chosen.by), isRest: false })),
    ...(rest === null || !hasBreakdown ? [] : [{ ...rest, name: "All others", isRest: true }]),
  ];
  const earlier = hasBreakdown ? null : previous;
  return (
    <>
      {hasBreakdown ? (
        <Legend lines={all} />
      ) : (
        <Total figure="total" total={series[0]?.total ?? null} before={earlier?.series[0]?.total ?? null} show={show} />
      )}
      <TimePlot label="Trend" kind={chosen.chart} buckets={buckets} earlier={earlier} unit={scope.unit} lines={all} format={show} />
      <TimeRemarks buckets={buckets} areUniques={chosen.measure === "unique_users"} hasEarlier={earlier !== null} />
      <UnconvertedRemark unconverted={answer.unconverted} />
      {hasBreakdown && <Totals all={all} previous={previous?.series ?? null} by={chosen.by} show={show} />}
      {hasBreakdown && answer.value_count > SERIES_COUNT && (
        <p class="remark">
          <Num shown={number(answer.value_count)} /> {noun(answer.value_count, "value")} in all; the largest <Num shown={number(series.length)} /> are
          shown.
        </p>
      )}
    </>
  );
}

interface TotalsProps {
  readonly all: readonly (TrendLine & { readonly name: string })[];
  readonly previous: readonly TrendLine[] | null;
  readonly by: string;
  readonly show: (value: number | null) => FormattedNumber;
}

function Totals({ all, previous, by, show }: TotalsProps) {
  const beforeOf = (values: readonly string[]) => previous?.find((line) => line.values[0] === values[0])?.total ?? null;
  return (
    <Grid
      label="Totals"
      rows={all}
      keyOf={({ values, name }) => JSON.stringify([values, name])}
      columns={[
        {
          name: "Value",
          cell: ({ name, values: [value] }) => (value === undefined ? name : <ValueButton by={by} value={value} />),
        },
        { name: "Total", isNumber: true, cell: ({ total }) => <Num shown={show(total)} /> },
        {
          name: "Change",
          isNumber: true,
          cell: ({ total, values }) => (values.length === 0 ? null : <ChangeMark change={change(total, beforeOf(values))} isCost={false} />),
        },
        { name: "Events counted", isNumber: true, cell: ({ counted }) => <Num shown={number(counted)} /> },
      ]}
    />
  );
}

function seriesName(values: readonly string[], by: string): string {
  const [value] = values;
  return value === undefined ? "All" : fieldValue(by, value);
}
