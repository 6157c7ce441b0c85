import { DaybookError, memoryStorage, openDaybook, type Daybook, type Scope, type ScopedDaybook, type SearchEventsPage } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import { namedFieldsOf } from "../../src/query/plan/filters/field-operand.js";
import { QUERY_NAMES } from "../../src/query/queries.js";
import { FIELDS } from "../../src/core/schema/fields.js";
import { load } from "../../src/cli/load.js";
import { readNdjson } from "../../src/cli/read/lines.js";
import { ndjsonBlocks } from "../../src/cli/commands/export.js";
import type { History } from "../support/index.js";
import { arrive } from "../support/random/arrive.js";
import { insightHistory } from "../support/random/insight-history.js";
import { insightQuery, type InsightName } from "../support/random/insight-queries.js";
import { timesOf } from "../support/random/insight-scope.js";
import { personQueries } from "../support/random/person-queries.js";
import { emails, userIds } from "../support/random/person-values.js";
import { daybookOptions } from "./person-case.js";

const INSIGHTS: readonly InsightName[] = ["trend", "funnel", "retention", "lifecycle", "stickiness", "paths", "sessionsOverview", "webOverview"];
/** Every field of an event, and what the answers of all reports show. */
const SHOWN = [...FIELDS.map(({ camel }) => camel), "id", "createdAt", "identityId", "path", "referrerDomain", "touchSource", "touchMedium", "touchCampaign", "person.email", "company.name", "company.domain"];

export interface Query {
  readonly report: string;
  readonly input: object;
}

type Line = Readonly<Record<string, unknown>> & { readonly id: string; readonly createdAt: string; readonly project?: string };

/** What a scope is changed into before it is asked, to see that the difference is noticed. */
export type ScopeMutant = (scope: Scope) => Scope;

/**
 * A random history of events and records arrives, with seals, erasures and deletions between, and queries of a random scope. At the end the scope of
 * the whole is asked one query of each report, and so is a store made of its events and all records.
 * @returns how many queries were compared, and the first difference
 */
export async function scopeDifference(seed: number, mutant: ScopeMutant = (scope) => scope): Promise<{ readonly queryCount: number; readonly difference: string | null }> {
  const random = seededRandom(seed);
  const { history, options } = insightHistory(random);
  const open = () => openDaybook({ storage: memoryStorage(), ...daybookOptions(options), ...random.pick([{}, {}, { memoryBudgetBytes: 1 }]) });
  await using whole = await open();
  await using part = await open();
  const { timeZone, scopes, queries, keys } = questionsOf(random, history, options.nowMs);
  await live(whole, history, random, () => {
    const query = random.pick(queries);
    return ask(scopedTo(whole, scopes.map(mutant), query, keys), query, keys);
  });
  await fill(part, whole, scopes, options.nowMs);
  let queryCount = 0;
  for (const query of queries) {
    const named = await withSavedSegments(query, [whole, part]);
    if (named === null) continue;
    const ofScope = await ask(scopedTo(whole, scopes.map(mutant), named, keys), named, keys);
    const isZoned = timeZone !== null && INSIGHTS.some((name) => name === query.report);
    const ofPart = await ask(part, isZoned ? { ...named, input: { ...named.input, timeZone } } : named, keys);
    queryCount += 1;
    if (ofScope !== ofPart) {
      const difference = [`scopes ${JSON.stringify(scopes)}`, JSON.stringify(query), `the scope: ${ofScope}`, ` the part: ${ofPart}`].join("\n");
      return { queryCount, difference };
    }
  }
  return { queryCount, difference: null };
}

/** Random scopes of a history, of which each event passes all, and a query of each report. */
export function questionsOf(random: Random, history: History, nowMs: number) {
  // Where clocks are set back over midnight, dates do not tell when a day began.
  const timeZone = random.pick([null, null, "UTC", "Asia/Kolkata", "America/New_York"]);
  const scopes: readonly Scope[] = Array.from({ length: random.pick([1, 1, 1, 2]) }, () => ({ ...randomScope(random, history), timeZone }));
  const queries = [
    { report: "countEvents", input: {} },
    ...INSIGHTS.map((name) => insightQuery(name, { random, timesMs: timesOf(history), nowMs, identityIds: [] })),
    ...personQueriesOf(random, history),
  ].map((query) => without(query, timeZone === null ? ["asOf", "cursor"] : ["asOf", "cursor", "timeZone"]));
  // A scope shows the metadata keys that it lists, at most a hundred.
  const keys = [...new Set(eventsOf(history).flatMap(({ metadata }) => Object.keys(metadata ?? {})))].filter((key) => key !== "" && key.isWellFormed()).slice(0, 40);
  return { timeZone, scopes, queries, keys };
}

