import { parameterError } from "../../../../src/core/base/errors.js";
import type { Funnel, FunnelStep, FunnelTimes } from "../../../../src/query/plan/insights/answers.js";
import type { FunnelInput } from "../../../../src/query/plan/input.js";
import type { OracleEvent } from "../event.js";
import type { Span } from "../instant.js";
import type { World } from "../world.js";
import { byValues, combinationsOf, groupsOf, restOf, shownCount } from "./breakdown.js";
import { axisOf, isWithin } from "./buckets.js";
import { chainRules, windowMsOf, type Chain } from "./chains.js";
import { eventsByEntity } from "./entities.js";
import { averageOf, percentileOf, rateOf, secondsOf, type Fraction } from "./exact.js";
import { oneOf } from "./one-of.js";
import { queryOf, type Bare, type Query } from "./query.js";
import { allSessions } from "./sessions.js";

/** Somebody who may go through the steps. */
interface Entity {
  readonly events: readonly OracleEvent[];
  /** Where a session starts; null for what is none. */
  readonly startMs: number | null;
}

export function funnel(world: World, input: FunnelInput): Bare<Funnel> {
  const breakdown = input.breakdown ?? null;
  const interval = input.interval ?? null;
  if (breakdown !== null && interval !== null) throw parameterError("invalid_parameter", "interval", 'cannot be combined with "breakdown"');
  const query = queryOf(world, input);
  const { nowMs } = world.rules;
  const entities = entitiesOf(query, input);
  const { isEntry, bestOf } = chainRules(query, input);
  const entryMs = ({ startMs }: Entity, event: OracleEvent) => startMs ?? event.createdAtMs;
  const chainsIn = (range: Span): { entity: Entity; chain: Chain }[] => {
    return entities.map((entity) => ({ entity, chain: bestOf(entity.events, (event) => isWithin(entryMs(entity, event), range)) }));
  };
  const entriesOf = (entity: Entity) => entity.events.filter((event) => isEntry(event) && isWithin(entryMs(entity, event), query.range));

  const found = chainsIn(query.range);
  const isPending = ({ entity, chain }: (typeof found)[number]) => {
    const recent = entriesOf(entity).filter(({ createdAtMs }) => createdAtMs >= nowMs - windowMsOf(input));
    return chain.length < input.steps.length && recent.length > 0;
  };
  const chains = found.map(({ chain }) => chain).filter((chain) => chain.length > 0);
  const at = oneOf("breakdown.at", breakdown?.at, ["entry", "last"]);
  const combine = combinationsOf(world, breakdown);
  const combinations = (chain: Chain) => chain.slice(at === "last" ? -1 : 0).slice(0, 1).flatMap(combine);
  const groups = breakdown === null ? [] : groupsOf(chains, combinations);
  groups.sort((a, b) => b.own.length - a.own.length || byValues(a.values, b.values));
  const shown = breakdown === null ? [] : groups.slice(0, shownCount(breakdown));
  const timesMs = entities.flatMap((entity) => entriesOf(entity).map((event) => entryMs(entity, event)));
  const slots = interval === null ? [] : axisOf(query.calendar, interval, query.range, timesMs, nowMs);
  return {
    pending: found.filter(isPending).length,
    steps: stepsOf(chains, input),
    rows: breakdown === null ? null : shown.map(({ values, own }) => ({ values, steps: stepsOf(own, input) })),
    rest: breakdown?.rest === true ? stepsOf(restOf(chains, combinations, shown.map(({ values }) => values)), input) : null,
    valueCount: groups.length,
    trend: interval === null ? null : slots.map((slot) => ({ bucket: slot.bucket, steps: stepsOf(chainsIn(slot).map(({ chain }) => chain), input) })),
  };
}

function entitiesOf(query: Query, input: FunnelInput): Entity[] {
  const { world, matching } = query;
  const level = oneOf("level", input.level, ["identity", "account", "session"]);
  if (level === "session") {
    return allSessions(query).map((session) => ({
      events: session.filter((event) => matching.includes(event)), startMs: session[0].createdAtMs,
    }));
  }
  return eventsByEntity(world, matching, level).map((events) => ({ events, startMs: null }));
}

/** How far some chains go, and how long they take. */
function stepsOf(chains: readonly Chain[], { steps, order }: FunnelInput): FunnelStep[] {
  const reached = (depth: number) => chains.filter((chain) => chain.length >= depth);
  return steps.map(({ name, eventName }, index) => {
    const depth = index + 1;
    const own = reached(depth);
    return {
      name: order === "any" ? `${depth} steps` : (name ?? eventName ?? `step ${depth}`),
      entities: own.length,
      conversionRate: rateOf(own.length, reached(1).length),
      stepRate: rateOf(own.length, reached(Math.max(index, 1)).length),
      dropOffs: depth === steps.length ? 0 : own.length - reached(depth + 1).length,
      fromPrevious: index === 0 ? null : timesOf(own.map((chain) => passedMs(chain, index - 1, index))),
      fromEntry: index === 0 ? null : timesOf(own.map((chain) => passedMs(chain, 0, index))),
    };
  });
}

function passedMs(chain: Chain, from: number, to: number): bigint {
  return BigInt((chain[to]?.createdAtMs ?? NaN) - (chain[from]?.createdAtMs ?? NaN));
}

function timesOf(ms: readonly bigint[]): FunnelTimes | null {
  const [average, median, p90]: (Fraction | null)[] = [averageOf(ms), percentileOf(ms, 50), percentileOf(ms, 90)];
  if (!average || !median || !p90) return null;
  return { avgSec: secondsOf(average), medianSec: secondsOf(median), p90Sec: secondsOf(p90) };
}
