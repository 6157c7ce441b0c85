import { flag, oneOf, single, text, wholeNumber, type AddressCodec } from "./codecs.js";
import { eventChoice, stepList, filterList, type Filter } from "./filter.js";
import { dayIn, rangeOf, unitFor, INTERVALS, isZone, period, type Period, type DayRange, type Unit } from "./period.js";

export const MEASURES = [
  ...(["events", "unique_users", "sessions", "unique_values", "sum", "avg", "median", "min", "max", "p25", "p75", "p90", "p95", "p99"] as const),
  "revenue",
] as const;

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
export const VIEW_NAMES = Object.keys(CHOICES) as ["overview", ...ViewName[]];

type ValuesOf<T> = { readonly [K in keyof T]: T[K] extends AddressCodec<infer V> ? V : never };

export type ChoicesOf<V extends ViewName> = ValuesOf<(typeof CHOICES)[V]>;

export type Choices = { readonly [V in ViewName]: ChoicesOf<V> };

function codecsOf(view: ViewName): [string, AddressCodec<unknown>][] {
  return Object.entries(CHOICES[view]) as [string, AddressCodec<unknown>][];
}

function initialOf(view: ViewName): object {
  return Object.fromEntries(codecsOf(view).map(([name, { initial }]) => [name, initial]));
}

export const INITIAL_CHOICES = Object.fromEntries(VIEW_NAMES.map((view) => [view, initialOf(view)])) as Choices;

/** Everything that determines what the page shows. The URL contains all of it. */
export interface ViewState {
  readonly view: ViewName;
  /** "": the one with the most events. */
  readonly project: string;
  readonly period: Period;
  readonly compare: "previous" | "year" | "none";
  readonly interval: (typeof INTERVALS)[number];
  /** "": the browser's. */
  readonly zone: string;
  readonly filters: readonly Filter[];
  readonly choices: Choices;
}

export function choose<V extends ViewName>(viewState: ViewState, view: V, changed: Partial<ChoicesOf<V>>): ViewState {
  return { ...viewState, view, choices: { ...viewState.choices, [view]: { ...viewState.choices[view], ...changed } } };
}

/** The current time, and the first and last day of the project's data (null: unknown, or no data). */
export interface PageClock {
  readonly nowMs: number;
  readonly extent: { readonly from: string; readonly to: string } | null;
}

export interface ViewScope extends DayRange {
  readonly project: string;
  readonly zone: string;
  readonly today: string;
  readonly unit: Unit;
  readonly compare: "previous_period" | "previous_year" | null;
  readonly filters: readonly Filter[];
}

const COMPARE = { previous: "previous_period", year: "previous_year", none: null } as const;

export function scopeOf(viewState: ViewState, { nowMs, extent }: PageClock): ViewScope {
  const zone = viewState.zone === "" ? "UTC" : viewState.zone;
  const today = dayIn(zone, nowMs);
  const range = rangeOf(viewState.period, today);
  const isOpen = range.from === null || range.to === null;
  const unit = viewState.interval === "auto" ? unitFor(isOpen && extent !== null ? extent : range) : viewState.interval;
  return { ...range, project: viewState.project, zone, today, unit, compare: isOpen ? null : COMPARE[viewState.compare], filters: viewState.filters };
}

const SHARED = {
  view: oneOf(VIEW_NAMES),
  project: text(),
  period,
  compare: oneOf(["previous", "year", "none"]),
  interval: oneOf(INTERVALS),
  zone: single("", (given) => (isZone(given.trim()) ? given.trim() : "")),
  filters: filterList,
} satisfies { readonly [K in Exclude<keyof ViewState, "choices">]: AddressCodec<ViewState[K]> };

/** Each filter is a parameter of its own, so the name is singular. */
const NAMES: Readonly<Record<string, string>> = { filters: "filter" };

const SHARED_CODECS = Object.entries(SHARED) as [keyof typeof SHARED, AddressCodec<unknown>][];

/** The URL query of a view state, without `?`. Choices of other views are left out. */
export function addressOf(viewState: ViewState): string {
  const query = new URLSearchParams();
  const write = (name: string, codec: AddressCodec<unknown>, value: unknown) => {
    for (const text of codec.print(value)) query.append(name, text);
  };
  for (const [name, codec] of SHARED_CODECS) write(NAMES[name] ?? name, codec, viewState[name]);
  const chosen = new Map<string, unknown>(Object.entries(viewState.choices[viewState.view]));
  for (const [name, codec] of codecsOf(viewState.view)) write(`${viewState.view}.${name}`, codec, chosen.get(name) ?? codec.initial);
  return query.toString().replaceAll("%2F", "/").replaceAll("%7E", "~").replaceAll("%21", "!").replaceAll("%3A", ":");
}

export function viewStateOf(search: string): ViewState {
  const query = new URLSearchParams(search);
  const read = SHARED_CODECS.map(([name, codec]) => [name, codec.parse(query.getAll(NAMES[name] ?? name))]);
  // Each member is what the codec of its name has parsed.
  const shared = Object.fromEntries(read) as Omit<ViewState, "choices">;
  return { ...shared, choices: choicesIn(query, shared.view) };
}

function choicesIn(query: URLSearchParams, shown: ViewName): Choices {
  const read = codecsOf(shown).map(([name, codec]) => [name, codec.parse(query.getAll(`${shown}.${name}`))]);
  return { ...INITIAL_CHOICES, [shown]: Object.fromEntries(read) };
}
