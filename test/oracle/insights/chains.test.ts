import type { EventInput } from "daybook";
import type { Random } from "daybook/testing";
import { expect, test } from "vitest";
import type { FunnelExclusionInput, FunnelInput } from "../../../src/query/plan/input.js";
import { ask, event } from "./made.js";
import { ofHistories } from "./random-history.js";

/** What the test needs of an event of ann: they are made in the order of ids. */
interface Made {
  readonly order: number;
  readonly second: number;
  readonly name: string;
}
interface Rules {
  readonly order: "sequential" | "strict" | "any";
  readonly steps: readonly string[];
  readonly windowSec: number;
  readonly fromSec: number;
  readonly toSec: number;
  readonly exclusions: readonly { readonly name: string; readonly after: number; readonly before: number }[];
}

const startMs = Date.parse("2026-03-01T00:00Z");
const isStep = (step: string, name: string) => step === "*" || step === name;

/** The three conditions, word by word, of a whole chain. */
function isChain(chain: readonly Made[], all: readonly Made[], { order, steps, windowSec, fromSec, toSec, exclusions }: Rules): boolean {
  const t = (number: number) => chain[number - 1]?.second ?? NaN;
  const k = chain.length;
  if (new Set(chain).size < k || chain.some((made, index) => index > 0 && made.second < t(index))) return false;
  if (t(k) - t(1) > windowSec || t(1) < fromSec || t(1) >= toSec) return false;
  const isBetween = (from: number, to: number, name: string | null) => all.some((x) => x.second > from && x.second < to && (name === null || x.name === name));
  if (order === "any") {
    const canAssign = ([made, ...rest]: readonly Made[], left: readonly number[]): boolean => {
      return made === undefined || left.some((step) => isStep(steps[step] ?? "", made.name) && canAssign(rest, left.filter((other) => other !== step)));
    };
    return canAssign(chain, steps.map((_, index) => index)) && !exclusions.some(({ name }) => isBetween(t(1), t(k), name));
  }
  if (!chain.every((made, index) => isStep(steps[index] ?? "", made.name))) return false;
  for (const { name, after, before } of exclusions) {
    for (let j = after + 1; j <= Math.min(k, before); j += 1) if (isBetween(t(after), t(j), name)) return false;
  }
  return order !== "strict" || !chain.some((_, index) => index > 0 && isBetween(t(index), t(index + 1), null));
}

/** Of all chains the deepest; of these the first in order. */
function bestChain(all: readonly Made[], rules: Rules): readonly Made[] {
  let best: readonly Made[] = [];
  const ordered = [...all].sort((a, b) => a.second - b.second || a.order - b.order);
  const visit = (chain: readonly Made[]) => {
    // Sequences come in the order of their events, so the first of a depth is the first of its chains.
    if (chain.length > best.length && isChain(chain, all, rules)) best = chain;
    if (chain.length < rules.steps.length) for (const made of ordered) if (!chain.includes(made)) visit([...chain, made]);
  };
  visit([]);
  return best;
}

function randomRules(random: Random): Rules {
  const order = random.pick(["sequential", "strict", "any"] as const);
  const steps = Array.from({ length: random.between(2, 3) }, () => random.pick(["a", "b", "c", "*"]));
  const after = random.between(1, steps.length - 1);
  const exclusion = { name: random.pick(["a", "x"]), ...(order === "any" ? { after: 1, before: steps.length } : { after, before: random.between(after + 1, steps.length) }) };
  return { order, steps, windowSec: random.pick([1, 2, 4, 10]), fromSec: random.pick([0, 2]), toSec: random.pick([4, 10]), exclusions: random.chance(0.4) ? [exclusion] : [] };
}

test("Chains are what their definition says, word by word.", () => {
  return ofHistories(1_000, async ({ random }) => {
    const rules = randomRules(random);
    const spread = random.pick([2, 5, 9]);
    const all = Array.from({ length: random.between(1, 6) }, (_, order): Made => ({ order, second: random.below(spread), name: random.pick(["a", "b", "c", "x"]) }));
    const history = all.map(({ second, name }): EventInput => event(startMs + second * 1_000, { name }));
    const wide = { filterGroups: [{ filters: [{ fieldName: "name", operator: "is_set" }] }] };
    const input: FunnelInput = {
      steps: rules.steps.map((step) => (step === "*" ? wide : { eventName: step })), order: rules.order, conversionWindowSec: rules.windowSec,
      startDate: new Date(startMs + rules.fromSec * 1_000), endDate: new Date(startMs + rules.toSec * 1_000 - 1),
      exclusions: rules.exclusions.map(({ name, after, before }): FunnelExclusionInput => ({ eventName: name, afterStep: after, beforeStep: before })),
    };
    const best = bestChain(all, rules);
    const { steps } = ask(history).funnel(input);
    expect(steps.map(({ entities }) => entities)).toEqual(rules.steps.map((_, index) => (index < best.length ? 1 : 0)));
    const seconds = best.map((made) => made.second - (best[0]?.second ?? 0));
    expect(steps.map(({ fromEntry }) => fromEntry?.avgSec ?? null)).toEqual(rules.steps.map((_, index) => (index === 0 ? null : (seconds[index] ?? null))));
    const { rows } = ask(history).funnel({ ...input, breakdown: { fields: ["id"], at: "entry" } });
    expect(rows?.map(({ values }) => values[0])).toEqual(best.slice(0, 1).map(({ order }) => history[order]?.id));
  });
});
