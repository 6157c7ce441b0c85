import { describe, expect, test } from "vitest";
import { STEP_BITS, stepsOf, type ChainRules } from "../../../../src/query/answer/insights/chains.js";
import { chainFinderOf } from "../../../../src/query/answer/insights/funnel-answer.js";
import type { EventSelector, FunnelInput } from "../../../../src/query/plan/input.js";
import { chainRules } from "../../../support/oracle/insights/chains.js";
import type { Query } from "../../../support/oracle/insights/query.js";
import type { OracleEvent } from "../../../support/oracle/event.js";
import { seededRandom, type Random } from "../../../../src/testing/random.js";
import { baseSeed, caseCount } from "../../../oracle/settings.js";

interface Match {
  readonly ms: number;
  readonly mask: number;
}
interface Entity {
  readonly matches: readonly Match[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** What the oracle's naive definition finds: places of the events of the chain. */
function naive(rules: ChainRules, { matches, fromMs, toMs }: Entity): number[] {
  const events = matches.map(({ ms, mask }, at) => ({ id: String(at).padStart(6, "0"), createdAtMs: ms, mask }) as unknown as OracleEvent & Match);
  const bit = ({ eventName }: EventSelector) => Number(eventName);
  const query = { selects: (selector: EventSelector) => (event: OracleEvent) => (((event as OracleEvent & Match).mask >>> bit(selector)) & 1) === 1 };
  const input: FunnelInput = {
    order: rules.order,
    conversionWindowSec: rules.windowMs / 1_000,
    steps: Array.from({ length: rules.stepCount }, (_, step) => ({ eventName: String(step) })),
    exclusions: rules.exclusions.map((exclusion, at) => ({ eventName: String(STEP_BITS + at), ...exclusion })),
  };
  const { bestOf, isEntry } = chainRules(query as unknown as Query, input);
  const chain = bestOf(events, (event) => isEntry(event) && event.createdAtMs >= fromMs && event.createdAtMs < toMs);
  return chain.map((event) => events.indexOf(event as (typeof events)[number]));
}

function finder(rules: ChainRules): (...entities: Entity[]) => number[][] {
  const found = chainFinderOf(rules);
  return (...entities) => {
    // One after the other lie the matches of all, as they do where a query is answered.
    const all = entities.flatMap(({ matches }) => matches);
    const matches = { ms: Float64Array.from(all, ({ ms }) => ms), masks: Uint32Array.from(all, ({ mask }) => mask) };
    let from = 0;
    return entities.map((entity) => {
      const to = from + entity.matches.length;
      const depth = found.find(matches, from, to, entity);
      const chain = [...found.chain.subarray(0, depth)].map((place) => place - from);
      from = to;
      return chain;
    });
  };
}

function randomRules(random: Random): ChainRules {
  const order = random.pick(["sequential", "strict", "any"] as const);
  const stepCount = random.pick([2, 2, 3, 3, 4, 5]);
  const exclusions = Array.from({ length: random.pick([0, 0, 1, 2, 3]) }, () => {
    const afterStep = order === "any" ? 1 : random.between(1, stepCount - 1);
    return { afterStep, beforeStep: order === "any" ? stepCount : random.between(afterStep + 1, stepCount) };
  });
  return { order, stepCount, windowMs: random.pick([0, 1, 2, 3, 5, 8, 30]), exclusions };
}

function randomEntity(random: Random, { stepCount, exclusions }: ChainRules): Entity {
  const count = random.below(random.pick([4, 7, 10]));
  // Where nothing happens at once, chains are found ahead.
  const isSpread = random.chance(0.3);
  const spanMs = isSpread ? 2 * count + 1 : random.pick([1, 3, 6, 20]);
  const severalShare = random.pick([0, 0, 0.2, 0.7]);
  const step = () => 1 << random.below(stepCount);
  const matches = Array.from({ length: count }, (_, at) => {
    const steps = random.chance(0.1) ? 0 : random.chance(severalShare) ? step() | step() | step() : step();
    const excluded = exclusions.reduce((bits, _, at) => (random.chance(0.12) ? bits | (1 << (STEP_BITS + at)) : bits), 0);
    return { ms: 100 + (isSpread ? 2 * at + random.below(2) : random.below(spanMs)), mask: random.chance(0.8) ? steps | excluded : excluded === 0 ? steps : excluded };
  });
  const fromMs = random.pick([-Infinity, 100 + random.below(spanMs)]);
  return { matches: matches.sort((a, b) => a.ms - b.ms), fromMs, toMs: random.pick([Infinity, Math.max(fromMs, 100) + random.below(spanMs + 1)]) };
}

function isOneOfSeveralSteps({ ms, mask }: Match, matches: readonly Match[]): boolean {
  const steps = stepsOf(mask);
  return (steps & (steps - 1)) !== 0 && matches.filter((match) => match.ms === ms).length > 1;
}

describe("the chain of an entity", () => {
  test("is the one that the definition names, whatever the order, window, exclusions and equal milliseconds", () => {
    const depths = new Map<string, number>();
    for (let at = 0; at < caseCount(1_500, 100_000); at += 1) {
      const random = seededRandom(baseSeed + at);
      const rules = randomRules(random);
      const entities = Array.from({ length: random.between(1, 4) }, () => randomEntity(random, rules));
      const chains = finder(rules)(...entities);
      entities.forEach((entity, place) => expect(chains[place], `seed ${baseSeed + at}: ${JSON.stringify({ rules, entity })}`).toEqual(naive(rules, entity)));
      for (const { length } of chains) depths.set(`${rules.order} ${length}`, (depths.get(`${rules.order} ${length}`) ?? 0) + 1);
    }
    for (const order of ["sequential", "strict", "any"]) for (const depth of [0, 1, 2, 3]) expect(depths.get(`${order} ${depth}`)).toBeGreaterThan(20);
  });

  test("has the same times in every order of its milliseconds, unless one of several events at once matches several steps", () => {
    let [decided, compared] = [0, 0];
    for (let at = 0; at < caseCount(2_500, 50_000); at += 1) {
      const random = seededRandom(baseSeed + at);
      const rules = randomRules(random);
      const entity = randomEntity(random, rules);
      const other = { ...entity, matches: random.shuffled(entity.matches).sort((a, b) => a.ms - b.ms) };
      const [chain = [], otherChain = []] = finder(rules)(entity, other);
      expect(otherChain.length).toBe(chain.length);
      // Only then does the engine sort events of one millisecond.
      if (rules.order !== "any" && entity.matches.some((match) => isOneOfSeveralSteps(match, entity.matches))) {
        decided += 1;
        continue;
      }
      compared += 1;
      expect(otherChain.map((place) => other.matches[place]?.ms), `seed ${baseSeed + at}`).toEqual(chain.map((place) => entity.matches[place]?.ms));
    }
    expect(decided).toBeGreaterThan(10);
    expect(compared).toBeGreaterThan(decided);
  });

  test("has one event a step, also where one event matches all of 20 steps", () => {
    const all = 2 ** 20 - 1;
    for (const order of ["sequential", "strict", "any"] as const) {
      const find = finder({ order, stepCount: 20, windowMs: 0, exclusions: [] });
      const entityOf = (count: number) => ({ matches: Array.from({ length: count }, () => ({ ms: 5, mask: all })), fromMs: 0, toMs: 9 });
      expect(find(...[0, 1, 2, 19, 20, 3_000].map(entityOf)).map(({ length }) => length)).toEqual([0, 1, 2, 19, 20, 20]);
    }
  });

  test("is found in time that grows with the matches, also where many stand in one millisecond or ask for each other's steps", () => {
    const count = 20_000;
    const random = seededRandom(1);
    for (const order of ["sequential", "strict", "any"] as const) {
      const find = finder({ order, stepCount: 20, windowMs: 1_000, exclusions: [{ afterStep: 1, beforeStep: 20 }] });
      for (const msCount of [1, 300, count]) {
        const matches = Array.from({ length: count }, (_, at) => ({ ms: Math.floor((at * msCount) / count), mask: (1 << random.below(19)) | (1 << random.below(19)) }));
        const chains = find({ matches, fromMs: 0, toMs: Infinity });
        expect(chains[0]?.length).toBeGreaterThan(msCount === count && order === "strict" ? 1 : 18);
      }
    }
  });
});
