import type { HistoryItem } from "../../../support/index.js";
import type { InsightQuery } from "../../../support/random/insight-queries.js";
import { differenceOf, type InsightRun, type Step } from "./insight-run.js";

/** More tries would take minutes. */
const TRY_COUNT = 1_500;

/** The smallest run found by leaving out steps, items, members and what is within them, while it still fails in the same way. */
export async function smallestRun(start: InsightRun): Promise<InsightRun> {
  const failure = (run: InsightRun) => differenceOf(run).catch((error: unknown) => String(error));
  const kind = kindOf(await failure(start));
  let [small, tries] = [start, 0];
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const steps of smallerSteps(small.steps)) {
      tries += 1;
      if (tries > TRY_COUNT) return small;
      const smaller = { ...small, steps };
      if (kindOf(await failure(smaller)) !== kind) continue;
      small = smaller;
      isSmaller = true;
      break;
    }
  }
  return small;
}

/** Two answers that differ, a refusal by one side, or an error that nobody expects. */
function kindOf(difference: string | null): string | null {
  if (difference === null) return null;
  const refusals = difference.match(/^(?:expected| {5}got) \{"error":"\w+"/gm)?.map((text) => text.trim());
  return difference.startsWith("expected") ? (refusals?.join() ?? "answers") : difference.slice(0, 60);
}

function* smallerSteps(steps: readonly Step[]): Generator<readonly Step[]> {
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at < steps.length; at += size) yield steps.toSpliced(at, size);
  for (const [at, step] of steps.entries()) {
    if ("items" in step) for (let size = Math.ceil(step.items.length / 2); size >= 1; size = Math.floor(size / 2))
      for (let place = 0; place < step.items.length; place += size) yield steps.with(at, { items: step.items.toSpliced(place, size) });
    if ("opens" in step && step.opens !== null) yield steps.with(at, { opens: null });
    if ("asks" in step) for (const input of smallerValues(step.asks.input)) yield steps.with(at, { ...step, asks: { ...step.asks, input } as InsightQuery });
  }
  for (const [at, step] of steps.entries())
    if ("items" in step) for (const [place, item] of step.items.entries())
      for (const smaller of smallerItems(item)) yield steps.with(at, { items: step.items.with(place, smaller) });
}

const NEEDED = ["id", "name", "createdAt"];

function* smallerItems(item: HistoryItem): Generator<HistoryItem> {
  if ("unlink" in item) return;
  for (const smaller of smallerValues(item) as Generator<HistoryItem>) {
    const told = Object.values("name" in item ? { smaller } : smaller)[0] as object | undefined;
    if (told !== undefined && NEEDED.every((member) => member in told || (member === "name" && !("name" in item)))) yield smaller;
  }
}

/** A value without one of its members or items, at any depth. */
function* smallerValues(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      yield value.toSpliced(at, 1);
      for (const smaller of smallerValues(item)) yield value.with(at, smaller);
    }
    return;
  }
  if (typeof value !== "object" || value === null || value instanceof Date) return;
  for (const [name, member] of Object.entries(value)) {
    yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
    for (const smaller of smallerValues(member)) yield { ...value, [name]: smaller };
  }
}