/** @throws an error with the seed */
export async function checkScope(seed: number): Promise<number> {
  const { queryCount, difference } = await scopeDifference(seed);
  if (difference !== null) throw new Error(`a scope differs from a store made of its events; repeat with DAYBOOK_SEED=${seed} DAYBOOK_CASES=1\n${difference}`);
  return queryCount;
}

/** Not every history has what the queries about people are made of. */
function personQueriesOf(random: Random, history: History): readonly Query[] {
  try {
    return personQueries(random, history, []);
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

function eventsOf(history: History) {
  return history.flatMap((item) => ("name" in item ? [item] : []));
}

function randomScope(random: Random, history: History): Scope {
  const events = eventsOf(history);
  const event = events.length === 0 ? { name: "a" } : random.pick(events);
  const given: Readonly<Record<string, unknown>> = { ...event };
  const valueOf = (field: string) => String(given[field] ?? "") || "default";
  const filter = () => {
    const fieldName = random.pick(["name", "project", "device", "url", "userId", "anonymousId", "companyId", "companyId", "value", "locationCountry", "createdAt"]);
    const operator = fieldName === "createdAt" ? random.pick([">", "<="]) : random.pick(["=", "=", "!=", "is_set"]);
    return { fieldName, operator, ...(operator === "is_set" ? {} : { value: fieldName === "createdAt" ? random.pick(dates(history)) : valueOf(fieldName) }) };
  };
  const groups = Array.from({ length: random.pick([1, 1, 1, 2]) }, () => ({ filters: Array.from({ length: random.pick([1, 1, 2]) }, filter) }));
  return {
    ...(random.chance(0.2) ? {} : { filterGroups: groups }),
    ...(random.chance(0.2) ? { projects: [valueOf("project"), ...(random.chance(0.3) ? ["default"] : [])] } : {}),
    ...(random.chance(0.15) ? { from: random.pick(dates(history)) } : random.chance(0.15) ? { lastDays: random.pick([1, 2, 10]) } : {}),
  };
}

function dates(history: History): readonly string[] {
  const times = timesOf(history).map((ms) => new Date(ms).toISOString());
  return times.length === 0 ? ["2025-01-01"] : times;
}

/** As of a sequence is no question that a scope answers. */
function without({ report, input }: Query, names: readonly string[]): Query {
  return { report, input: Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name))) };
}

async function live(daybook: Daybook, history: History, random: Random, look: () => Promise<unknown>): Promise<void> {
  const [sealChance, lookChance, removalChance] = [random.pick([0, 0.3]), random.pick([0, 0.3]), random.pick([0, 0, 0.1])];
  for (let at = 0; at < history.length; ) {
    const size = random.pick([1, 3, 8, 30]);
    await arrive(daybook, history.slice(at, at + size)).catch((error: unknown) => {
      if (!(error instanceof DaybookError) || error.code !== "suppressed") throw error;
    });
    at += size;
    if (random.chance(sealChance)) await daybook.seal();
    if (random.chance(lookChance)) await look();
    if (random.chance(removalChance)) await remove(daybook, history, random);
  }
}

async function remove(daybook: Daybook, history: History, random: Random): Promise<void> {
  if (random.chance(0.5)) return void (await daybook.deleteEvents({ before: new Date(random.pick(dates(history))) }));
  const subject = random.pick([{ userId: random.pick(userIds) }, { email: random.pick(emails) }]);
  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject, regulation: "gdpr" });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  await daybook.privacyRequests.resolve(id, "completed");
}

/** Copies the events that the scopes let through, found by other means where there are any, and all records. */
async function fill(part: Daybook, whole: Daybook, scopes: readonly Scope[], nowMs: number): Promise<void> {
  let text = "";
  for await (const block of ndjsonBlocks(whole, { identityIds: false }, true, () => undefined)) text += block;
  const lines = text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Line);
  const passing = await Promise.all(scopes.map(({ filterGroups }) => idsOf(whole, filterGroups)));
  const isEvent = ({ type }: Line) => type === undefined || type === "event";
  const passes = (line: Line) => passing.every((ids) => ids.has(keyOf(line))) && scopes.every((scope) => isWithin(line, scope, nowMs));
  const copied = lines.filter((line) => !isEvent(line) || passes(line)).filter(({ type }) => type !== "project");
  const loaded = await load(part, readNdjson(bytesOf(copied.map((line) => JSON.stringify(line)).join("\n")), "copy"));
  if (loaded.accepted !== copied.length) throw new Error(`not all ${copied.length} lines were accepted: ${JSON.stringify(loaded)}`);
}

