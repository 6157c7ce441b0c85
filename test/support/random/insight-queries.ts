import type {
  BreakdownInput, FunnelExclusionInput, FunnelInput, FunnelStepInput, Interval, LifecycleInput, PathsInput, RetentionInput, SessionsOverviewInput, StickinessInput, TrendInput, TrendMeasure, WebOverviewInput,
} from "../../../src/query/plan/input.js";
import { labels, stepNames } from "./insight-values.js";
import { anyField, dates, insightScope, narrowDates, numericField, selector, type Known } from "./insight-scope.js";

export type { Known } from "./insight-scope.js";

/** What each insight is asked. */
export interface InsightInputs {
  trend: TrendInput;
  funnel: FunnelInput;
  retention: RetentionInput;
  lifecycle: LifecycleInput;
  stickiness: StickinessInput;
  paths: PathsInput;
  sessionsOverview: SessionsOverviewInput;
  webOverview: WebOverviewInput;
}

export type InsightName = keyof InsightInputs;

/** A query of one insight. */
export type InsightQuery<Name extends InsightName = InsightName> = { [N in Name]: { readonly report: N; readonly input: InsightInputs[N] } }[Name];

/** A random query of an insight: each of its members, and their edges; what one in fifty asks cannot be answered. */
export function insightQuery<Name extends InsightName>(report: Name, known: Known): InsightQuery<Name> {
  const input: InsightInputs[Name] = inputs[report](known);
  return { report, input } as InsightQuery<Name>;
}

const inputs: { readonly [Name in InsightName]: (known: Known) => InsightInputs[Name] } = {
  trend: (known) => {
    const { random } = known;
    const interval = maybe(known, 0.9, () => anyInterval(known));
    return {
      ...insightScope(known), ...timed(known, interval), ...comparedTo(known, interval),
      ...(random.chance(0.85) ? { measure: anyMeasure(known) } : {}),
      ...(random.chance(0.5) ? { breakdown: breakdown(known) } : {}),
      ...(random.chance(0.25) ? { cumulative: random.chance(0.8) } : {}),
      ...(random.chance(0.4) ? { fill: random.chance(0.2) } : {}),
    };
  },
  funnel: (known) => {
    const { random } = known;
    const order = random.pick([undefined, "sequential", "strict", "any"] as const);
    const steps = funnelSteps(known, order === "any");
    const interval = maybe(known, 0.2, () => unit(known));
    return {
      ...insightScope(known), ...(interval === undefined ? {} : timed(known, interval)),
      steps,
      ...(order === undefined ? {} : { order }),
      ...(random.chance(0.7) ? { conversionWindowSec: random.pick([1, 60, 1_800, 3_600, 86_400, 604_800, 31_622_400]) } : {}),
      ...(random.chance(0.4) ? { exclusions: Array.from({ length: random.pick([1, 1, 2]) }, () => exclusion(known, steps.length, order === "any")) } : {}),
      ...(random.chance(0.6) ? { level: random.pick(["identity", "account", "session"] as const) } : {}),
      ...(random.chance(0.1) ? excludedBetween(known) : {}),
      ...(interval === undefined && random.chance(0.4) ? { breakdown: { ...breakdown(known), ...random.pick([{}, { at: "entry" as const }, { at: "last" as const }, { at: "last" as const }]) } } : {}),
    };
  },
  retention: (known) => {
    const { random } = known;
    return {
      ...insightScope(known), ...level(known), ...dayish(known),
      ...(random.chance(0.6) ? { cohortEvent: selector(known, true) } : {}),
      ...(random.chance(0.6) ? { returnEvent: selector(known, true) } : {}),
      ...(random.chance(0.7) ? { cohort: random.pick(["first_time", "recurring", "recurring"] as const) } : {}),
      ...(random.chance(0.7) ? { returned: random.pick(["on", "on_or_after"] as const) } : {}),
      ...(random.chance(0.9) ? { periods: random.pick([1, 2, 3, 4, 7, random.chance(0.02) ? 366 : 5]) } : {}),
      ...(random.chance(0.4) ? { breakdown: breakdown(known) } : {}),
    };
  },
  lifecycle: (known) => ({ ...insightScope(known), ...level(known), ...dayish(known) }),
  stickiness: (known) => {
    const { random } = known;
    const [interval, shorter] = random.pick([
      [undefined, ["hour", "day", "week", "month"]], ["total", ["hour", "day", "week", "month"]], ["week", ["hour", "day"]], ["month", ["hour", "day", "week"]], ["quarter", ["day", "week", "month"]], ["year", ["day", "week", "month"]],
    ] as const);
    return { ...insightScope(known), ...level(known), ...(interval === undefined ? {} : { interval }), ...(random.chance(0.7) ? { unit: random.pick<"hour" | "day" | "week" | "month">(shorter) } : {}) };
  },
  paths: (known) => {
    const { random } = known;
    const node = random.pick(["path", "path", "path", "name", "name", "device", "tags", "x", "person.plan", "first_touch.source", anyField(known)]);
    const label = () => random.pick(node === "name" ? [...stepNames, "Pageview", "page"] : labels);
    const [startAt, endAt] = [random.chance(0.3) ? label() : null, random.chance(0.3) ? label() : null];
    return {
      ...insightScope(known), ...withinVisits(known), ...(node === "path" && random.chance(0.5) ? {} : { node }),
      ...(random.chance(0.3) ? { rules: Array.from({ length: random.pick([0, 1, 2]) }, () => random.pick(RULES)) } : {}),
      ...(startAt === null ? {} : { startAt }),
      ...(endAt === null || endAt === startAt ? {} : { endAt }),
      ...(random.chance(0.5) ? { collapse: random.chance(0.3) } : {}),
      ...(random.chance(0.6) ? { maxDepth: random.pick([2, 2, 3, 4, 20]) } : {}),
      ...(random.chance(0.4) ? { limit: random.pick([1, 1, 2, 3, 1_000]) } : {}),
    };
  },
  sessionsOverview: (known) => {
    const interval = maybe(known, 0.7, () => anyInterval(known));
    const by = known.random.chance(0.5) ? { breakdown: breakdown(known) } : {};
    return { ...insightScope(known), ...withinVisits(known), ...(interval === undefined ? {} : timed(known, interval)), ...by, ...limit(known) };
  },
  webOverview: (known) => {
    const interval = maybe(known, 0.6, () => unit(known));
    return { ...insightScope(known), ...withinVisits(known), ...(interval === undefined ? {} : timed(known, interval)), ...comparedTo(known, interval), ...limit(known) };
  },
};

