import { CHOICES, INITIAL_CHOICES, VIEW_NAMES, codecsOf, type Choices, type ViewName } from "./choices.js";
import { oneOf, text, type AddressCodec } from "./codecs.js";
import { isZone, INTERVALS, period } from "./period.js";
import { filterList } from "./filter.js";
import type { ViewState } from "./view-state.js";

const view: AddressCodec<ViewName> = {
  initial: "overview",
  parse: ([given = ""]) => VIEW_NAMES.find((name) => name === given.trim().toLowerCase()) ?? "overview",
  print: (name) => (name === "overview" ? [] : [name]),
};

const zone: AddressCodec<string> = {
  initial: "",
  parse: ([given = ""]) => (isZone(given.trim()) ? given.trim() : ""),
  print: (name) => (name === "" ? [] : [name]),
};

/** Members that all views share. */
const SHARED = {
  view,
  project: text(),
  period,
  compare: oneOf(["previous", "year", "none"]),
  interval: oneOf(INTERVALS),
  zone,
  filters: filterList,
} satisfies { readonly [K in Exclude<keyof ViewState, "choices">]: AddressCodec<ViewState[K]> };

/** Each filter is a parameter of its own, so the name is singular. */
const NAMES: Readonly<Record<string, string>> = { filters: "filter" };

/** The URL query of a view state, without `?`. Choices of other views are left out. */
export function addressOf(viewState: ViewState): string {
  const query = new URLSearchParams();
  const write = <T>(name: string, codec: AddressCodec<T>, value: T) => {
    for (const text of codec.print(value)) query.append(name, text);
  };
  write("view", SHARED.view, viewState.view);
  write("project", SHARED.project, viewState.project);
  write("period", SHARED.period, viewState.period);
  write("compare", SHARED.compare, viewState.compare);
  write("interval", SHARED.interval, viewState.interval);
  write("zone", SHARED.zone, viewState.zone);
  write("filter", SHARED.filters, viewState.filters);
  const chosen = new Map<string, unknown>(Object.entries(viewState.choices[viewState.view]));
  for (const [name, codec] of codecsOf(viewState.view)) write(`${viewState.view}.${name}`, codec, chosen.get(name) ?? codec.initial);
  return query.toString().replaceAll("%2F", "/").replaceAll("%7E", "~").replaceAll("%21", "!").replaceAll("%3A", ":");
}

/** Parses a URL query. Invalid parts get their initial value. */
export function viewStateOf(search: string): ViewState {
  const query = new URLSearchParams(search);
  const read = <K extends keyof typeof SHARED>(name: K) => SHARED[name].parse(query.getAll(NAMES[name] ?? name)) as ViewState[K];
  const current = read("view");
  return {
    view: current,
    project: read("project"),
    period: read("period"),
    compare: read("compare"),
    interval: read("interval"),
    zone: read("zone"),
    filters: read("filters"),
    choices: choicesIn(query, current),
  };
}

function choicesIn(query: URLSearchParams, shown: ViewName): Choices {
  if (Object.keys(CHOICES[shown]).length === 0) return INITIAL_CHOICES;
  const read = codecsOf(shown).map(([name, codec]) => [name, codec.parse(query.getAll(`${shown}.${name}`))]);
  return { ...INITIAL_CHOICES, [shown]: Object.fromEntries(read) };
}
