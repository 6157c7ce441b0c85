import { createElement } from "react";
import type { DaybookBoardItem, DaybookErrorEvent, ElementQueries } from "../embed/index.js";

export type { DaybookBoardItem, DaybookErrorEvent, ElementQueries } from "../embed/index.js";

/** Properties of all components. A property that is left out has the default of the element. */
export interface DaybookElementProps {
  /** URL of the Daybook server; in a bundle, the default is the origin of the page. */
  readonly server?: string | undefined;
  /** URL that answers `{ "token": "…", "expires_at"?: "…" }` or a token as text; it is fetched with credentials. */
  readonly tokenUrl?: string | undefined;
  readonly token?: string | undefined;
  /** Language of numbers and dates, such as `de`. */
  readonly locale?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly group?: string | undefined;
  /** `30d` or `2026-03-01..2026-03-31`. */
  readonly dateRange?: string | undefined;
  readonly id?: string | undefined;
  readonly className?: string | undefined;
  /** Of the element: custom properties such as `--daybook-accent` too. */
  readonly style?: Readonly<Record<string, string | number>> | undefined;
  /** Called with each error that the element shows. */
  readonly onError?: ((event: DaybookErrorEvent) => void) | undefined;
}

interface QueryProps<Name extends keyof ElementQueries> extends DaybookElementProps {
  readonly query: Pick<ElementQueries, Name>;
  readonly heading?: string | undefined;
}

export interface DaybookChartProps extends QueryProps<"trend"> {
  readonly type?: "line" | "bars" | "stacked-bars" | undefined;
}

export interface DaybookNumberProps extends QueryProps<"trend"> {
  readonly lowerIsBetter?: boolean | undefined;
}

export type DaybookListProps = QueryProps<"trend">;
export type DaybookFunnelProps = QueryProps<"funnel">;
export type DaybookRetentionProps = QueryProps<"retention">;

export interface DaybookBoardProps extends DaybookElementProps {
  readonly items: readonly DaybookBoardItem[];
}

/** What a component renders: an element of React. */
export interface RenderedElement {
  readonly type: string;
  readonly props: unknown;
  readonly key: string | null;
}

type Component<Props> = (props: Props) => RenderedElement;

const SHARED = ["server", "tokenUrl", "token", "locale", "timeZone", "group", "dateRange"];

/** @param names of the properties that the element takes besides those of all elements */
function component<Props extends DaybookElementProps>(tag: string, names: readonly string[]): Component<Props> {
  return ({ id, className, style, onError, ...given }) => {
    const values = new Map<string, unknown>(Object.entries(given));
    let shown: HTMLElement | null = null;
    // React calls the function of the last rendering with null, then that of this one with the element.
    const ref = (element: HTMLElement | null) => {
      if (onError !== undefined) shown?.removeEventListener("daybook-error", onError);
      shown = element;
      if (element === null) return;
      if (onError !== undefined) element.addEventListener("daybook-error", onError);
      for (const name of [...SHARED, ...names]) Reflect.set(element, name, values.get(name) ?? null);
    };
    return createElement(tag, { id, class: className, style, ref });
  };
}

export const DaybookChart = component<DaybookChartProps>("daybook-chart", ["query", "heading", "type"]);
export const DaybookNumber = component<DaybookNumberProps>("daybook-number", ["query", "heading", "lowerIsBetter"]);
export const DaybookList = component<DaybookListProps>("daybook-list", ["query", "heading"]);
export const DaybookFunnel = component<DaybookFunnelProps>("daybook-funnel", ["query", "heading"]);
export const DaybookRetention = component<DaybookRetentionProps>("daybook-retention", ["query", "heading"]);
export const DaybookBoard = component<DaybookBoardProps>("daybook-board", ["items"]);

// Servers that render components have no elements.
if (typeof customElements !== "undefined") void import("daybook/embed");
