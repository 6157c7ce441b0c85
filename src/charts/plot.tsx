import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import type { FormattedNumber, NamedBucket } from "./format.js";
import { useLook } from "./look.js";

/** As in the style sheet. */
const SERIES_COLORS = 9;

type PlotColors = ReturnType<typeof plotColors>;

/** Colors as the canvas takes them: CSS resolves variables, mixes and every notation. */
function plotColors(element: HTMLElement) {
  const probe = document.createElement("span");
  element.append(probe);
  const resolved = (color: string) => {
    probe.style.color = color;
    return getComputedStyle(probe).color;
  };
  const mixed = (name: string, percent: number) => resolved(`color-mix(in srgb, var(${name}) ${percent}%, transparent)`);
  const seriesOf = (percent: number) => Array.from({ length: SERIES_COLORS }, (_, at) => mixed(`--series-${at + 1}`, percent));
  const colors = {
    text: resolved("var(--text-2)"),
    grid: resolved("var(--line)"),
    earlier: mixed("--text-3", 70),
    lines: seriesOf(100),
    areas: seriesOf(9),
    bars: seriesOf(85),
  };
  probe.remove();
  return colors;
}

/** Bars of several series stand side by side; stacked ones on top of each other. */
export type PlotKind = "line" | "bar" | "stacked";

export interface PlotLine {
  readonly name: string;
  readonly data: readonly (number | null)[];
  /** From the comparison period: drawn faint, behind the others. */
  readonly isEarlier?: boolean;
  /** All that the other lines are not: drawn in gray. */
  readonly isRest?: boolean;
}

interface PlotProps {
  readonly label: string;
  readonly kind: PlotKind;
  /** Whether the last bucket is incomplete: the line is dashed there. */
  readonly isOpenEnd: boolean;
  readonly labels: readonly string[];
  /** Full names of the buckets, for the figures at the cursor; and those of the earlier period, if any. */
  readonly titles: readonly string[];
  readonly earlierTitles?: readonly string[];
  readonly lines: readonly PlotLine[];
  readonly format: (value: number | null) => FormattedNumber;
}

/** Axis steps for counts, which are whole numbers. */
const INTEGER_STEPS = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

/** Columns of a plot: indexes of the buckets, and the values of each line. A line with an open end is two series: all but the end, and the end. */
function plotData({ lines, kind, isOpenEnd, labels }: PlotProps): uPlot.AlignedData {
  const places = labels.map((_, at) => at);
  if (kind === "stacked") return [places, ...stackedData(lines, labels.length).reverse()];
  const last = labels.length - 1;
  const columns = lines.flatMap(({ data, isEarlier }) => {
    const column = places.map((at) => data[at] ?? null);
    if (kind === "bar" || isEarlier === true || !isOpenEnd || last < 1) return [column];
    return [column.map((value, at) => (at === last ? null : value)), column.map((value, at) => (at >= last - 1 ? value : null))];
  });
  return [places, ...columns];
}

/** Where the bars of each line end. Negative values stack downwards. */
function stackedData(lines: readonly PlotLine[], bucketCount: number): number[][] {
  const ends = Array.from({ length: bucketCount }, () => ({ up: 0, down: 0 }));
  return lines.map(({ data }) =>
    ends.map((end, at) => {
      const value = data[at] ?? 0;
      return value < 0 ? (end.down += value) : (end.up += value);
    }),
  );
}

/** Share of a bucket's width that its bars take, and the most that one bar takes, in pixels. */
const BARS_SHARE = 0.7;
const BAR_PX = 48;
const BAR_RADIUS = 0.15;
/** Share of a bar's place that it fills beside others. */
const BAR_FILL = 0.9;

/** Draws the bars of one of several series beside those of the others. */
function groupedBars(at: number, count: number): uPlot.Series.PathBuilder | undefined {
  const widthIn = (plot: uPlot) => Math.min(BARS_SHARE / count, BAR_PX / Math.abs(plot.valToPos(1, "x") - plot.valToPos(0, "x")));
  const startsIn = (plot: uPlot) => [...plot.data[0]].map((place) => place + widthIn(plot) * (at - count / 2));
  return uPlot.paths.bars?.({
    radius: BAR_RADIUS,
    disp: { x0: { unit: 1, values: startsIn }, size: { unit: 1, values: (plot) => [widthIn(plot) * BAR_FILL] } },
  });
}

