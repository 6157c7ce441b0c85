import type { AnswerByReport, ReportName } from "../../query/queries.js";
import type { Bucket, Funnel, FunnelStep, Paths, Retention, RetentionPeriod, Stickiness, Trend, TrendAnswers } from "../../query/plan/insights/answers.js";
import { table, count, plain } from "./format.js";

const TEXT_WIDTH = 56;

function cell(name: string, value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "number") return name.endsWith("Rate") || name === "rate" ? percent(value) : name.endsWith("Sec") ? seconds(value) : figure(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value === "" ? "(not set)" : plain(name === "day" ? value.slice(0, 10) : value, TEXT_WIDTH);
  return plain(JSON.stringify(value), TEXT_WIDTH);
}

function valuesText(values: readonly string[], separator = ", "): string {
  return values.length === 0 ? "all" : values.map((value) => cell("", value)).join(separator);
}

/** `entryPages` becomes `entry pages`, `durationAvgSec` becomes `duration avg`. */
function words(name: string): string {
  return name.replace(/(?<=.)Sec$/, "").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function figure(value: number | null): string {
  if (value === null) return "-";
  return Number.isInteger(value) ? count(value) : value.toLocaleString("en-US", { maximumFractionDigits: 4 });
}

export function percent(share: number | null): string {
  return share === null ? "-" : `${(share * 100).toFixed(1)} %`;
}

export function seconds(value: number | null): string {
  if (value === null) return "-";
  const [unit, divisor] = value < 120 ? ["s", 1] : value < 7_200 ? ["min", 60] : value < 172_800 ? ["h", 3_600] : ["days", 86_400];
  const inUnit = value / divisor;
  return `${Number.isInteger(inUnit) ? count(inUnit) : inUnit.toFixed(1)} ${unit}`;
}

const BARS = "▁▂▃▄▅▆▇█";

/** One character per value, its height relative to the largest; a blank for 0, to distinguish it from small values. */
export function sparkline(values: readonly number[]): string {
  const largest = values.reduce((most, value) => Math.max(most, value), 0);
  return values.map((value) => (value <= 0 ? " " : (BARS[Math.ceil((value / largest) * BARS.length) - 1] ?? "█"))).join("");
}

/** Usual group sizes in days: a day, a week, two weeks, four weeks, … */
const GROUP_DAYS = [1, 7, 14, 28, 91, 364];

/** Sums over groups of consecutive days, at most `width` groups. The last group may be shorter; `dayCounts` has the days of each group. */
export function grouped(values: readonly number[], width: number) {
  const groupDays = GROUP_DAYS.find((days) => values.length <= days * width) ?? Math.ceil(values.length / width);
  const starts = Array.from({ length: Math.ceil(values.length / groupDays) }, (_, group) => group * groupDays);
  const groups = starts.map((start) => values.slice(start, start + groupDays));
  const sums = groups.map((group) => group.reduce((sum, value) => sum + value, 0));
  return { sums, dayCounts: groups.map((group) => group.length), groupDays };
}

/** More series than this get one line each, with a sparkline. */
const MAX_COLUMN_SERIES = 6;

function trendText({ previous, currency, ...answers }: Trend): string {
  const before = previous === null ? "" : `\nprevious\n${seriesText(previous)}`;
  return `${currency === null ? "" : `in ${currency}\n`}${seriesText(answers)}${before}`;
}

function seriesText({ buckets, series, rest, valueCount, unconverted }: TrendAnswers): string {
  const shown = [...series.map((line) => ({ ...line, name: valuesText(line.values) })), ...(rest === null ? [] : [{ ...rest, name: "rest" }])];
  const more = valueCount > series.length ? `${figure(series.length)} of ${figure(valueCount)} values\n` : "";
  const unconvertedText = unconverted.length === 0 ? "" : `\nunconverted\n${listing(unconverted, "  ")}`;
  if (shown.length > MAX_COLUMN_SERIES) {
    const lines = shown.map(({ name, counted, total, data }) => [name, figure(counted), figure(total), sparkline(data.map((value) => value ?? 0))]);
    return `${table([["", "counted", "total", ""], ...lines], "<>><")}${more}${unconvertedText}`;
  }
  const lines = buckets.map((bucket, at) => [bucketText(bucket), ...shown.map(({ data }) => figure(data[at] ?? null))]);
  const total = ["total", ...shown.map((line) => figure(line.total))];
  return `${table([["", ...shown.map(({ name }) => name)], ...lines, total], `<${">".repeat(shown.length)}`)}${more}${unconvertedText}`;
}

function funnelText({ steps, pending, rows, rest, trend }: Funnel): string {
  const header = ["step", "entities", "of all", "of previous step", "dropped off", "median", "90 % within"];
  const lines = steps.map((step) => [
    cell("", step.name),
    figure(step.entities),
    percent(step.conversionRate),
    percent(step.stepRate),
    figure(step.dropOffs),
    seconds(step.fromPrevious?.medianSec ?? null),
    seconds(step.fromPrevious?.p90Sec ?? null),
  ]);
  const byValues = rows === null ? [] : [...rows.map(({ values, steps: rowSteps }) => reachedRow(valuesText(values), rowSteps)), ...(rest === null ? [] : [reachedRow("rest", rest)])];
  const byTime = (trend ?? []).map(({ bucket, steps: bucketSteps }) => reachedRow(bucketText(bucket), bucketSteps));
  const more = [...byValues, ...byTime];
  const waiting = pending === 0 ? "" : `${figure(pending)} may still continue\n`;
  return `${table([header, ...lines], "<>>>>>>")}${waiting}${more.length === 0 ? "" : `\n${table([["", ...steps.map(({ name }) => cell("", name)), "of all"], ...more], `<${">".repeat(steps.length + 1)}`)}`}`;
}

function reachedRow(name: string, steps: readonly FunnelStep[]): string[] {
  return [name, ...steps.map(({ entities }) => figure(entities)), percent(steps.at(-1)?.conversionRate ?? null)];
}

function retentionText({ cohorts, total, rows, rest }: Retention): string {
  const columns = Math.max(0, ...cohorts.map(({ periods }) => periods.length), total.length);
  const shares = (periods: readonly RetentionPeriod[]) => periods.map(({ entities, rate, incomplete }) => (entities === null ? "" : `${percent(rate)}${incomplete ? " *" : ""}`));
  const header = ["", "people", ...Array.from({ length: columns }, (_, at) => String(at))];
  const size = cohorts.reduce((sum, cohort) => sum + cohort.size, 0);
  const lines = [
    ...cohorts.map((cohort) => [bucketText(cohort.bucket), figure(cohort.size), ...shares(cohort.periods)]),
    ["all", figure(size), ...shares(total)],
    ...(rows ?? []).map((row) => [valuesText(row.values), figure(row.size), ...shares(row.total)]),
    ...(rest === null ? [] : [["rest", figure(rest[0]?.of ?? 0), ...shares(rest)]]),
  ];
  return table([header, ...lines], `<${">".repeat(columns + 1)}`);
}

function stickinessText({ buckets }: Stickiness): string {
  return buckets.map(({ entities, avg, units, ...bucket }) => `${bucketText(bucket)}: ${figure(entities)}, active in ${figure(avg)} units on average\n${listing(units, "  ")}`).join("\n");
}

function pathsText({ sessions, sequences, nodes, edges }: Paths): string {
  const rows = sequences.map((path) => [valuesText(path.values, " > "), figure(path.sessions)]);
  const list = (title: string, items: readonly object[]) => `\n${title}\n${listing(items, "  ")}`;
  return `${table([["path", "sessions"], ...rows, ["all", figure(sessions)]], "<>")}${list("nodes", nodes)}${list("edges", edges)}`;
}

const EVENT_COLUMNS = ["createdAt", "name", "project", "userId", "anonymousId", "url", "value", "currency", "metadata"];

function columnsOf(event: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(EVENT_COLUMNS.map((name) => [name, event[name]]));
}

const FORMATTERS: { readonly [K in ReportName]?: (answer: AnswerByReport[K]) => string } = {
  trend: trendText,
  funnel: funnelText,
  retention: retentionText,
  stickiness: stickinessText,
  paths: pathsText,
  searchEvents: ({ events }) => listing(events.map((event) => columnsOf({ ...event })), ""),
};

export function answerText<K extends ReportName>(name: K, answer: AnswerByReport[K]): string {
  const format = FORMATTERS[name];
  if (format !== undefined) return format(answer);
  if (typeof answer === "number") return `${figure(answer)}\n`;
  return Array.isArray(answer) ? listing(answer as readonly object[], "") : facts(answer as object);
}

function bucketText({ start, end, local, partial }: Bucket): string {
  const name = local ?? `${start?.slice(0, 10) ?? ""} .. ${end?.slice(0, 10) ?? ""}`;
  return partial === true ? `${name} *` : name;
}

function listing(items: readonly object[], indent: string): string {
  if (items.length === 0) return `${indent}(none)\n`;
  const rows = items.map(flat);
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))].filter((name) => rows.some((row) => !isNothing(row.get(name))));
  if (names.length === 0) return `${indent}(none)\n`;
  const isNumber = (name: string) => rows.every((row) => typeof (row.get(name) ?? 0) === "number");
  const lines = rows.map((row) => names.map((name) => cell(name, row.get(name))));
  return table([names.map(words), ...lines], names.map((name) => (isNumber(name) ? ">" : "<")).join(""), indent);
}

function facts(answer: object): string {
  const members = [...flat(answer)];
  const isList = (value: unknown) => Array.isArray(value) && value.some((item) => typeof item === "object");
  const single = members.filter(([, value]) => !Array.isArray(value) || (value.length > 0 && !isList(value)));
  const lists = members.flatMap(([name, value]) => (isList(value) ? [`\n${words(name)}\n${listing(value as readonly object[], "  ")}`] : []));
  const text = single.length === 0 ? "" : table(single.map(([name, value]) => [words(name), cell(name, value)]), "<<");
  return `${text}${lists.join("")}`;
}

/** Flattens nested objects into their parent; metadata stays whole, and the members of a bucket become one, `when`. */
function flat(item: object): ReadonlyMap<string, unknown> {
  const row = new Map<string, unknown>();
  if ("local" in item && "partial" in item) row.set("when", bucketText(item as Bucket));
  for (const [name, value] of Object.entries(item)) {
    if (row.has("when") && ["start", "end", "local", "partial"].includes(name)) continue;
    if (typeof value !== "object" || value === null || Array.isArray(value) || name === "metadata") row.set(name, value);
    else for (const [inner, member] of flat(value)) row.set(inner, member);
  }
  return row;
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}
