import type { ChainFinder, ChainRules } from "./chain.js";
import { ChainsInOrder } from "./chain-in-order.js";
import { ChainsOfAny } from "./chain-of-any.js";

/** For one entity after the other. */
export function chainFinderOf(rules: ChainRules): ChainFinder {
  return rules.order === "any" ? new ChainsOfAny(rules) : new ChainsInOrder(rules);
}
