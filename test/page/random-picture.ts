import fc from "fast-check";
import { CHOICES, INITIAL_CHOICES, MEASURES, VIEW_NAMES, type ChoicesOf, type ViewName, type ViewState } from "../../src/page/state/view-state.js";
import { OPERATORS, filterOf, type Filter, type OperatorName, type EventChoice } from "../../src/page/state/filter.js";
import { INTERVALS, PERIODS, type Period, type PeriodName } from "../../src/page/state/period.js";

/** Texts as strangers write them: with what stands between parts of addresses too. */
const text = fc.oneof(fc.string({ unit: "grapheme", maxLength: 12 }), fc.constantFrom("~", "!", "!0~!1", "a&b=c#d", "%7E", "+", "ü ✓", "<b>"));
const filled = text.filter((each) => each !== "");
const operator = fc.constantFrom(...(Object.keys(OPERATORS) as OperatorName[]));

const filter: fc.Arbitrary<Filter> = fc
  .tuple(filled, operator, filled)
  .map(([field, name, value]) => filterOf(field, name, value) ?? { field, operator: "is", value });
const eventChoice: fc.Arbitrary<EventChoice> = fc.record({ event: text, filters: fc.array(filter, { maxLength: 3 }) });

const day = fc.date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10));
const days = fc.tuple(day, day).map(([a, b]) => (a <= b ? { from: a, to: b } : { from: b, to: a }));
const period: fc.Arbitrary<Period> = fc.oneof(fc.constantFrom(...(Object.keys(PERIODS) as PeriodName[])), days);

type ChoiceArbitraries = { readonly [V in ViewName]: { readonly [K in keyof ChoicesOf<V>]: fc.Arbitrary<ChoicesOf<V>[K]> } };

const CHOICE_ARBITRARIES: ChoiceArbitraries = {
  overview: {
    figure: fc.constantFrom("visitors", "visits", "views"),
    pages: fc.constantFrom("top", "entry", "exit"),
    sources: fc.constantFrom("source", "channel", "referrer", "campaign"),
    places: fc.constantFrom("country", "region", "city"),
    devices: fc.constantFrom("device", "browser", "system", "screen"),
  },
  trends: {
    event: text,
    measure: fc.constantFrom(...MEASURES),
    field: text,
    by: text,
    cumulative: fc.boolean(),
    chart: fc.constantFrom("line", "bar"),
  },
  funnels: {
    step: fc.array(eventChoice, { maxLength: 5 }),
    order: fc.constantFrom("sequential", "strict", "any"),
    level: fc.constantFrom("identity", "account", "session"),
    window: fc.integer({ min: 1, max: 366 }),
    by: text,
  },
  retention: {
    shown: fc.constantFrom("cohorts", "lifecycle", "stickiness"),
    cohort: eventChoice,
    back: eventChoice,
    members: fc.constantFrom("first_time", "recurring"),
    returned: fc.constantFrom("on", "on_or_after"),
    unit: fc.constantFrom("week", "day", "month"),
    periods: fc.integer({ min: 1, max: 30 }),
  },
  paths: { node: text, start: text, end: text, depth: fc.integer({ min: 2, max: 10 }) },
  events: { event: text, open: text },
  people: { person: text },
  companies: { sort: fc.constantFrom("users", "events", "last_seen", "revenue"), company: text },
  revenue: {
    model: fc.constantFrom("first_touch", "last_touch"),
    dimension: fc.constantFrom("source", "medium", "campaign"),
    level: fc.constantFrom("account", "identity"),
  },
  privacy: {},
  store: {},
};

/** Any picture of a view; choices of views that are not shown are the initial ones, as an address leaves them. */
export function pictureOfView(view: ViewName): fc.Arbitrary<ViewState> {
  return fc.record({
    view: fc.constant(view),
    project: text,
    period,
    compare: fc.constantFrom("previous", "year", "none"),
    interval: fc.constantFrom(...INTERVALS),
    zone: fc.constantFrom("", "UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Asia/Tokyo"),
    filters: fc.array(filter, { maxLength: 5 }),
    choices: fc.record(CHOICE_ARBITRARIES[view] as Record<string, fc.Arbitrary<unknown>>).map((chosen) => ({ ...INITIAL_CHOICES, [view]: chosen })),
  });
}

export const picture: fc.Arbitrary<ViewState> = fc.constantFrom(...VIEW_NAMES).chain(pictureOfView);

/** That the arbitraries have every choice there is. */
export const CHOICE_NAMES = Object.fromEntries(VIEW_NAMES.map((view) => [view, [Object.keys(CHOICES[view]), Object.keys(CHOICE_ARBITRARIES[view])]]));
