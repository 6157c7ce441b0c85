import { DaybookError, fixedClock, memoryStorage, openDaybook, type AggregateInput, type Daybook, type DaybookOptions, type PerDayInput } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import type { History } from "../support/index.js";
import { load } from "../../src/cli/load.js";
import { readNdjson } from "../../src/cli/read/lines.js";
import { ndjsonBlocks } from "../../src/cli/commands/export.js";
import { arrive } from "../support/random/arrive.js";
import { errorOutcome, type Outcome } from "./answers.js";
import { outcome } from "./person-answers.js";
import { personHistory } from "../support/random/person-history.js";
import { randomOptions } from "../support/random/person-options.js";
import { personQueries, type PersonQuery } from "../support/random/person-queries.js";
import { emails, userIds } from "../support/random/person-values.js";

/** A line of an export, or (null) none in its place. */
export type Mutant = (line: Readonly<Record<string, unknown>>) => object | null;

/** A query that looks at events alone. */
type EventQuery =
  | { readonly report: "countEventsPerDay" | "countEventsRunningTotalPerDay"; readonly input: PerDayInput }
  | { readonly report: "aggregate"; readonly input: AggregateInput };

const FIELDS = ["userId", "url", "hostname", "device", "locationCountry"] as const;

/**
 * Exports a random history of events and records, erasures and empty projects among them, as the command line does, imports the text
 * into a new Daybook, in its order or another, and asks both one query of each report. @returns the first difference; null for none
 * @param mutant what is imported instead, to see that it is noticed; then only answers are compared
 */
export async function copyDifference(seed: number, mutant?: Mutant): Promise<string | null> {
  const random = seededRandom(seed);
  const { nowMs, ...rules } = randomOptions(random);
  const { history } = personHistory(random);
  const open = () => openDaybook({ ...(rules as Partial<DaybookOptions>), storage: memoryStorage(), clock: fixedClock(nowMs) });
  await using original = await open();
  await using copy = await open();
  await live(original, history, random);
  const text = await exportOf(original);
  const lines = text.split("\n").filter((line) => line !== "");
  const imported = mutant === undefined ? lines : lines.flatMap((line) => mutated(line, mutant));
  const arriving = random.chance(0.5) ? imported : random.shuffled(imported);
  const half = random.chance(0.3) ? arriving.length / 2 : arriving.length;
  for (const part of [arriving.slice(0, half), arriving.slice(half)]) {
    const loaded = await load(copy, readNdjson(bytesOf(part.join("\n")), "copy"));
    if (mutant === undefined && loaded.accepted !== part.length) return `not all ${part.length} lines were accepted: ${JSON.stringify(loaded)}`;
    if (random.chance(0.3)) await copy.seal();
  }
  const ids = mutant === undefined ? await exportOf(original, true) : "";
  const pairs: [about: string, ofOriginal: string, ofCopy: string][] = [];
  if (mutant === undefined) pairs.push(["the export", text, await exportOf(copy)], ["the export with identity ids", ids, await exportOf(copy, true)]);
  pairs.push(["projects", JSON.stringify(original.projects()), JSON.stringify(copy.projects())]);
  for (const query of queries(random, history, [...new Set(ids.match(/idn_[0-9a-f]{32}/g))])) pairs.push([JSON.stringify(query), await answerOf(original, query), await answerOf(copy, query)]);
  const differing = pairs.find(([, ofOriginal, ofCopy]) => ofOriginal !== ofCopy);
  return differing === undefined ? null : `${differing[0]}\nthe original: ${differing[1]}\n    the copy: ${differing[2]}`;
}

/** @throws an error with the seed */
export async function checkCopy(seed: number): Promise<void> {
  const difference = await copyDifference(seed);
  if (difference !== null) throw new Error(`a copy differs from its original; repeat with DAYBOOK_SEED=${seed} DAYBOOK_CASES=1\n${difference}`);
}

/** The history arrives; on the way projects are made and somebody may be erased. */
async function live(daybook: Daybook, history: History, random: Random): Promise<void> {
  const half = random.between(0, history.length);
  if (random.chance(0.3)) await daybook.createProject(random.pick(["none", "shop", "\u{1F600}"]));
  await arrive(daybook, history.slice(0, half));
  if (random.chance(0.2)) await erase(daybook, random);
  if (random.chance(0.3)) await daybook.seal();
  for (const item of history.slice(half)) await arrive(daybook, [item]).catch(refuseOthers);
}

/** What is about the erased stays out. */
function refuseOthers(error: unknown): void {
  if (!(error instanceof DaybookError) || error.code !== "suppressed") throw error;
}

async function erase(daybook: Daybook, random: Random): Promise<void> {
  const subject = random.pick([{ userId: random.pick(userIds) }, { email: random.pick(emails) }]);
  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject, regulation: "gdpr" });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  await daybook.privacyRequests.resolve(id, "completed");
}

async function exportOf(daybook: Daybook, identityIds = false): Promise<string> {
  const blocks: string[] = [];
  for await (const block of ndjsonBlocks(daybook, { identityIds }, true, () => undefined)) blocks.push(block);
  return blocks.join("");
}

function mutated(line: string, mutant: Mutant): string[] {
  const changed = mutant(JSON.parse(line) as Readonly<Record<string, unknown>>);
  return changed === null ? [] : [JSON.stringify(changed)];
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** One query of each report. */
function queries(random: Random, history: History, identityIds: readonly string[]): (PersonQuery | EventQuery)[] {
  return [
    ...personQueries(random, history, identityIds),
    { report: "countEventsPerDay", input: { userId: random.pick(userIds) } },
    { report: "countEventsRunningTotalPerDay", input: { project: random.pick(["shop", "default"]) } },
    { report: "aggregate", input: { field: random.pick(FIELDS) } },
    { report: "aggregate", input: { metadataField: random.pick(["utm_source", "revenue", "order_id"]) } },
  ];
}

/** As text: equal texts mean byte-identical answers. */
async function answerOf(daybook: Daybook, query: PersonQuery | EventQuery): Promise<string> {
  return JSON.stringify(isOfEvents(query) ? await eventOutcome(daybook, query) : await outcome(daybook, query));
}

function isOfEvents(query: PersonQuery | EventQuery): query is EventQuery {
  return ["aggregate", "countEventsPerDay", "countEventsRunningTotalPerDay"].includes(query.report);
}

async function eventOutcome(daybook: Daybook, { report, input }: EventQuery): Promise<Outcome> {
  try {
    return { answer: await daybook[report](input as never) };
  } catch (error) {
    return errorOutcome(error);
  }
}
