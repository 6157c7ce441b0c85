import type { FunctionComponent } from "preact";
import { BarList } from "../charts/bar-list.js";
import { CohortTable, hasOpenPeriod } from "../charts/cohort-table.js";
import { BigNum, ChangeMark, Num } from "../charts/figures.js";
import { fieldName, noun, type FormattedNumber } from "../charts/format.js";
import { FunnelBars } from "../charts/funnel-bars.js";
import { useLook } from "../charts/look.js";
import { Legend, TimePlot, type PlotKind, type PlotLine } from "../charts/plot.js";
import type { Funnel, Retention, Trend, TrendSeries } from "../query/plan/insights/answers.js";
import { attributeError, hasValue, isRecord, type ElementQueryName, type QueryInput } from "./query.js";

/** What an element draws its answer by. */
export interface DrawingInput {
  readonly input: QueryInput;
  readonly heading: string;
  /** The value of one of the element's own attributes; null: not set. */
  readonly attribute: (name: string) => string | null;
}

/** A kind of element: its query, and how the answer is drawn. */
export interface ElementKind {
  /** The name after `daybook-`. */
  readonly name: string;
  readonly query: ElementQueryName;
  /** Attributes besides those that all elements have. */
  readonly attributes: readonly string[];
  /** Name for screen readers if the element has no heading. */
  readonly title: string;
  /** Lines of the placeholder while the first answer loads. */
  readonly lineCount: number;
  /** The input that is sent. @throws ApiError: invalid_attribute */
  readonly prepare: (input: QueryInput, attribute: DrawingInput["attribute"]) => QueryInput;
  readonly isEmpty: (answer: unknown) => boolean;
  readonly Drawing: FunctionComponent<DrawingInput & { readonly answer: unknown }>;
}

const MEASURE_NAMES: Readonly<Record<string, string>> = {
  events: "Events",
  unique_users: "People",
  sessions: "Visits",
  revenue: "Revenue",
  unique_values: "Distinct values",
  sum: "Sum",
  avg: "Average",
  median: "Median",
  min: "Minimum",
  max: "Maximum",
};

function measureOf({ measure }: QueryInput): string {
  return isRecord(measure) && typeof measure["type"] === "string" ? measure["type"] : "events";
}

function measureName(input: QueryInput): string {
  const type = measureOf(input);
  return MEASURE_NAMES[type] ?? `${type.slice(1)}th percentile`;
}

function breakdownFields({ breakdown }: QueryInput): readonly string[] {
  const fields = isRecord(breakdown) ? breakdown["fields"] : null;
  return Array.isArray(fields) ? fields.map(String) : [];
}

/** Formats figures of a trend: money if they are amounts. */
function useFigures({ currency }: Trend): (value: number | null) => FormattedNumber {
  const { number, money } = useLook().formats;
  return (value) => (currency === null ? number(value) : money(value, currency));
}

type NamedSeries = TrendSeries & Pick<PlotLine, "name" | "isRest">;

function useNamedSeries({ series, rest }: Trend, input: QueryInput): readonly NamedSeries[] {
  const { fieldValue } = useLook().formats;
  const fields = breakdownFields(input);
  const nameOf = ({ values }: TrendSeries) => (values.length === 0 ? measureName(input) : values.map((value, at) => fieldValue(fields[at] ?? "", value)).join(", "));
  return [...series.map((each) => ({ ...each, name: nameOf(each) })), ...(rest === null ? [] : [{ ...rest, name: "All others", isRest: true }])];
}

function isEmptyTrend(answer: unknown): boolean {
  const { buckets, series } = answer as Trend;
  return buckets.length === 0 || series.every(({ counted }) => counted === 0);
}

const PLOT_KINDS: Readonly<Record<string, PlotKind>> = { line: "line", bars: "bar", "stacked-bars": "stacked" };
/** Readers of a page know a metadata key by its name alone. */
function headOf(field: string): string {
  return fieldName(field).replace(/^metadata\./, "");
}

/** Measures that can be stacked. People and visits may be in several series, so their stacks can exceed the total. */
const STACKABLE = ["events", "sessions", "revenue", "sum", "unique_users"];

function plotKind(attribute: DrawingInput["attribute"]): PlotKind {
  const type = attribute("type") ?? "line";
  const kind = Object.hasOwn(PLOT_KINDS, type) ? PLOT_KINDS[type] : undefined;
  if (kind === undefined) throw attributeError(`type: expected one of ${Object.keys(PLOT_KINDS).join(", ")}, got "${type}".`);
  return kind;
}

const chart: ElementKind = {
  name: "chart",
  query: "trend",
  attributes: ["type"],
  title: "Chart",
  lineCount: 8,
  prepare: (input, attribute) => {
    if (input["interval"] === "total") throw attributeError("query.trend.interval: expected a unit of time for a chart, got \"total\".");
    if (plotKind(attribute) === "stacked" && !STACKABLE.includes(measureOf(input)))
      throw attributeError(`type: stacked bars add figures up, which ${measureOf(input)} does not allow; use line or bars.`);
    return input;
  },
  isEmpty: isEmptyTrend,
  Drawing: ({ answer, input, heading, attribute }) => {
    const trend = answer as Trend;
    const show = useFigures(trend);
    const lines = useNamedSeries(trend, input);
    const unit = typeof input["interval"] === "string" ? input["interval"] : "day";
    const kind = plotKind(attribute);
    const earlier = lines.length === 1 && kind !== "stacked" ? trend.previous : null;
    const plot = { buckets: trend.buckets, unit, lines, format: show };
    return (
      <>
        {lines.length > 1 && <Legend lines={lines} />}
        <TimePlot {...plot} label={heading} kind={kind} earlier={earlier} />
        <PlotTable {...plot} caption={heading} />
      </>
    );
  },
};

