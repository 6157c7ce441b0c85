import { parameterError } from "../../../../src/core/base/errors.js";
import type { FunnelInput } from "../../../../src/query/plan/input.js";
import type { OracleEvent } from "../event.js";
import { byMoment } from "../moment.js";
import { remembered } from "../remembered.js";
import { oneOf } from "./one-of.js";
import type { Query } from "./query.js";

/** One event a step, each at or after the one before. */
export type Chain = readonly OracleEvent[];

/** What makes a chain. */
export interface ChainRules {
  /** Whether a chain may begin with an event, its time aside. */
  isEntry(event: OracleEvent): boolean;
  /** The entity's chain among its events, given in order: as deep as any, of those the first in order; empty where none may begin. */
  bestOf(events: readonly OracleEvent[], mayEnter: (event: OracleEvent) => boolean): Chain;
}

type Selects = (event: OracleEvent) => boolean;

export function chainRules({ selects }: Query, input: FunnelInput): ChainRules {
  const order = oneOf("order", input.order, ["sequential", "strict", "any"]);
  const windowMs = windowMsOf(input);
  const steps = input.steps.map(selects).map(remembered);
  const exclusions = (input.exclusions ?? []).map((exclusion) => ({
    isExcluded: remembered(selects(exclusion)), after: exclusion.afterStep ?? 1, before: exclusion.beforeStep ?? steps.length,
  }));
  const isAny = order === "any";
  if (isAny && exclusions.some(({ after, before }) => after !== 1 || before !== steps.length)) {
    throw parameterError("invalid_parameter", "exclusions", "expected no steps where their order is any");
  }

  /** Whether the last event of a chain may stand where it does; those before it may. */
  const mayStand = (chain: Chain, events: readonly OracleEvent[]): boolean => {
    const [first, last, previous] = [chain.at(0), chain.at(-1), chain.at(-2)];
    if (first === undefined || last === undefined || last.createdAtMs - first.createdAtMs > windowMs) return false;
    const isAnyBetween = (from: OracleEvent | undefined, isMeant: Selects) => {
      return events.some((event) => isMeant(event) && event.createdAtMs > (from?.createdAtMs ?? Infinity) && event.createdAtMs < last.createdAtMs);
    };
    if (isAny) {
      // Which of two events of one millisecond comes first is all the same: taking them in order misses no chain.
      if (previous !== undefined && byMoment(previous, last) >= 0) return false;
      return haveSteps(chain, steps) && !exclusions.some(({ isExcluded }) => isAnyBetween(first, isExcluded));
    }
    if (chain.indexOf(last) < chain.length - 1 || last.createdAtMs < (previous ?? last).createdAtMs) return false;
    if (steps[chain.length - 1]?.(last) !== true) return false;
    if (order === "strict" && isAnyBetween(previous, () => true)) return false;
    return !exclusions.some(({ isExcluded, after, before }) => {
      return after < chain.length && chain.length <= before && isAnyBetween(chain[after - 1], isExcluded);
    });
  };

  /** The first in order of the chains of a depth that begin like this one. */
  const extended = (chain: Chain, depth: number, events: readonly OracleEvent[]): Chain | null => {
    if (chain.length === depth) return chain;
    for (const event of events) {
      const longer = [...chain, event];
      const found = mayStand(longer, events) ? extended(longer, depth, events) : null;
      if (found !== null) return found;
    }
    return null;
  };

  return {
    isEntry: (event) => (isAny ? steps.some((isStep) => isStep(event)) : steps[0]?.(event) === true),
    bestOf: (events, mayEnter) => {
      const entries = events.filter(mayEnter);
      const isMade = steps.map((isStep) => events.some(isStep));
      // No chain is deeper; in order, none goes beyond a step that nobody made.
      const deepest = isAny ? isMade.filter(Boolean).length : [...isMade, false].indexOf(false);
      for (let depth = deepest; depth > 0; depth -= 1) {
        for (const entry of entries) {
          const found = mayStand([entry], events) ? extended([entry], depth, events) : null;
          if (found !== null) return found;
        }
      }
      return [];
    },
  };
}

/** Default: 14 days. */
export function windowMsOf({ conversionWindowSec }: FunnelInput): number {
  return (conversionWindowSec ?? 1_209_600) * 1_000;
}

/** Whether each event can be given a step of its own. */
function haveSteps([event, ...rest]: Chain, steps: readonly Selects[]): boolean {
  return event === undefined || steps.some((isStep) => isStep(event) && haveSteps(rest, steps.filter((other) => other !== isStep)));
}
