/** Colours of the style sheet for a canvas, in the current theme. */
export interface PlotColours {
  readonly text: string;
  readonly grid: string;
  readonly faint: string;
  readonly series: readonly string[];
}

const SERIES_COLOURS = 9;

export function plotColours(element: HTMLElement): PlotColours {
  const probe = document.createElement("span");
  element.append(probe);
  const read = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = {
    text: read("--text-2"),
    grid: read("--line"),
    faint: read("--text-3"),
    series: Array.from({ length: SERIES_COLOURS }, (_, at) => read(`--series-${at + 1}`)),
  };
  probe.remove();
  return colours;
}

/** The same colour with an alpha value. */
export function thin(colour: string, alpha: number): string {
  const [r, g, b] = colour.match(/[\d.]+/g) ?? [];
  return r === undefined || g === undefined || b === undefined ? colour : `rgba(${r}, ${g}, ${b}, ${alpha})`;
}
