import { parameterError, shown } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import type { Pattern, PlannedFilter } from "../plan/plan.js";
import type { PathsPlan } from "../plan/insights/plan.js";

interface Regex {
  test(text: string): boolean;
}

export type Regexes = ReadonlyMap<string, Regex>;

/** Compiles RE2 syntax; loads the engine on first use. @throws invalid_regex naming `param`, also for a pattern that would take long */
export async function compileRegex(pattern: string, param = "value"): Promise<Regex> {
  const [{ RE2JS, RE2JSException }, { regexSize }] = await Promise.all([import("re2js"), import("./regex-size.js")]);
  const size = regexSize(pattern);
  if (size > LIMITS.regexSize)
    throw parameterError("invalid_regex", param, `expected a pattern of at most ${LIMITS.regexSize} steps, got ${shown(pattern)} with about ${size}: a repeated part counts once per repetition`);
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw parameterError("invalid_regex", param, `expected RE2 syntax, got ${shown(pattern)} (${error.message})`);
  }
}

/** Compiles the patterns that planning only measured. @throws invalid_regex for the first invalid one */
export async function checkPatterns(patterns: readonly Pattern[]): Promise<void> {
  const known = new Set<string>();
  for (const { pattern, param } of patterns) {
    if (!known.has(pattern)) await compileRegex(pattern, param);
    known.add(pattern);
  }
}

/** Compiles every pattern of the filters. @throws invalid_regex */
export async function compileRegexes(filters: readonly PlannedFilter[]): Promise<Regexes> {
  const regexes = new Map<string, Regex>();
  for (const { test } of filters) {
    if (test.op === "regex" && !regexes.has(test.pattern)) regexes.set(test.pattern, await compileRegex(test.pattern));
  }
  return regexes;
}

/** Compiles the rules of a plan. @throws invalid_regex */
export async function compileRules({ rules }: PathsPlan): Promise<readonly { readonly regex: Regex; readonly label: string }[]> {
  return await Promise.all(rules.map(async ({ pattern, label }, at) => ({ regex: await compileRegex(pattern, `rules[${at}].pattern`), label })));
}
