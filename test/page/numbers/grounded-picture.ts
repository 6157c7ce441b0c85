import fc from "fast-check";
import type { Random } from "daybook/testing";
import {
  anonymousIds, companyIds, countries, devices, emails, labels, names, numericFields, plans, urls, userIds, usualFields,
} from "../../support/random/insight-values.js";
import type { ViewName, ViewState } from "../../../src/page/state/view-state.js";
import { ANY_EVENT, filterOf, type EventChoice, type Filter } from "../../../src/page/state/filter.js";
import { pictureOfView } from "../random-picture.js";

const DAY_MS = 86_400_000;
/** Fields and values that filters name. */
const FILTERED = [["device", devices], ["location_country", countries], ["path", urls], ["name", names], ["person.plan", plans]] as const;

/** What pictures are about. */
export interface Ground {
  readonly projects: readonly string[];
  /** Times of events. */
  readonly timesMs: readonly number[];
}

/** A random picture of a view; its texts are mostly such as the history has, for others find nothing. */
export function groundedPicture(random: Random, view: ViewName, { projects, timesMs }: Ground): ViewState {
  const [drawn] = fc.sample(pictureOfView(view), { seed: random.below(2 ** 31), numRuns: 1 });
  if (drawn === undefined) throw new Error("expected a picture");
  const isStrange = random.chance(0.1);
  const project = random.pick(projects);
  if (isStrange) return { ...drawn, project };
  return { ...drawn, project, period: periodOf(random, timesMs), filters: filtersOf(random), choices: choicesOf(random, drawn.choices) };
}

function periodOf(random: Random, timesMs: readonly number[]): ViewState["period"] {
  if (random.chance(0.4)) return random.pick(["all", "30d", "7d", "90d", "year"]);
  const day = () => new Date(random.pick(timesMs) + random.between(-2, 2) * DAY_MS).toISOString().slice(0, 10);
  const [from = "", to = ""] = [day(), day()].sort();
  return { from, to };
}

function filtersOf(random: Random): Filter[] {
  if (random.chance(0.6)) return [];
  const [field, values] = random.pick(FILTERED);
  const filter = filterOf(field, random.pick(["is", "is_not", "contains", "is_set", "is_not_set"]), random.pick(values));
  return filter === null ? [] : [filter];
}

function eventOf(random: Random): EventChoice {
  return { event: random.pick(names), filters: random.chance(0.8) ? [] : filtersOf(random) };
}

function choicesOf(random: Random, choices: ViewState["choices"]): ViewState["choices"] {
  const field = random.pick(["", "", ...usualFields]);
  const event = () => (random.chance(0.5) ? ANY_EVENT : eventOf(random));
  const station = () => random.pick(["", "", ...labels]);
  const steps = [random.pick(["a", "Pageview"]), random.pick(["b", "a"]), "c"].slice(0, random.between(2, 3));
  return {
    ...choices,
    trends: { ...choices.trends, event: random.pick(["", "", ...names]), field: random.pick(numericFields), by: field },
    funnels: { ...choices.funnels, step: steps.map((name) => ({ event: name, filters: [] })), by: field },
    retention: { ...choices.retention, cohort: event(), back: event() },
    paths: { ...choices.paths, node: random.pick(["path", "name", "device"]), start: station(), end: station() },
    events: { event: random.pick(["", ...names]), open: "" },
    people: { person: random.pick(["", ...userIds, ...anonymousIds, ...emails]).trim() },
    companies: { ...choices.companies, company: random.pick(["", ...companyIds]) },
  };
}