/** Now and then dates between which a visit goes on. */
function withinVisits(known: Known) {
  return known.random.chance(0.15) ? narrowDates(known) : {};
}

const RULES = [
  { pattern: "^/[ab]", label: "page" }, { pattern: "^[a-c]$", label: "step" }, { pattern: "(?i)^p", label: "/" }, { pattern: ".", label: "\u{1F600}" }, { pattern: "^/$", label: "/a" }, { pattern: "^\\[", label: "list" },
];

function maybe<T>({ random }: Known, share: number, draw: () => T): T | undefined {
  return random.chance(share) ? draw() : undefined;
}

function anyInterval(known: Known): Interval {
  return known.random.chance(0.15) ? "total" : unit(known);
}

function unit({ random }: Known) {
  return random.pick(["minute", "hour", "hour", "day", "day", "day", "week", "week", "month", "quarter", "year"] as const);
}

/** The interval; where its units are short, mostly dates that are near each other. */
function timed<I extends Interval>(known: Known, interval: I | undefined): { interval?: I; startDate?: TrendInput["startDate"]; endDate?: TrendInput["endDate"] } {
  if (interval === undefined) return {};
  const isShort = interval === "minute" || interval === "hour";
  return { interval, ...(isShort && known.random.chance(0.99) ? narrowDates(known) : {}) };
}

function comparedTo(known: Known, interval: Interval | undefined) {
  const { random, timesMs } = known;
  if (!random.chance(0.25)) return {};
  // Mostly with something before them.
  const later = [...timesMs].sort((a, b) => a - b).slice(timesMs.length / 2);
  const between = interval === "minute" || interval === "hour" ? narrowDates(known) : dates({ ...known, timesMs: later }, 1, 1);
  return { compare: random.pick(["previous_period", "previous_period", "previous_year"] as const), ...(random.chance(0.98) ? between : {}) };
}

