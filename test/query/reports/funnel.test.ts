import { isDeepStrictEqual } from "node:util";
import { fixedClock, memoryStorage, openDaybook, type Daybook } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import { oracle, type HistoryItem, type Oracle } from "../../support/index.js";
import { expect, test } from "vitest";
import { DaybookError } from "../../../src/core/base/errors.js";
import type { EventSelector, FunnelExclusionInput, FunnelInput, FunnelStepInput, InsightField, InsightInput } from "../../../src/query/plan/input.js";
import { arrive } from "../../support/random/arrive.js";
import { personHistory } from "../../support/random/person-history.js";
import { randomOptions } from "../../support/random/person-options.js";
import { useLimits } from "../../limits.js";
import { randomScope, smallHistory, zones } from "../../oracle/insights/random-history.js";
import { baseSeed, caseCount, nowMs } from "../../oracle/settings.js";

// Heads are full after a few rows, so that what is kept of them, and what is not, is asked for too.
useLimits({ headPartRowCount: 6 });

const FIELDS: readonly InsightField[] = ["name", "path", "device", "os", "identity_id", "company_id", "id", "created_at", "user_id", "tags", "x", "source", "referrer_domain"];
const WINDOWS = [1, 1_199, 1_200, 1_800, 1_801, 3_600, 4 * 3_600, 86_400, 86_400, 1_209_600, 1_209_600];

/** Events of a few people, or hostile ones, with their queries. */
interface Theme {
  readonly names: readonly string[];
  history(random: Random): readonly HistoryItem[];
  options(random: Random): object & { readonly nowMs: number };
  scope(random: Random): InsightInput;
}
const few: Theme = {
  names: ["a", "b", "c", "Pageview"],
  history: smallHistory,
  options: (random) => ({ nowMs: random.pick([Date.parse("2026-03-31T12:00Z"), Date.parse("2026-04-20T00:00Z")]) }),
  scope: (random) => (random.chance(0.4) ? {} : withoutKnown(randomScope(random))),
};
const hostile: Theme = {
  names: ["Pageview", "click", "Payment", "Purchase", "Refund"],
  history: (random) => personHistory(random).history,
  options: (random) => Object.assign({ nowMs }, randomOptions(random)),
  scope: (random) => (random.chance(0.5) ? {} : { timeZone: random.pick(zones), startDate: random.pick(["2026-02-01", "2026-02-28", "2026-03-01T00:00:00.001Z"]), endDate: random.pick(["2026-03-01", "2026-03-05", null]) }),
};

/** Filters by what is known of people are not of this branch. */
function withoutKnown({ filterGroups, ...scope }: InsightInput): InsightInput {
  const isKnown = JSON.stringify(filterGroups ?? []).match(/person|_touch/) !== null;
  return isKnown ? scope : { ...scope, ...(filterGroups === undefined ? {} : { filterGroups }) };
}

function selector(random: Random, names: readonly string[]): EventSelector {
  const filters = random.pick([
    [{ fieldName: "url", operator: "is_set" }], [{ fieldName: "name", operator: "in", value: names.slice(0, 2).join() }], [{ fieldName: "name", operator: "!=", value: names[1] ?? "" }],
    [{ fieldName: "device", operator: "is_set" }], [{ fieldName: "company_id", operator: "is_not_set" }], [{ fieldName: "identity_id", operator: "is_set" }],
  ]);
  if (random.chance(0.6)) return { eventName: random.pick(names) };
  return random.chance(0.3) ? { eventName: random.pick(names), filterGroups: [{ filters }] } : { filterGroups: [{ filters }] };
}

