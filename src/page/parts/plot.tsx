import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { usePage } from "./page-context.js";
import { plotColours } from "./plot-colours.js";
import { plotData, plotOptions, plotSeries, type PlotLine, type PlotLook } from "./plot-options.js";

interface PlotProps extends PlotLook {
  /** Describes the plot for screen readers. */
  readonly label: string;
  readonly lines: readonly PlotLine[];
  /** Full names of the buckets, for the figures at the cursor; and those of the earlier period, if any. */
  readonly titles: readonly string[];
  readonly earlierTitles?: readonly string[];
}

/** Lines or bars over time. The pointer or the arrow keys show the figures of a bucket. */
export function Plot(props: PlotProps) {
  const { lines, labels, titles, kind, isOpenEnd, label } = props;
  const { theme } = usePage();
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const content = JSON.stringify([lines, labels, kind, isOpenEnd, theme]);

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const colours = plotColours(element);
    const size = () => ({ width: Math.max(120, element.clientWidth), height: Math.max(120, element.clientHeight) });
    const options = plotOptions(size(), lines, plotSeries(lines, labels.length, colours, props), colours, props);
    const made = new uPlot(
      { ...options, hooks: { setCursor: [(self) => setAt(self.cursor.idx ?? null)] } },
      plotData(lines, labels.length, props),
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => {
      const { width, height } = size();
      if (width !== made.width || height !== made.height) made.setSize({ width, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [content]);

  const move = (event: KeyboardEvent) => {
    const last = labels.length - 1;
    const to = { ArrowLeft: (at ?? last + 1) - 1, ArrowRight: (at ?? -1) + 1, Home: 0, End: last, Escape: -1 }[event.key];
    if (to === undefined || plot.current === null) return;
    event.preventDefault();
    const next = Math.min(last, Math.max(0, to));
    if (to === -1 && event.key === "Escape") plot.current.setCursor({ left: -10, top: -10 });
    else plot.current.setCursor({ left: plot.current.valToPos(next, "x"), top: 10 });
  };

  return (
    <div class="plot" tabIndex={0} role="group" aria-label={`${label}. Use the arrow keys to read the values.`} onKeyDown={move}>
      <div class="plot-place" ref={place} />
      <div class="unseen" aria-live="polite">
        {at === null ? "" : `${titles[at] ?? ""}: ${lines.map(({ name, data }) => `${name} ${props.format(data[at] ?? null).exact}`).join(", ")}`}
      </div>
      {at !== null && at < labels.length && (
        <Reading {...props} at={at} share={labels.length < 2 ? 0 : at / (labels.length - 1)} isOpen={isOpenEnd && at === labels.length - 1} />
      )}
    </div>
  );
}

function Reading({
  lines,
  titles,
  earlierTitles,
  format,
  at,
  share,
  isOpen,
}: PlotProps & { readonly at: number; readonly share: number; readonly isOpen: boolean }) {
  // The current period comes first here, although it is drawn last, on top.
  const now = lines.filter(({ isEarlier }) => isEarlier !== true);
  const earlier = lines.filter(({ isEarlier }) => isEarlier === true);
  return (
    <div class={share > 0.5 ? "reading left" : "reading"} style={{ left: `${8 + share * 84}%` }} aria-hidden="true">
      <div class="reading-title">
        {titles[at]}
        {isOpen && <span class="faint"> · not over yet</span>}
      </div>
      {now.map(({ name, data }, index) => (
        <div class="reading-row" key={name}>
          <span class={`key k${(index % 9) + 1}`} />
          <span class="reading-name">{name}</span>
          <span class="num">{format(data[at] ?? null).exact}</span>
        </div>
      ))}
      {earlier.map(({ name, data }) => (
        <div class="reading-row" key={name}>
          <span class="key earlier" />
          <span class="reading-name">{earlierTitles?.[at] ?? name}</span>
          <span class="num">{format(data[at] ?? null).exact}</span>
        </div>
      ))}
    </div>
  );
}

/** Explains the colours of several lines. */
export function Legend({ names }: { readonly names: readonly string[] }) {
  return (
    <ul class="legend">
      {names.map((name, at) => (
        <li key={name}>
          <span class={`key k${(at % 9) + 1}`} />
          {name}
        </li>
      ))}
    </ul>
  );
}
