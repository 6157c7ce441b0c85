import type { Funnel, FunnelStep, Paths, Retention, RetentionPeriod, Stickiness, Trend, TrendAnswers } from "../../plan/insights/answers.js";
import { cell, figure, percent, seconds, valuesText } from "./cell.js";
import { bucketText, listing, type Item } from "./listing.js";
import { sparkline } from "./sparkline.js";
import { table } from "./table.js";

/** More series than these stand below one another, each with its course as a line of bars. */
const COLUMN_COUNT = 6;

/** A line a bucket and a column a series; of many series a line each. */
export function trendText({ previous, currency, ...answers }: Trend): string {
  const before = previous === null ? "" : `\nbefore\n${seriesText(previous)}`;
  return `${currency === null ? "" : `in ${currency}\n`}${seriesText(answers)}${before}`;
}

function seriesText({ buckets, series, rest, valueCount, unconverted }: TrendAnswers): string {
  const shown = [...series.map((each) => ({ ...each, name: valuesText(each.values) })), ...(rest === null ? [] : [{ ...rest, name: "rest" }])];
  const more = valueCount > series.length ? `${figure(series.length)} of ${figure(valueCount)} values\n` : "";
  const left = unconverted.length === 0 ? "" : `\nunconverted\n${listing(unconverted.map((item): Item => ({ ...item })), "  ")}`;
  if (shown.length > COLUMN_COUNT) {
    const lines = shown.map(({ name, counted, total, data }) => [name, figure(counted), figure(total), sparkline(data.map((each) => each ?? 0))]);
    return `${table([["", "counted", "total", ""], ...lines], "<>><")}${more}${left}`;
  }
  const lines = buckets.map((bucket, at) => [bucketText({ ...bucket }), ...shown.map(({ data }) => figure(data[at] ?? null))]);
  const total = ["total", ...shown.map((each) => figure(each.total))];
  return `${table([["", ...shown.map(({ name }) => name)], ...lines, total], `<${">".repeat(shown.length)}`)}${more}${left}`;
}

/** A line a step; below it who went how far by values, or by the time of entry. */
export function funnelText({ steps, pending, rows, rest, trend }: Funnel): string {
  const header = ["step", "entities", "of all", "of the step before", "left", "median", "90 % below"];
  const lines = steps.map((step) => [
    cell("", step.name),
    figure(step.entities),
    percent(step.conversionRate),
    percent(step.stepRate),
    figure(step.dropOffs),
    seconds(step.fromPrevious?.medianSec ?? null),
    seconds(step.fromPrevious?.p90Sec ?? null),
  ]);
  const byValues = rows === null ? [] : [...rows.map(({ values, steps: each }) => furthest(valuesText(values), each)), ...(rest === null ? [] : [furthest("rest", rest)])];
  const byTime = (trend ?? []).map(({ bucket, steps: each }) => furthest(bucketText({ ...bucket }), each));
  const more = [...byValues, ...byTime];
  const waiting = pending === 0 ? "" : `${figure(pending)} may still go on\n`;
  return `${table([header, ...lines], "<>>>>>>")}${waiting}${more.length === 0 ? "" : `\n${table([["", ...steps.map(({ name }) => cell("", name)), "of all"], ...more], `<${">".repeat(steps.length + 1)}`)}`}`;
}

function furthest(name: string, steps: readonly FunnelStep[]): string[] {
  return [name, ...steps.map(({ entities }) => figure(entities)), percent(steps.at(-1)?.conversionRate ?? null)];
}

/** The triangle: a line a cohort, and in its columns which share of it came back in the first, second, … unit after. */
export function retentionText({ cohorts, total, rows, rest }: Retention): string {
  const columns = Math.max(0, ...cohorts.map(({ periods }) => periods.length), total.length);
  const shares = (periods: readonly RetentionPeriod[]) => periods.map(({ entities, rate, incomplete }) => (entities === null ? "" : `${percent(rate)}${incomplete ? " *" : ""}`));
  const header = ["", "people", ...Array.from({ length: columns }, (_, at) => String(at))];
  const size = cohorts.reduce((sum, each) => sum + each.size, 0);
  const lines = [
    ...cohorts.map((each) => [bucketText({ ...each.bucket }), figure(each.size), ...shares(each.periods)]),
    ["all", figure(size), ...shares(total)],
    ...(rows ?? []).map((row) => [valuesText(row.values), figure(row.size), ...shares(row.total)]),
    ...(rest === null ? [] : [["rest", figure(rest[0]?.of ?? 0), ...shares(rest)]]),
  ];
  return table([header, ...lines], `<${">".repeat(columns + 1)}`);
}

/** A table a bucket: how many were active on so many units. */
export function stickinessText({ buckets }: Stickiness): string {
  return buckets.map(({ entities, avg, units, ...bucket }) => `${bucketText({ ...bucket })}: ${figure(entities)}, on ${figure(avg)} in the mean\n${listing(units.map((each): Item => ({ ...each })), "  ")}`).join("\n");
}

/** The ways, then the steps that they are made of. */
export function pathsText({ sessions, sequences, nodes, edges }: Paths): string {
  const ways = sequences.map((each) => [valuesText(each.values, " > "), figure(each.sessions)]);
  const list = (title: string, items: readonly object[]) => `\n${title}\n${listing(items.map((item): Item => ({ ...item })), "  ")}`;
  return `${table([["way", "sessions"], ...ways, ["all", figure(sessions)]], "<>")}${list("nodes", nodes)}${list("edges", edges)}`;
}