function keyOf({ id, project = "default" }: { readonly id: string; readonly project?: string }): string {
  return `${id} ${project}`;
}

async function idsOf(daybook: Daybook, filterGroups: Scope["filterGroups"]): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let cursor: string | null = null; ; ) {
    const page: SearchEventsPage = await daybook.searchEvents({ filterGroups, limit: 1_000, cursor });
    for (const event of page.events) ids.add(keyOf(event));
    cursor = page.cursor;
    if (cursor === null) return ids;
  }
}

function isWithin({ createdAt, project = "default" }: Line, { projects, from, lastDays, timeZone }: Scope, nowMs: number): boolean {
  const localDay = (ms: number) => Date.parse(new Intl.DateTimeFormat("en-CA", { timeZone: timeZone ?? "UTC", dateStyle: "short" }).format(ms)) / 86_400_000;
  const ms = Date.parse(createdAt);
  if (projects !== undefined && projects !== null && !projects.includes(project)) return false;
  if (typeof lastDays === "number" && localDay(ms) <= localDay(nowMs) - lastDays) return false;
  return from === undefined || ms >= Date.parse(String(from));
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield new TextEncoder().encode(text);
}

/** Allowed to ask everything that the query names. */
export function scopedTo(daybook: Pick<Daybook, "scoped">, [first = {}, ...others]: readonly Scope[], query: Query, keys: readonly string[]): ScopedDaybook {
  const names = [...new Set([...namedFieldsOf(query.input).map(({ name }) => name), ...keys.map((key) => `metadata.${key}`)])];
  const rights = { queries: QUERY_NAMES, fields: [...SHOWN, ...names].slice(0, 100), segments: ["one", "two", "big", "a", "b", "c", ...savedNames] };
  return others.reduce((scoped: ScopedDaybook, scope) => scoped.scoped({ ...scope, ...rights }), daybook.scoped({ ...first, ...rights }));
}

const savedNames = Array.from({ length: 5 }, (_, at) => `saved${at}`);

/** A query whose segments are saved under other names; null where they cannot be. */
export async function withSavedSegments({ report, input }: Query, daybooks: readonly Pick<Daybook, "segments">[]): Promise<Query | null> {
  const { segments, ...rest } = input as { readonly segments?: Readonly<Record<string, never>> };
  const names = Object.keys(segments ?? {});
  if (names.length > savedNames.length) return null;
  let text = JSON.stringify(rest);
  for (const [at, name] of names.entries()) {
    const saved = savedNames[at] ?? "";
    try {
      for (const daybook of daybooks) await daybook.segments.put(saved, segments?.[name] as never);
    } catch (error) {
      if (error instanceof DaybookError) return null;
      throw error;
    }
    text = text.replaceAll(`"value":${JSON.stringify(name)}`, `"value":${JSON.stringify(saved)}`);
  }
  return { report, input: names.length === 0 ? rest : (JSON.parse(text) as object) };
}

/** The answer as text, or the error, with the notices. Cursors are sealed with keys of their own, so pages are followed instead. */
export async function ask(queries: ScopedDaybook | Daybook, { report, input }: Query, keys: readonly string[], hearsNotices = true): Promise<string> {
  const notices: string[] = [];
  const onNotice = ({ message }: { readonly message: string }) => void (hearsNotices && notices.push(message));
  const query = queries as unknown as Readonly<Record<string, (input: object, options: object) => Promise<unknown>>>;
  try {
    const pages: unknown[] = [];
    for (let cursor: string | null = null; ; ) {
      const answer: unknown = await query[report]?.(cursor === null ? input : { ...input, cursor }, { onNotice });
      if (!isPage(answer)) return JSON.stringify([answer, notices]);
      const events = answer.events?.map((event) => ({ ...event, metadata: Object.fromEntries(keys.flatMap((key) => (key in event.metadata ? [[key, event.metadata[key]]] : []))) }));
      pages.push({ ...answer, ...(events === undefined ? {} : { events }), cursor: answer.cursor !== null });
      cursor = answer.cursor;
      if (cursor === null || pages.length === 4) return JSON.stringify([pages, [...new Set(notices)]]);
    }
  } catch (error) {
    if (error instanceof DaybookError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

function isPage(answer: unknown): answer is { readonly cursor: string | null; readonly events?: SearchEventsPage["events"] } {
  return typeof answer === "object" && answer !== null && "cursor" in answer;
}