interface PlotTableProps {
  readonly caption: string;
  readonly unit: string;
  readonly buckets: Trend["buckets"];
  readonly lines: readonly PlotLine[];
  readonly format: (value: number | null) => FormattedNumber;
}

/** The figures of a plot, for screen readers. */
function PlotTable({ caption, unit, buckets, lines, format }: PlotTableProps) {
  const { bucketLong } = useLook().formats;
  return (
    <div class="unseen">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{unit}</th>
            {lines.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.map((bucket, at) => (
            <tr key={bucket.local}>
              <th scope="row">{bucketLong(bucket, unit)}</th>
              {lines.map(({ name, data }) => (
                <td key={name}>{format(data[at] ?? null).exact}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const number: ElementKind = {
  name: "number",
  query: "trend",
  attributes: ["lower-is-better"],
  title: "Number",
  lineCount: 1,
  prepare: (input) => {
    if (hasValue(input, "breakdown")) throw attributeError("query.trend.breakdown: expected none for a number; use daybook-list or daybook-chart.");
    const isClosed = hasValue(input, "startDate") && hasValue(input, "endDate");
    return { ...input, interval: input["interval"] ?? "total", ...(isClosed && { compare: input["compare"] ?? "previous_period" }) };
  },
  isEmpty: () => false,
  Drawing: ({ answer, attribute }) => {
    const trend = answer as Trend;
    const show = useFigures(trend);
    const { change } = useLook().formats;
    const total = trend.series[0]?.total ?? null;
    const before = trend.previous?.series[0]?.total ?? null;
    const changed = change(total, before);
    return (
      <>
        <BigNum shown={show(total)} figure="total" />
        {trend.previous !== null && (
          <p class="number-change">
            <ChangeMark change={changed} isCost={attribute("lower-is-better") !== null} />
            <span>{changed === null ? "nothing to compare with" : <>from <Num shown={show(before)} /></>}</span>
          </p>
        )}
      </>
    );
  },
};

const list: ElementKind = {
  name: "list",
  query: "trend",
  attributes: [],
  title: "List",
  lineCount: 6,
  prepare: (input) => {
    if (breakdownFields(input).length === 0) throw attributeError('query.trend.breakdown: expected the fields to list, such as {"fields": ["path"], "limit": 10}.');
    return { ...input, interval: input["interval"] ?? "total" };
  },
  isEmpty: isEmptyTrend,
  Drawing: ({ answer, input, heading }) => {
    const trend = answer as Trend;
    const show = useFigures(trend);
    const rows = useNamedSeries(trend, input).map(({ name, values, total }) => ({
      key: JSON.stringify(values),
      label: name,
      figure: total ?? 0,
      shown: show(total),
    }));
    return (
      <div class="ranked">
        <BarList label={heading} heads={[breakdownFields(input).map(headOf).join(", "), measureName(input)]} rows={rows} />
      </div>
    );
  },
};

const COUNTED: Readonly<Record<string, readonly [string, string]>> = {
  identity: ["person", "people"],
  session: ["visit", "visits"],
  account: ["company or person", "companies and people"],
};

const funnel: ElementKind = {
  name: "funnel",
  query: "funnel",
  attributes: [],
  title: "Funnel",
  lineCount: 7,
  prepare: (input) => input,
  isEmpty: (answer) => ((answer as Funnel).steps[0]?.entities ?? 0) === 0,
  Drawing: ({ answer, input }) => {
    const { steps } = answer as Funnel;
    const { number: count, percent } = useLook().formats;
    const [one, many] = COUNTED[String(input["level"] ?? "identity")] ?? ["entity", "entities"];
    const entered = steps[0]?.entities ?? 0;
    return (
      <>
        <p class="lead">
          <BigNum shown={percent(steps.at(-1)?.conversionRate ?? null)} figure="conversion" /> of <Num shown={count(entered)} />{" "}
          {noun(entered, one, many)} completed all steps
        </p>
        <FunnelBars steps={steps} />
      </>
    );
  },
};

const retention: ElementKind = {
  name: "retention",
  query: "retention",
  attributes: [],
  title: "Retention",
  lineCount: 8,
  prepare: (input) => input,
  isEmpty: (answer) => (answer as Retention).cohorts.every(({ size }) => size === 0),
  Drawing: ({ answer, input }) => {
    const cohorts = answer as Retention;
    const unit = typeof input["interval"] === "string" ? input["interval"] : "day";
    return (
      <>
        <CohortTable answer={cohorts} unit={unit} />
        {hasOpenPeriod(cohorts) && <p class="remark">Hatched: the {unit} is not over yet.</p>}
      </>
    );
  },
};

/** The kinds of elements, by the name after `daybook-`. */
export const ELEMENT_KINDS = { chart, number, list, funnel, retention } as const;
export type ElementKindName = keyof typeof ELEMENT_KINDS;