function anyMeasure(known: Known): TrendMeasure {
  const { random } = known;
  const type = random.pick(["events", "unique_users", "unique_users", "unique_values", "sum", "avg", "min", "max", "p25", "median", "p75", "p90", "p95", "p99", "sessions", "sessions", "revenue", "revenue"] as const);
  if (type === "events" || type === "unique_users" || type === "sessions" || type === "revenue") return random.chance(0.2) ? { type, field: null } : { type };
  return { type, field: type === "unique_values" ? anyField(known) : numericField(known) };
}

function breakdown(known: Known): BreakdownInput {
  const { random } = known;
  const [one, other] = [anyField(known), anyField(known)];
  return {
    fields: isSameField(one, other) || random.chance(0.7) ? [one] : [one, other],
    ...(random.chance(0.7) ? { limit: random.pick([1, 1, 1, 2, 2, 3, 1_000]) } : {}),
    ...(random.chance(0.7) ? { rest: random.chance(0.9) } : {}),
  };
}

/** Other spellings of one field are not two fields. */
function isSameField(one: string, other: string): boolean {
  const spelled = (name: string) => name.replace(/^metadata\.|_/g, "").toLowerCase();
  return spelled(one) === spelled(other);
}

/** Mostly the ways that people go in a history, so that many get far. */
function funnelSteps(known: Known, isAny: boolean): FunnelStepInput[] {
  const { random } = known;
  const named = (step: FunnelStepInput) => (random.chance(0.15) ? { ...step, name: random.pick(["Step", "\u{1F600}", "a"]) } : step);
  if (random.chance(0.5)) return stepNames.slice(0, random.between(2, 4)).map((eventName) => named({ eventName }));
  // With more steps the oracle, which tries all ways, takes minutes.
  if (random.chance(0.04)) return Array.from({ length: random.between(5, isAny ? 5 : 7) }, (_, index) => ({ eventName: stepNames[index % 3] ?? "a" }));
  if (random.chance(0.2)) return Array.from({ length: random.between(2, 3) }, () => named({ eventName: "a" }));
  const isBroad = random.chance(0.3);
  const broad = () => ({ filterGroups: [{ filters: [random.pick([{ fieldName: "name", operator: "in", value: ["a", "b", "c"] }, { fieldName: "name", operator: "is_set" }, { fieldName: "name", operator: "!=", value: "a" }])] }] });
  return Array.from({ length: random.between(2, 4) }, () => named(isBroad && random.chance(0.7) ? broad() : selector(known, false)));
}

function exclusion(known: Known, stepCount: number, isAny: boolean): FunnelExclusionInput {
  const { random } = known;
  const selected = random.chance(0.7) ? { eventName: "x" } : selector(known, false);
  if (isAny || random.chance(0.3)) return random.pick([selected, { ...selected, afterStep: 1, beforeStep: stepCount }, { ...selected, afterStep: null }]);
  const afterStep = random.between(1, stepCount - 1);
  return { ...selected, afterStep, ...random.pick([{}, { beforeStep: afterStep + 1 }, { beforeStep: random.between(afterStep + 1, stepCount) }]) };
}

/** The way that many go, and what some do on it: only between two of the steps it ends their try. */
function excludedBetween({ random }: Known): Pick<FunnelInput, "steps" | "order" | "exclusions"> {
  const places = random.pick([{ beforeStep: 2 }, { afterStep: 1, beforeStep: 2 }, { afterStep: 2 }, { afterStep: 2, beforeStep: 3 }]);
  return { steps: stepNames.slice(0, random.between(3, 4)).map((eventName) => ({ eventName })), order: "sequential", exclusions: [{ eventName: "x", ...places }] };
}

function level({ random }: Known) {
  return random.pick([{}, {}, { level: "identity" as const }, { level: "account" as const }, { level: null }]);
}

function dayish({ random }: Known) {
  return random.pick([{}, { interval: "day" as const }, { interval: "week" as const }, { interval: "month" as const }]);
}

function limit({ random }: Known) {
  return random.pick([{}, {}, { limit: 1 }, { limit: 2 }, { limit: 1_000 }]);
}
