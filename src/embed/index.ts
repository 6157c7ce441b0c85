import { boardClass } from "./board.js";
import { ELEMENT_KINDS } from "./drawings.js";
import { elementClass } from "./element.js";
import { PageElements } from "./page-elements.js";
import type { ElementQueries } from "./query.js";

export type { ElementQueries } from "./query.js";

/** Attributes of all elements, as properties; null: not set. */
export interface DaybookElement extends HTMLElement {
  /** URL of the Daybook server. Default: that of the script without `embed.js`; in a bundle, the origin of the page. */
  server: string | null;
  /** URL that answers `{ "token": "…", "expires_at"?: "…" }` or a token as text; it is fetched with credentials. */
  tokenUrl: string | null;
  /** A token, instead of `tokenUrl`. */
  token: string | null;
  /** Language of numbers and dates, such as `de`. Default: that of the page, then that of the browser. */
  locale: string | null;
  /** IANA name of the time zone of the query; replaces its own. */
  timeZone: string | null;
  /** Elements of a group have the same `dateRange`: the one that was set last on any of them. */
  group: string | null;
  /** `30d` or `2026-03-01..2026-03-31`; replaces the query's dates. */
  dateRange: string | null;
  /** Asks again now. */
  refresh(): void;
  /** Forgets the token of `tokenUrl`, and all answers of the page that were read with it; then asks again. For pages on which the account changes. */
  forgetToken(): void;
}

/** An element that shows the answer to one query. */
interface QueryElement<Name extends keyof ElementQueries> extends DaybookElement {
  /** As an object, or as JSON. */
  query: Pick<ElementQueries, Name> | string | null;
  /** Its title, above the chart. */
  heading: string | null;
}

/** `<daybook-chart>`: a trend as lines or bars. */
export interface DaybookChart extends QueryElement<"trend"> {
  /** Default `line`. */
  type: "line" | "bars" | "stacked-bars" | null;
}

/** `<daybook-number>`: the total of a trend, and its change. */
export interface DaybookNumber extends QueryElement<"trend"> {
  /** Whether a smaller number is a better one: `true` or `""` if so, else null. */
  lowerIsBetter: boolean | string | null;
}

/** `<daybook-list>`: the largest values of a trend with a breakdown. */
export type DaybookList = QueryElement<"trend">;

/** `<daybook-funnel>` */
export type DaybookFunnel = QueryElement<"funnel">;

/** `<daybook-retention>` */
export type DaybookRetention = QueryElement<"retention">;

interface ItemOptions {
  readonly heading?: string;
  /** Of the board's width. Default: `quarter` for numbers, `half` for lists and funnels, else `full`. */
  readonly width?: "full" | "half" | "third" | "quarter";
}

/** One element of a board. */
export type DaybookBoardItem = ItemOptions &
  (
    | { readonly show: "chart"; readonly query: Pick<ElementQueries, "trend">; readonly type?: "line" | "bars" | "stacked-bars" }
    | { readonly show: "number"; readonly query: Pick<ElementQueries, "trend">; readonly lowerIsBetter?: boolean }
    | { readonly show: "list"; readonly query: Pick<ElementQueries, "trend"> }
    | { readonly show: "funnel"; readonly query: Pick<ElementQueries, "funnel"> }
    | { readonly show: "retention"; readonly query: Pick<ElementQueries, "retention"> }
  );

/** `<daybook-board>`: several elements in a grid. */
export interface DaybookBoard extends DaybookElement {
  /** As a list, or as JSON. */
  items: readonly DaybookBoardItem[] | string | null;
}

/** An error that an element shows; it bubbles, out of shadow roots too. */
export type DaybookErrorEvent = CustomEvent<{ readonly code: string; readonly message: string }>;

declare global {
  interface HTMLElementTagNameMap {
    "daybook-chart": DaybookChart;
    "daybook-number": DaybookNumber;
    "daybook-list": DaybookList;
    "daybook-funnel": DaybookFunnel;
    "daybook-retention": DaybookRetention;
    "daybook-board": DaybookBoard;
  }

  interface HTMLElementEventMap {
    "daybook-error": DaybookErrorEvent;
  }

  interface DocumentEventMap {
    "daybook-error": DaybookErrorEvent;
  }

  interface WindowEventMap {
    "daybook-error": DaybookErrorEvent;
  }
}

/** Defines the elements that the page does not have yet: the script may be loaded twice. */
function defineElements(): void {
  const page = new PageElements();
  const define = (name: string, made: () => CustomElementConstructor) => {
    if (customElements.get(name) === undefined) customElements.define(name, made());
  };
  for (const kind of Object.values(ELEMENT_KINDS)) define(`daybook-${kind.name}`, () => elementClass(kind, page));
  define("daybook-board", () => boardClass(page));
}

// Servers import this module too, to render pages.
if (typeof customElements !== "undefined") defineElements();
