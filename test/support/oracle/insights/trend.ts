import { parameterError } from "../../../../src/core/base/errors.js";
import type { Trend, TrendAnswers, TrendSeries } from "../../../../src/query/plan/insights/answers.js";
import type { TrendInput } from "../../../../src/query/plan/input.js";
import type { OracleEvent } from "../event.js";
import type { Span } from "../instant.js";
import type { World } from "../world.js";
import { byValues, combinationsOf, groupsOf, restOf, shownCount } from "./breakdown.js";
import { axisOf, type Slot } from "./buckets.js";
import { comparedRange } from "./compare.js";
import { measureOf } from "./measure.js";
import { queryOf, within, type Bare, type Query } from "./query.js";
import { matchingSessions } from "./sessions.js";

const MOST_FIGURES = 1_000_000;

export function trend(world: World, input: TrendInput): Bare<Trend> {
  const query = queryOf(world, input);
  const compare = input.compare ?? null;
  const compared = compare === null ? null : comparedRange(query.calendar, intervalOf(input), query.range, compare);
  const answers = answersOf(query, input, query.range, null);
  return {
    ...answers,
    previous: compared === null ? null : answersOf(query, input, compared, answers.series.map(({ values }) => values)),
    currency: input.measure?.type === "revenue" ? world.rules.currency : null,
  };
}

/** The answers for a range: of the combinations with the greatest totals, or of those that are given. */
function answersOf(query: Query, input: TrendInput, range: Span, given: readonly (readonly string[])[] | null): TrendAnswers {
  const { world, calendar } = query;
  const { rules: { nowMs }, revenue } = world;
  const { counts, figure } = measureOf(world, input.measure ?? { type: "events" });
  const things = thingsOf(query, input, range);
  const slots = axisOf(calendar, intervalOf(input), range, things.filter(counts).map(({ createdAtMs }) => createdAtMs), nowMs);

  const breakdown = input.breakdown ?? null;
  const combinations = combinationsOf(world, breakdown);
  const groups = breakdown === null ? [{ values: [], own: things }] : groupsOf(things, combinations);
  const ranked = groups.map((group) => ({ ...group, total: figure(group.own) }));
  ranked.sort((a, b) => (b.total ?? -Infinity) - (a.total ?? -Infinity) || byValues(a.values, b.values));
  const shown = given ?? (breakdown === null ? [[]] : ranked.slice(0, shownCount(breakdown)).map(({ values }) => values));
  const ofShown = shown.map((values) => ({ values, own: groups.find((group) => byValues(group.values, values) === 0)?.own ?? [] }));
  const rest = breakdown?.rest === true ? restOf(things, combinations, shown) : null;
  if (slots.length * (shown.length + (rest === null ? 0 : 1)) > MOST_FIGURES) {
    throw parameterError("invalid_parameter", "interval", `expected at most ${MOST_FIGURES} figures`);
  }

  const visible = [...ofShown.flatMap(({ own }) => own), ...(rest ?? [])].filter(counts);
  const kept = slots.filter((slot) => input.fill !== false || within(visible, slot).length > 0);
  const seriesOf = (values: readonly string[], own: readonly OracleEvent[]): TrendSeries => ({
    values,
    counted: own.filter(counts).length,
    total: figure(own),
    data: kept.map((slot) => figure(within(own, upTo(slot, input)))),
  });
  return {
    buckets: kept.map(({ bucket }) => bucket),
    series: ofShown.map(({ values, own }) => seriesOf(values, own)),
    rest: rest === null ? null : seriesOf([], rest),
    valueCount: breakdown === null ? 0 : groups.length,
    unconverted: input.measure?.type === "revenue" ? revenue.unconvertedOf(revenue.countedOf(things)) : [],
  };
}

/** E, or the first events of S. */
function thingsOf(query: Query, input: TrendInput, range: Span): OracleEvent[] {
  if (input.measure?.type === "sessions") return matchingSessions(query, range).map(([first]) => first);
  return within(query.matching, range);
}

/** What a bucket's figure is of. */
function upTo({ fromMs, toMs }: Slot, { cumulative }: TrendInput): Span {
  return cumulative === true ? { fromMs: -Infinity, toMs } : { fromMs, toMs };
}

function intervalOf({ interval }: TrendInput) {
  return interval ?? "day";
}
