import { flag, oneOf, text, wholeNumber, type AddressCodec } from "./codecs.js";
import { eventChoice, stepList } from "./event-choice.js";

export const MEASURES = [
  ...(["events", "unique_users", "sessions", "unique_values", "sum", "avg", "median", "min", "max", "p25", "p75", "p90", "p95", "p99"] as const),
  "revenue",
] as const;

/** The choices of each view, in addition to those that all views share, with their URL codecs. */
export const CHOICES = {
  overview: {
    figure: oneOf(["visitors", "visits", "views"]),
    pages: oneOf(["top", "entry", "exit"]),
    sources: oneOf(["source", "channel", "referrer", "campaign"]),
    places: oneOf(["country", "region", "city"]),
    devices: oneOf(["device", "browser", "system", "screen"]),
  },
  trends: {
    event: text(),
    measure: oneOf(MEASURES),
    field: text(),
    by: text(),
    cumulative: flag(),
    chart: oneOf(["line", "bar"]),
  },
  funnels: {
    step: stepList,
    order: oneOf(["sequential", "strict", "any"]),
    level: oneOf(["identity", "account", "session"]),
    window: wholeNumber(14, 1, 366),
    by: text(),
  },
  retention: {
    shown: oneOf(["cohorts", "lifecycle", "stickiness"]),
    cohort: eventChoice,
    back: eventChoice,
    members: oneOf(["first_time", "recurring"]),
    returned: oneOf(["on", "on_or_after"]),
    unit: oneOf(["week", "day", "month"]),
    periods: wholeNumber(11, 1, 30),
  },
  paths: { node: text("path"), start: text(), end: text(), depth: wholeNumber(4, 2, 10) },
  events: { event: text(), open: text() },
  people: { person: text() },
  companies: { sort: oneOf(["users", "events", "last_seen", "revenue"]), company: text() },
  revenue: {
    model: oneOf(["first_touch", "last_touch"]),
    dimension: oneOf(["source", "medium", "campaign"]),
    level: oneOf(["account", "identity"]),
  },
  privacy: {},
  store: {},
} as const satisfies Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export type ViewName = keyof typeof CHOICES;
export const VIEW_NAMES = Object.keys(CHOICES) as readonly ViewName[];

type ValuesOf<T> = { readonly [K in keyof T]: T[K] extends AddressCodec<infer V> ? V : never };

/** The choices of one view. */
export type ChoicesOf<V extends ViewName> = ValuesOf<(typeof CHOICES)[V]>;

/** The choices of all views, by name of the view. */
export type Choices = { readonly [V in ViewName]: ChoicesOf<V> };

/** A view's choices with their codecs, for iteration. */
export function codecsOf(view: ViewName): [string, AddressCodec<unknown>][] {
  return Object.entries(CHOICES[view]) as [string, AddressCodec<unknown>][];
}

function initialOf(view: ViewName): object {
  return Object.fromEntries(codecsOf(view).map(([name, { initial }]) => [name, initial]));
}

export const INITIAL_CHOICES = Object.fromEntries(VIEW_NAMES.map((view) => [view, initialOf(view)])) as Choices;