function inputOf(random: Random, { names, scope }: Theme): FunnelInput {
  const count = random.pick([2, 2, 3, 3, 4]);
  const order = random.pick(["sequential", "sequential", "strict", "any"] as const);
  const step = (): FunnelStepInput => ({ ...selector(random, names), ...(random.chance(0.2) ? { name: "Named" } : {}) });
  const exclusion = (): FunnelExclusionInput => {
    const afterStep = random.between(1, count - 1);
    return { eventName: random.pick(names), ...(order === "any" || random.chance(0.4) ? {} : { afterStep, beforeStep: random.between(afterStep + 1, count) }) };
  };
  const [field = "name", other = "path"] = random.shuffled(FIELDS);
  const breakdown = {
    fields: random.chance(0.3) ? [field, other] : [field],
    ...(random.chance(0.4) ? { limit: random.between(1, 3) } : {}),
    ...(random.chance(0.4) ? { rest: true } : {}),
    at: random.pick([null, "entry", "last"] as const),
  };
  return {
    ...scope(random),
    steps: Array.from({ length: count }, step),
    order,
    conversionWindowSec: random.pick(WINDOWS),
    ...(random.chance(0.4) ? { exclusions: Array.from({ length: random.between(1, 2) }, exclusion) } : {}),
    ...random.pick<Partial<FunnelInput>>([{}, { breakdown }, { breakdown }, { interval: random.pick(["hour", "day", "week", "month"] as const) }]),
    level: random.pick([null, "identity", "account", "session"] as const),
  };
}

const seen = new Map<string, number>();

async function checkLivingHistory(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const theme = random.pick([few, few, hostile]);
  const history = theme.history(random);
  const focus = Array.from({ length: 4 }, () => inputOf(random, theme));
  const { nowMs: askedMs, ...rules } = theme.options(random);
  await using daybook = await openDaybook({ ...(rules as object), storage: memoryStorage(), clock: fixedClock(askedMs), ...(random.chance(0.2) ? { memoryBudgetBytes: 2_000 } : {}) });
  const past: HistoryItem[] = [];
  for (let at = 0; at < history.length; ) {
    const length = random.pick([1, 3, 8, 30]);
    await arrive(daybook, history.slice(at, at + length));
    past.push(...history.slice(at, (at += length)));
    if (random.chance(0.4)) await daybook.seal();
    if (random.chance(0.3) && at < history.length) continue;
    const told = oracle(past, { ...rules, nowMs: askedMs });
    for (const input of [...focus, ...(random.chance(0.3) ? [inputOf(random, theme)] : [])]) await compare(daybook, told, input, `DAYBOOK_SEED=${seed} DAYBOOK_CASES=1 after ${past.length} of ${history.length}`);
  }
}

async function compare(daybook: Daybook, told: Oracle, input: FunnelInput, place: string): Promise<void> {
  const expected = await outcomeOf(() => told.funnel(input));
  const given = await outcomeOf(async () => {
    const { definition: _definition, asOf: _asOf, ...answer } = await daybook.funnel(input);
    return answer;
  });
  if (!isDeepStrictEqual(given, expected)) throw new Error(`${place}: ${JSON.stringify(input)}\nexpected ${JSON.stringify(expected)}\n     got ${JSON.stringify(given)}`);
  const depth = "steps" in given ? given.steps.filter(({ entities }) => entities > 0).length : 0;
  const kind = (input.interval ?? null) !== null ? "interval" : input.breakdown?.at ?? "plain";
  for (const name of [input.order ?? "", input.level ?? "", kind]) seen.set(`${name} ${Math.min(depth, 2)}`, (seen.get(`${name} ${Math.min(depth, 2)}`) ?? 0) + 1);
}

async function outcomeOf<A>(ask: () => A | Promise<A>): Promise<A | { readonly error: string }> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DaybookError && error.code !== "internal" && error.code !== "corruption") return { error: error.code };
    throw error;
  }
}

test("While a history goes on, everybody is as far in a funnel as the oracle says.", async () => {
  const count = caseCount(4, 400);
  for (let at = 0; at < count; at += 1) await checkLivingHistory(baseSeed + at);
  if (count < 30) return;
  for (const kind of ["sequential", "strict", "any", "identity", "account", "session", "plain", "entry", "last", "interval"]) expect(seen.get(`${kind} 2`), kind).toBeGreaterThan(2);
}, 600_000);
