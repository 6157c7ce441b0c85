import uPlot from "uplot";
import type { FormattedNumber } from "../format/number.js";
import { thin, type PlotColours } from "./plot-colours.js";

/** One line of a plot. */
export interface PlotLine {
  readonly name: string;
  readonly data: readonly (number | null)[];
  /** From an earlier period: drawn faint, below the others. */
  readonly isEarlier?: boolean;
}

export interface PlotLook {
  readonly kind: "line" | "bar";
  /** Whether the last bucket is not over: its part of a line is dashed. */
  readonly isOpenEnd: boolean;
  readonly labels: readonly string[];
  readonly format: (value: number | null) => FormattedNumber;
}

/** Axis steps for counts, which are whole numbers. */
const WHOLE_STEPS = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

/** Columns of a plot: indexes of the buckets, and the values of each line. A line with an open end is two series: all but the end, and the end. */
export function plotData(lines: readonly PlotLine[], bucketCount: number, { kind, isOpenEnd }: PlotLook): uPlot.AlignedData {
  const places = Array.from({ length: bucketCount }, (_, at) => at);
  const last = bucketCount - 1;
  const columns = lines.flatMap(({ data, isEarlier }) => {
    const column = places.map((at) => data[at] ?? null);
    if (kind === "bar" || isEarlier === true || !isOpenEnd || bucketCount < 2) return [column];
    return [column.map((value, at) => (at === last ? null : value)), column.map((value, at) => (at >= last - 1 ? value : null))];
  });
  return [places, ...columns];
}

export function plotSeries(lines: readonly PlotLine[], bucketCount: number, colours: PlotColours, { kind, isOpenEnd }: PlotLook): uPlot.Series[] {
  const isAlone = lines.filter(({ isEarlier }) => isEarlier !== true).length === 1;
  let colour = -1;
  const series = lines.flatMap(({ isEarlier }): uPlot.Series[] => {
    if (isEarlier === true) return [{ stroke: thin(colours.faint, 0.7), width: 1.25, dash: [3, 3], points: { show: false } }];
    colour += 1;
    const stroke = colours.series[colour % colours.series.length] ?? colours.text;
    if (kind === "bar") {
      const bars = uPlot.paths.bars?.({ size: [0.7, 48], radius: 0.15 });
      return [
        {
          stroke: thin(stroke, 0),
          fill: thin(stroke, isAlone ? 0.85 : 0.6),
          width: 0,
          points: { show: false },
          ...(bars !== undefined && { paths: bars }),
        },
      ];
    }
    const base: uPlot.Series = {
      stroke,
      width: 2,
      points: { show: bucketCount === 1, size: 7, fill: stroke },
      ...(isAlone && { fill: thin(stroke, 0.09) }),
    };
    return isOpenEnd && bucketCount > 1 ? [base, { ...base, dash: [4, 4], points: { show: false } }] : [base];
  });
  return [{}, ...series];
}

interface PlotSize {
  readonly width: number;
  readonly height: number;
}

export function plotOptions(size: PlotSize, lines: readonly PlotLine[], series: uPlot.Series[], colours: PlotColours, look: PlotLook): uPlot.Options {
  const areWhole = lines.every(({ data }) => data.every((value) => value === null || Number.isInteger(value)));
  const font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const axis: uPlot.Axis = { stroke: colours.text, font, ticks: { show: false }, gap: 6 };
  const widest = Math.max(...look.labels.map(({ length }) => length), 4);
  return {
    ...size,
    series,
    padding: [10, Math.max(12, widest * 3.5), 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 7, width: 0 }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: (_, min, max) => (look.kind === "bar" || min === max ? [min - 0.6, max + 0.6] : [min, max]) },
      y: { range: (_, min, max) => upToRound(Math.min(0, min), max) },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        splits: (plot) => placesOf(look.labels.length, Math.floor(plot.width / (widest * 7 + 28))),
        values: (_, places) => places.map((place) => look.labels[place] ?? ""),
      },
      {
        ...axis,
        grid: { stroke: colours.grid, width: 1 },
        size: (_, values) => Math.max(36, ...(values ?? []).map((text) => text.length * 7 + 12)),
        values: (_, splits) => splits.map((value) => look.format(value).short),
        space: 44,
        ...(areWhole && { incrs: WHOLE_STEPS }),
      },
    ],
  };
}

/** Ends slightly above the largest value, and is never empty. */
function upToRound(min: number, max: number): [number, number] {
  return [min, max <= min ? min + 1 : max + (max - min) * 0.06];
}

/** Indexes with a label: the first, and as many others as fit, evenly spaced. */
function placesOf(bucketCount: number, roomCount: number): number[] {
  const step = Math.max(1, Math.ceil(bucketCount / Math.max(1, roomCount)));
  return Array.from({ length: Math.ceil(bucketCount / step) }, (_, at) => at * step);
}