function barSeries(fill: string | undefined, paths: uPlot.Series.PathBuilder | undefined): uPlot.Series {
  return { stroke: "transparent", ...(fill !== undefined && { fill }), width: 0, points: { show: false }, ...(paths !== undefined && { paths }) };
}

/** The number of a line's color. @param at its place among the lines of the period */
function colorOf({ isRest }: Pick<PlotLine, "isRest">, at: number): number {
  return isRest === true ? SERIES_COLORS - 1 : at % SERIES_COLORS;
}

function plotSeries(colors: PlotColors, { lines, kind, isOpenEnd, labels }: PlotProps): uPlot.Series[] {
  const wide = uPlot.paths.bars?.({ size: [BARS_SHARE, BAR_PX], radius: BAR_RADIUS });
  // The highest ends are drawn first, and the others over them.
  if (kind === "stacked") {
    const flat = uPlot.paths.bars?.({ size: [BARS_SHARE, BAR_PX] });
    return [{}, ...lines.map((line, at) => barSeries(colors.lines[colorOf(line, at)], at === lines.length - 1 ? wide : flat)).reverse()];
  }
  const count = lines.filter(({ isEarlier }) => isEarlier !== true).length;
  let at = -1;
  const series = lines.flatMap((line): uPlot.Series[] => {
    if (line.isEarlier === true) return [{ stroke: colors.earlier, width: 1.25, dash: [3, 3], points: { show: false } }];
    at += 1;
    const color = colorOf(line, at);
    if (kind === "bar") return [count === 1 ? barSeries(colors.bars[color], wide) : barSeries(colors.lines[color], groupedBars(at, count))];
    const stroke = colors.lines[color] ?? colors.text;
    const area = colors.areas[color];
    const base: uPlot.Series = {
      stroke,
      width: 2,
      points: { show: labels.length === 1, size: 7, fill: stroke },
      ...(count === 1 && area !== undefined && { fill: area }),
    };
    return isOpenEnd && labels.length > 1 ? [base, { ...base, dash: [4, 4], points: { show: false } }] : [base];
  });
  return [{}, ...series];
}

type PlotSize = Pick<uPlot.Options, "width" | "height">;

function plotOptions(size: PlotSize, fontFamily: string, colors: PlotColors, plot: PlotProps): uPlot.Options {
  const { lines, labels, kind, format } = plot;
  const areIntegers = lines.every(({ data }) => data.every((value) => value === null || Number.isInteger(value)));
  const font = `11px ${fontFamily}`;
  const axis: uPlot.Axis = { stroke: colors.text, font, ticks: { show: false }, gap: 6 };
  const widest = Math.max(...labels.map(({ length }) => length), 4);
  return {
    ...size,
    series: plotSeries(colors, plot),
    padding: [10, Math.max(12, widest * 3.5), 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 7, width: 0 }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: (_, min, max) => (kind !== "line" || min === max ? [min - 0.6, max + 0.6] : [min, max]) },
      y: { range: (_, min, max) => withHeadroom(Math.min(0, min), max) },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        splits: ({ width }) => labelPositions(labels.length, Math.floor(width / (widest * 7 + 28))),
        values: (_, places) => places.map((place) => labels[place] ?? ""),
      },
      {
        ...axis,
        grid: { stroke: colors.grid, width: 1 },
        size: (_, values) => Math.max(36, ...(values ?? []).map((text) => text.length * 7 + 12)),
        values: (_, splits) => splits.map((value) => format(value).short),
        space: 44,
        ...(areIntegers && { incrs: INTEGER_STEPS }),
      },
    ],
  };
}

function withHeadroom(min: number, max: number): [number, number] {
  return [min, max <= min ? min + 1 : max + (max - min) * 0.06];
}

function labelPositions(bucketCount: number, maxLabels: number): number[] {
  const step = Math.max(1, Math.ceil(bucketCount / Math.max(1, maxLabels)));
  return Array.from({ length: Math.ceil(bucketCount / step) }, (_, at) => at * step);
}

