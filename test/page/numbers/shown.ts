import type { Page } from "playwright-core";

/** One number, as it is seen and as whoever hovers over it reads it; `of`: the head of its column, or its name. */
export interface ShownNumber {
  readonly of: string;
  readonly short: string;
  readonly exact: string;
}

export interface ShownPanel {
  readonly title: string;
  /** "": nothing is asked. */
  readonly query: string;
  readonly also: string;
  /** The code of why there is no answer; "": there is one. */
  readonly error: string;
  readonly numbers: readonly ShownNumber[];
  /** For some places of the plot from its first on, what is read there. */
  readonly plot: readonly (readonly string[])[];
  /** Digits of texts that are neither numbers nor what strangers wrote. */
  readonly loose: string;
}

/** Places of a plot that are read, from its first one. */
export const PLACES_READ = 12;

/** All panels of the page, with every number in them. */
export async function shownPanels(page: Page): Promise<ShownPanel[]> {
  return await page.evaluate(async (placesRead) => {
    // Timers in a row are held up by browsers, messages are not.
    const { port1, port2 } = new MessageChannel();
    const turn = () =>
      new Promise((resolve) => {
        port1.onmessage = resolve;
        port2.postMessage(null);
      });
    const textOf = (element: Element | null | undefined) => element?.textContent?.trim() ?? "";
    const headOf = (element: Element) => {
      const cell = element.closest<HTMLTableCellElement>("td, th");
      const heads = cell?.closest("table")?.querySelectorAll("thead th");
      return textOf(heads?.item(cell?.cellIndex ?? 0) ?? element.closest("div")?.querySelector("dt")).replace(/ ↓$/, "");
    };
    const shortOf = (element: Element) => {
      const figure = element.querySelector(".flow-node-figure")?.firstChild ?? element.querySelector("[aria-hidden]:not(svg)") ?? element;
      return figure.textContent?.trim() ?? "";
    };
    const numbersOf = (panel: Element) =>
      [...panel.querySelectorAll<HTMLElement>(".num[data-exact], dd.num, .change, .heat:not(.none), .flow-node")].map((element) => ({
        of: headOf(element),
        short: shortOf(element),
        // The first line of a node is its name, which strangers wrote.
        exact: element.title.split("\n").at(-1) ?? "",
      }));
    const plotOf = async (panel: Element) => {
      const plot = panel.querySelector(".plot[tabindex]");
      const places: string[][] = [];
      if (plot === null) return places;
      const press = async (key: string) => {
        plot.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        await turn();
        await turn();
      };
      for (let at = 0; at < placesRead; at += 1) {
        await press(at === 0 ? "Home" : "ArrowRight");
        const reading = [...plot.querySelectorAll(".tooltip .num")].map(textOf);
        if (reading.length > 0) places.push([textOf(plot.querySelector(".tooltip-title")), ...reading]);
      }
      await press("Escape");
      return places;
    };
    const looseOf = (panel: Element) => {
      const body = panel.querySelector(".panel-body")?.cloneNode(true);
      if (!(body instanceof Element)) return "";
      const numbers = ".num, .change, .heat, .flow-node, .plot";
      const labelsAndTimes = ".legend, .notice, button, a, th, td, dt, dd, code, .cut-line, .funnel-name, .funnel-detail, strong, time";
      body.querySelectorAll(`${numbers}, ${labelsAndTimes}`).forEach((element) => element.remove());
      return textOf(body).replaceAll(/\D+/g, " ").trim();
    };
    const panels = [...document.querySelectorAll<HTMLElement>("[data-panel]")];
    const shown = [];
    for (const panel of panels)
      shown.push({
        title: panel.dataset["panel"] ?? "",
        query: panel.dataset["query"] ?? "",
        also: panel.dataset["also"] ?? "",
        error: panel.querySelector<HTMLElement>("[data-error]")?.dataset["error"] ?? "",
        numbers: numbersOf(panel),
        plot: await plotOf(panel),
        loose: looseOf(panel),
      });
    return shown;
  }, PLACES_READ);
}
