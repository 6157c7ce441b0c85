import { grouped, hostOf, touchOf, type Books, type Fact, type Visit } from "./books.js";
import { countryOf } from "./people.js";

const rate = (a: number, b: number) => (b === 0 ? null : Math.round((a / b) * 10_000) / 10_000);
const secondsOf = (ms: number) => Math.round(ms) / 1_000;
const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
const distinct = (items: readonly string[]) => new Set(items).size;
const isView = ({ name }: Fact) => name === "pageview";
const isBounce = ({ facts }: Visit) => facts.length === 1;
const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const first = ({ facts }: Visit): Fact => at(facts, 0);
const last = ({ facts }: Visit): Fact => at(facts, -1);
const lengthMs = (visit: Visit) => last(visit).ms - first(visit).ms;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

function at(facts: readonly Fact[], index: number): Fact {
  const fact = facts.at(index);
  if (fact === undefined) throw new Error("a visit without events");
  return fact;
}

/** Linear between the two neighbours. */
function percentile(numbers: readonly number[], p: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const place = (sorted.length - 1) * p;
  const below = sorted[Math.floor(place)] ?? 0;
  return below + ((sorted[Math.ceil(place)] ?? 0) - below) * (place - Math.floor(place));
}

/** The figures of `webOverview`, in the names of the wire. */
export function webOf(books: Books, nowMs: number) {
  const { events, views, visits } = books;
  const list = (valueOf: (visit: Visit) => string) =>
    [...grouped(visits, valueOf)]
      .map(([value, those]) => ({ value, visitors: distinct(those.map(({ who }) => who)), visits: those.length }))
      .sort((a, b) => b.visitors - a.visitors || b.visits - a.visits || byText(a.value, b.value));
  const days = [...new Set([...events.map(({ ms }) => dayOf(ms)), ...visits.map((visit) => dayOf(first(visit).ms))])].sort();
  return {
    now_online: distinct(events.filter(({ ms }) => ms >= nowMs - 300_000).map(({ who }) => who)),
    figures: {
      visitors: distinct(events.map(({ who }) => who)),
      views: views.length,
      visits: visits.length,
      views_per_visit: rate(sum(visits.map(({ facts }) => facts.filter(isView).length)), visits.length),
      bounce_rate: rate(visits.filter(isBounce).length, visits.length),
      duration_avg_sec: secondsOf(sum(visits.map(lengthMs)) / visits.length),
    },
    chart: days.map((day) => ({
      day,
      visitors: distinct(events.filter(({ ms }) => dayOf(ms) === day).map(({ who }) => who)),
      views: views.filter(({ ms }) => dayOf(ms) === day).length,
      visits: visits.filter((visit) => dayOf(first(visit).ms) === day).length,
    })),
    pages: [...grouped(views, ({ path }) => path)]
      .map(([value, those]) => ({ value, visitors: distinct(those.map(({ who }) => who)), views: those.length }))
      .sort((a, b) => b.visitors - a.visitors || b.views - a.views || byText(a.value, b.value)),
    entry_pages: list((visit) => first(visit).path),
    exit_pages: list((visit) => last(visit).path),
    sources: list((visit) => touchOf(first(visit)).source),
    mediums: list((visit) => touchOf(first(visit)).medium),
    campaigns: list((visit) => touchOf(first(visit)).campaign),
    countries: list((visit) => countryOf(first(visit).person.address)),
    devices: list((visit) => first(visit).person.kind.device),
    browsers: list((visit) => first(visit).person.kind.browser),
    systems: list((visit) => first(visit).person.kind.os),
  };
}

/** The figures of `sessionsOverview`. */
export function sessionsOf(books: Books) {
  const page = (valueOf: (visit: Visit) => string) =>
    [...grouped(books.visits, valueOf)]
      .map(([value, those]) => {
        const bounces = those.filter(isBounce).length;
        return { value, sessions: those.length, bounces, bounce_rate: rate(bounces, those.length) };
      })
      .sort((a, b) => b.sessions - a.sessions || byText(a.value, b.value));
  const rows = [...grouped(books.visits, (visit) => first(visit).person.kind.browser)]
    .map(([value, those]) => ({ values: [value], figures: figuresOf(those) }))
    .sort((a, b) => b.figures.sessions - a.figures.sessions || byText(a.values[0] ?? "", b.values[0] ?? ""));
  return { total: figuresOf(books.visits), rows, entry_pages: page((visit) => first(visit).path), exit_pages: page((visit) => last(visit).path) };
}

function figuresOf(visits: readonly Visit[]) {
  const lengths = visits.map(lengthMs);
  const facts = visits.flatMap((visit) => visit.facts);
  const bounces = visits.filter(isBounce).length;
  return {
    sessions: visits.length,
    users: distinct(visits.map(({ who }) => who)),
    events: facts.length,
    pageviews: facts.filter(isView).length,
    bounces,
    bounce_rate: rate(bounces, visits.length),
    duration_avg_sec: secondsOf(sum(lengths) / visits.length),
    duration_median_sec: secondsOf(percentile(lengths, 0.5)),
    duration_p90_sec: secondsOf(percentile(lengths, 0.9)),
    pages_per_session: rate(facts.filter(isView).length, visits.length),
  };
}

/** What `aggregate` lists: how many events have which value. */
export function countsOf(values: readonly string[]) {
  return [...grouped(values, (value) => value)]
    .map(([property, those]) => ({ property, count: those.length }))
    .sort((a, b) => b.count - a.count || byText(a.property, b.property));
}

export const referrersOf = (books: Books) => countsOf(books.views.map(({ referrer }) => hostOf(referrer)));