export function Plot(props: PlotProps) {
  const { lines, labels, titles, kind, isOpenEnd, label } = props;
  const { theme } = useLook();
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const content = JSON.stringify([lines, labels, kind, isOpenEnd, theme]);

  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const size = () => ({ width: Math.max(120, element.clientWidth), height: Math.max(120, element.clientHeight) });
    const options = plotOptions(size(), getComputedStyle(element).fontFamily, plotColors(element), props);
    const hooks = { setCursor: [(self: uPlot) => setAt(self.cursor.idx ?? null)] };
    const created = new uPlot({ ...options, hooks }, plotData(props), element);
    plot.current = created;
    const observer = new ResizeObserver(() => {
      const { width, height } = size();
      if (width !== created.width || height !== created.height) created.setSize({ width, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      created.destroy();
      plot.current = null;
    };
  }, [content]);

  const move = (event: KeyboardEvent) => {
    const last = labels.length - 1;
    const to = { ArrowLeft: (at ?? last + 1) - 1, ArrowRight: (at ?? -1) + 1, Home: 0, End: last, Escape: -1 }[event.key];
    if (to === undefined || plot.current === null) return;
    event.preventDefault();
    const next = Math.min(last, Math.max(0, to));
    if (event.key === "Escape") plot.current.setCursor({ left: -10, top: -10 });
    else plot.current.setCursor({ left: plot.current.valToPos(next, "x"), top: 10 });
  };

  return (
    <div class="plot" tabIndex={0} role="group" aria-label={`${label}. Use the arrow keys to read the values.`} onKeyDown={move}>
      <div class="plot-place" ref={container} />
      <div class="unseen" aria-live="polite">
        {at === null ? "" : `${titles[at] ?? ""}: ${lines.map(({ name, data }) => `${name} ${props.format(data[at] ?? null).exact}`).join(", ")}`}
      </div>
      {at !== null && at < labels.length && <Tooltip {...props} at={at} />}
    </div>
  );
}

function Tooltip({ lines, labels, titles, earlierTitles, isOpenEnd, format, at }: PlotProps & { readonly at: number }) {
  const last = labels.length - 1;
  const share = at / Math.max(1, last);
  const row = (line: PlotLine, key: string, name: string) => (
    <div class="tooltip-row" key={line.name}>
      <span class={`key ${key}`} />
      <span class="tooltip-name">{name}</span>
      <span class="num">{format(line.data[at] ?? null).exact}</span>
    </div>
  );
  // List the current period first, although it is drawn last.
  const now = lines.filter(({ isEarlier }) => isEarlier !== true);
  const earlier = lines.filter(({ isEarlier }) => isEarlier === true);
  return (
    <div class={share > 0.5 ? "tooltip left" : "tooltip"} style={{ left: `${8 + share * 84}%` }} aria-hidden="true">
      <div class="tooltip-title">
        {titles[at]}
        {isOpenEnd && at === last && <span class="faint"> · not over yet</span>}
      </div>
      {now.map((line, index) => row(line, keyClass(line, index), line.name))}
      {earlier.map((line) => row(line, "earlier", earlierTitles?.[at] ?? line.name))}
    </div>
  );
}

interface PlotBucket extends NamedBucket {
  readonly partial: boolean;
}

interface TimePlotProps extends Omit<PlotProps, "labels" | "titles" | "earlierTitles" | "isOpenEnd"> {
  readonly buckets: readonly PlotBucket[];
  /** The first series of the comparison period is drawn too. */
  readonly earlier?: { readonly buckets: readonly PlotBucket[]; readonly series: readonly { readonly data: readonly (number | null)[] }[] } | null;
  /** Of the calendar, as in `interval`. */
  readonly unit: string;
}

export function TimePlot({ buckets, earlier = null, unit, lines, ...plot }: TimePlotProps) {
  const { bucketLong, bucketShort } = useLook().formats;
  const titlesOf = (all: readonly PlotBucket[]) => all.map((bucket) => bucketLong(bucket, unit));
  const before = (earlier?.series ?? []).slice(0, 1).map(({ data }) => ({ name: "Previous", data, isEarlier: true }));
  const titles = { titles: titlesOf(buckets), earlierTitles: titlesOf(earlier?.buckets ?? []) };
  return <Plot {...plot} {...titles} lines={[...before, ...lines]} isOpenEnd={buckets.at(-1)?.partial === true} labels={buckets.map(bucketShort)} />;
}

function keyClass(line: Pick<PlotLine, "isRest">, at: number): string {
  return `k${colorOf(line, at) + 1}`;
}

export function Legend({ lines }: { readonly lines: readonly Pick<PlotLine, "name" | "isRest">[] }) {
  return (
    <ul class="legend">
      {lines.map((line, at) => (
        <li key={line.name}>
          <span class={`key ${keyClass(line, at)}`} />
          {line.name}
        </li>
      ))}
    </ul>
  );
}
