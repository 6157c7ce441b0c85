import { readIngestOptions, readStopOptions, THROWS_REJECTED, type IngestOptions, type StopOptions, type TrackOptions } from "../core/base/options.js";
import { DaybookError, parameterError, shown } from "../core/base/errors.js";
import { compareCodePoints } from "../core/base/text-order.js";
import { isoOf, isoOfDay, type Clock } from "../core/base/time.js";
import { parseUuid, uuidText } from "../core/base/uuid.js";
import { DEFAULT_PROJECT } from "../core/schema/fields.js";
import type { Daybook, ScopedDaybook } from "../engine/daybook.js";
import { explainScoped, runScoped } from "../engine/run-scoped.js";
import type { ScopeView, ScopeViews } from "../engine/scoped/scope-view.js";
import { ScopedQueries } from "../engine/scoped-queries.js";
import type { ScopeTokens, SignScopeOptions, VerifiedScope } from "../engine/tokens/scope-tokens.js";
import type { Scope } from "../query/plan/scope.js";
import { conditionsOf } from "../query/scope-events.js";
import type { DaybookStats } from "../engine/upkeep/stats.js";
import type { DeleteEventsInput, DeletionReceipt } from "../engine/upkeep/deletions.js";
import type { ErasureReceipt, PrivacyRequestInput, PrivacyRequests } from "../engine/privacy/requests.js";
import { LazyTrackQueue } from "../engine/ingest/lazy-track-queue.js";
import type { TimeToLive } from "../engine/upkeep/time-to-live.js";
import {
  type SavedSegment, type Segments, bytesOf, checkedSegment, shownSegment, shownSegments, withSegment,
} from "../engine/query/saved-segments.js";
import type { PeopleSegment } from "../query/plan/input.js";
import type { StoredPeopleSegment } from "../store/files/side-files.js";
import { eraseSubject } from "../core/schema/erasure.js";
import type { ExportedEvent, EventInput, IngestResult } from "../core/schema/event.js";
import { rejectionError } from "../core/schema/rejections.js";
import type { TrackIngest, TrackQueueOptions } from "../core/schema/track-queue.js";
import { AFTER, type PagedExports } from "../engine/exports/place.js";
import {
  decodeAlias, decodeGroup, decodeIdentify, decodeRecord, unlinkOf, type DecodedRecord, type RecordContext,
} from "../identity/decode-record.js";
import { checkPatterns } from "../query/filter/regex.js";
import type { ReportRules, CursorPosition, Pattern } from "../query/plan/plan.js";
import type { Answer, Plan, ReportName, QueryOptions } from "../query/queries.js";
import { PlannedQueries, planQuery, type PlanningContext } from "../engine/queries.js";
import { AUTHORIZE, type Authorization } from "../engine/query/authorization.js";
import { encodeCursor } from "../query/plan/cursor.js";
import { planExport, type ExportPlan } from "../query/plan/reports/exports.js";
import type { AliasInput, GroupInput, IdentifyInput, LinkResult, RecordInput, StoredRecord } from "../core/schema/record.js";
import type { Connection } from "./connection/connection.js";
import type { ClickHouseExecutor } from "./executor.js";
import { ClickHousePrivacyRequests, RequestTable } from "./privacy/privacy-requests.js";
import { ClickHouseDeletions, ClickHouseTimeToLive } from "./removal/deletions.js";
import type { RemovalContext } from "./removal/removal.js";
import { joined, sql, text } from "./sql/sql.js";
import { insertNewer, systemTable, type Servers } from "./tables/servers.js";
import { exportedEvents, exportedRecords } from "./report/search-events.js";
import type { Writes } from "./ingest/writes.js";

/** Queries available on ClickHouse: all of them. */
export type ClickHouseQuery = ReportName;

/** Same input and output as in an embedded Daybook; `explain` of a scope is `not_supported`. */
type ScopeMethods = "scoped" | "signScope" | "verifyScopeToken" | "rotateSigningKey";

/** Same input and output as in an embedded Daybook. */
type EmbeddedMethods = "ingest" | "track" | "flush" | "identify" | "group" | "alias" | "unlink" | "ingestRecords" | "createProject" | "exportEvents" | "exportRecords";

/** `timeToLive.sweep` has to be called: nothing sweeps automatically. */
type UpkeepMethods = "privacyRequests" | "erase" | "timeToLive" | "deleteEvents" | "deleteProject" | "stats";

/**
 * An organization's events on ClickHouse: the calls and answers of an embedded Daybook, as far as they exist here. Adds the errors `unreachable`,
 * where no server answers, and `not_supported`, for any call that does not exist here.
 */
export interface ClickHouseDaybook extends Pick<Daybook, ClickHouseQuery | EmbeddedMethods | UpkeepMethods | ScopeMethods | "currency" | "segments">, AsyncDisposable {
  /** Names of all projects, by code point; always includes `default`. */
  projects(): Promise<readonly string[]>;
  /**
   * Whether every query can be answered: at least one server of each shard is up. Resolves within about a second.
   * Inferred from recent statements, or else from a probe that runs at most once a second.
   */
  health(): Promise<"ok" | "unreachable" | "closed">;
  /** Flushes the queue of `track` and closes the connection; later calls fail with `closed`. @throws what `flush` throws */
  close(): Promise<void>;
}

const QUERIED_TABLES = ["events", "links", "records", "projects", "segments"];

interface StoredParts {
  readonly connection: Connection;
  readonly executor: ClickHouseExecutor;
  readonly writes: Writes;
  readonly segments: SegmentsTable;
  readonly upkeep: ReturnType<typeof upkeepOf>;
  readonly cursorKey: Uint8Array;
  readonly scopeTokens: ScopeTokens;
  readonly rules: ReportRules;
  readonly clock: Clock;
  readonly random: (bytes: Uint8Array) => void;
  readonly throwsRejected: boolean;
  readonly track: TrackQueueOptions | undefined;
}

/** Connects the parts: queries are planned as in an embedded Daybook, then run by the executor. */
export class StoredDaybook extends PlannedQueries implements ClickHouseDaybook {
  // A `#` field: printing a Daybook must not print its key.
  readonly #parts: StoredParts;
  readonly #tracking: LazyTrackQueue;
  readonly [THROWS_REJECTED]: boolean;
  #closing: Promise<void> | null = null;

  constructor(parts: StoredParts) {
    super();
    this.#parts = parts;
    this[THROWS_REJECTED] = parts.throwsRejected;
    const ingest: TrackIngest = (events, options) => this.ingest(events, options);
    this.#tracking = new LazyTrackQueue({ options: parts.track, clock: parts.clock, random: parts.random, ingest, load: () => import("../core/schema/track-queue.js") });
  }

  scoped(scope: Scope): ScopedDaybook {
    this.#refuseClosed();
    const scopes: ScopeViews = { viewOf: (plans, nowMs) => Promise.resolve(this.#viewOf(conditionsOf(plans, nowMs))) };
    const planning = async (namesSegment: boolean) => this.#planningContext(namesSegment ? await this.#parts.segments.known() : new Map());
    return new ScopedQueries({ load: () => Promise.resolve({ runScoped, explainScoped, scopes }), planning, notify: () => undefined }, scope);
  }

  async signScope(scope: Scope, options: SignScopeOptions): Promise<string> {
    this.#refuseClosed();
    return await this.#parts.scopeTokens.sign(scope, options);
  }

  async verifyScopeToken(token: string): Promise<VerifiedScope> {
    this.#refuseClosed();
    return await this.#parts.scopeTokens.verify(token);
  }

  async rotateSigningKey(): Promise<void> {
    this.#refuseClosed();
    await this.#parts.scopeTokens.rotate();
  }

  get currency(): string {
    return this.#parts.rules.revenue.currency;
  }

  get segments(): Segments {
    return this.#parts.segments;
  }

  get privacyRequests(): PrivacyRequests {
    return this.#parts.upkeep.privacyRequests;
  }

  erase(subject: PrivacyRequestInput["subject"]): Promise<ErasureReceipt> {
    return eraseSubject(this.privacyRequests, subject);
  }

  get timeToLive(): TimeToLive {
    return this.#parts.upkeep.timeToLive;
  }

  deleteEvents(input: DeleteEventsInput): Promise<DeletionReceipt> {
    return this.#parts.upkeep.deletions.deleteEvents(input);
  }

  deleteProject(name: string): Promise<DeletionReceipt> {
    return this.#parts.upkeep.deletions.deleteProject(name);
  }

  stats(): Promise<DaybookStats> {
    return this.#parts.upkeep.stats();
  }

  health(): Promise<"ok" | "unreachable" | "closed"> {
    const { connection, executor } = this.#parts;
    // Counting all rows needs every shard, but reads no row.
    return connection.health(joined(QUERIED_TABLES.map((table) => sql`SELECT count() FROM ${executor.tables.all(table)}`), " UNION ALL "));
  }

  async ingest(events: readonly EventInput[], options?: IngestOptions): Promise<IngestResult> {
    const { project, throwsRejected } = readIngestOptions(options, this[THROWS_REJECTED]);
    const result = await this.#parts.writes.ingest(events, project);
    const [first] = result.rejected;
    if (throwsRejected && first !== undefined) throw rejectionError(first, result);
    return result;
  }

  track(event: EventInput, options?: TrackOptions): void {
    this.#refuseClosed();
    this.#tracking.track(event, options);
  }

  async flush(options?: StopOptions): Promise<void> {
    this.#refuseClosed();
    await this.#tracking.flush(options);
  }

  async identify(input: IdentifyInput): Promise<LinkResult> {
    return await this.#record(decodeIdentify, input);
  }

  async group(input: GroupInput): Promise<LinkResult> {
    return await this.#record(decodeGroup, input);
  }

  async alias(input: AliasInput): Promise<LinkResult> {
    return await this.#record(decodeAlias, input);
  }

  async unlink(linkId: string): Promise<void> {
    const { writes } = this.#parts;
    const id = (await writes.isRecord(linkId)) ? parseUuid(linkId) : null;
    if (id === null) throw parameterError("invalid_parameter", "linkId", `expected the linkId of a record, got ${shown(linkId)}`);
    await writes.storeRecord(unlinkOf(id, writes.recordContext()));
  }

  async ingestRecords(records: readonly RecordInput[]): Promise<IngestResult> {
    return await this.#parts.writes.ingestRecords(records);
  }

  async *exportEvents(input?: Parameters<PagedExports["exportEvents"]>[0], options?: StopOptions & Authorization): AsyncGenerator<ExportedEvent> {
    const plan = await this.#withSegments((savedSegments) => this.#planExport(input, savedSegments));
    options?.[AUTHORIZE]?.(plan);
    yield* exportedEvents(plan, input?.[AFTER] ?? null, await this.#parts.executor.context(readStopOptions(options).signal));
  }

  async *exportRecords(options?: Parameters<PagedExports["exportRecords"]>[0]): AsyncGenerator<StoredRecord> {
    yield* exportedRecords(options?.[AFTER] ?? null, await this.#parts.executor.context(readStopOptions(options).signal));
  }

  async createProject(name: string): Promise<void> {
    const { upkeep, writes } = this.#parts;
    const project = decodeRecord({ type: "project", name }, writes.recordContext());
    await upkeep.deletions.finish(name);
    await writes.storeRecord(project);
  }

  projects(): Promise<readonly string[]> {
    return this.#parts.upkeep.projects();
  }

  close(): Promise<void> {
    const { connection } = this.#parts;
    this.#closing ??= this.#tracking.isUsed ? this.#tracking.flush().finally(() => connection.close()) : connection.close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  protected async plan<K extends ReportName>(report: K, input: unknown): Promise<Plan<K>> {
    const projects = MONEY.has(report) ? await this.projects() : [];
    return await this.#withSegments((savedSegments) => planQuery(report, input, this.#planningContext(savedSegments), () => projects));
  }

  async #planExport(input: unknown, savedSegments: PlanningContext["savedSegments"]): Promise<ExportPlan> {
    const patterns: Pattern[] = [];
    const plan = planExport(input, { nowMs: this.#parts.clock.now(), savedSegments, patterns });
    await checkPatterns(patterns);
    for (const name of ["afterSequence", "upToSequence"] as const)
      if (plan[name] !== null) throw new DaybookError("not_supported", `${name}: events on ClickHouse have no sequences`);
    return plan;
  }

  /** Plans without the saved segments first: most queries name no segment, and need not wait for them. */
  async #withSegments<P>(planned: (savedSegments: PlanningContext["savedSegments"]) => Promise<P>): Promise<P> {
    const unread = new UnreadSegments();
    try {
      const plan = await planned(unread);
      if (!unread.wasRead) return plan;
    } catch (error) {
      if (!unread.wasRead) throw error;
    }
    return await planned(await this.#parts.segments.known());
  }

  #planningContext(savedSegments: PlanningContext["savedSegments"]): PlanningContext {
    const { clock, cursorKey, rules } = this.#parts;
    return { nowMs: clock.now(), cursorKey, rules, savedSegments };
  }

  /** @param conditions null: none */
  #viewOf(conditions: ReturnType<typeof conditionsOf>): ScopeView {
    const { executor } = this.#parts;
    const daysOf = () => Promise.reject(new DaybookError("not_supported", "explain: ClickHouse does not support this call"));
    const view = conditions === null ? { execute: executor.execute.bind(executor), projects: () => this.projects() } : executor.within(conditions);
    return { ...view, hasKey: null, daysOf };
  }

  /** No notices: which names have no event is unknown here. */
  protected notice(): void {}

  protected execute<K extends ReportName>(plan: Plan<K>, options: QueryOptions | undefined): Promise<Answer<K>> {
    return this.#parts.executor.execute(plan, options?.signal);
  }

  protected sealCursor(next: CursorPosition, { report, fingerprint }: Plan<"searchEvents" | "identitySessions">): string {
    return encodeCursor(report, next, fingerprint, this.#parts.cursorKey);
  }

  #refuseClosed(): void {
    if (this.#closing !== null) throw new DaybookError("closed", "this Daybook was closed");
  }

  async #record(decode: (input: unknown, context: RecordContext) => DecodedRecord, input: unknown): Promise<LinkResult> {
    const { writes } = this.#parts;
    const record = decode(input, writes.recordContext());
    const linkId = uuidText(record.id);
    return (await writes.storeRecord(record)) ? { linkId, adjusted: { createdAt: isoOf(record.createdAtMs) } } : { linkId };
  }
}

/** Reports on the money of a project, which has to exist. */
const MONEY: ReadonlySet<ReportName> = new Set<ReportName>(["revenueByAttribution", "ltvCohorts"]);

export function upkeepOf(context: RemovalContext, suppressionKey: Uint8Array, writes: Writes, executor: ClickHouseExecutor) {
  const projects = async () => [...new Set([DEFAULT_PROJECT, ...(await writes.projects())])].sort(compareCodePoints);
  // Removals read all rows several times.
  const patient = { ...context, connection: context.connection.patient() };
  const identityContext = (signal?: Pick<AbortSignal, "aborted">) => executor.context(signal);
  const privacyRequests = new ClickHousePrivacyRequests({ ...patient, suppressionKey, requests: new RequestTable(context), identityContext });
  const usual = context.connection;
  const deletions = new ClickHouseDeletions({ ...patient, projects, usual });
  const timeToLive = new ClickHouseTimeToLive({ ...context, projects, usual }, deletions, () => privacyRequests.finishLeft());
  return { projects, privacyRequests, deletions, timeToLive, stats: async () => await statsNow(context, await projects()) };
}

/** What is stored. Segments are parts of the table of events; bytes are those of all tables on all servers; nothing is cached in memory. */
async function statsNow(servers: Servers, projects: readonly string[]): Promise<DaybookStats> {
  const { connection, names, database } = servers;
  const events = sql`SELECT count(), uniqExact(day), min(day), max(day) FROM ${names.all("events")}`;
  const [[eventCount, dayCount, firstDay, lastDay] = [0, 0, 0, 0]] = await connection.rows<[number, number, number, number]>(events);
  const isOfEvents = sql`table = ${text(names.isCluster ? "events_local" : "events")}`;
  const parts = sql`SELECT countIf(${isOfEvents}), sum(bytes_on_disk) FROM ${systemTable(servers, "parts")}
    WHERE database = ${text(database)} AND active`;
  const [[segmentCount, storedByteLength] = [0, 0]] = await connection.rows<[number, number]>(parts);
  const dayText = (day: number) => (eventCount === 0 ? null : isoOfDay(day).slice(0, 10));
  return {
    health: "ok",
    sealError: null,
    eventCount,
    dayCount,
    segmentCount,
    headRowCount: 0,
    firstDay: dayText(firstDay),
    lastDay: dayText(lastDay),
    projects,
    storedByteLength,
    memoryByteLength: 0,
    distinctValues: null,
    quarantine: [],
    scrub: null,
  };
}

/** Saved segments in a table: one row per change; the newest of a name counts. */
export class SegmentsTable implements Segments {
  constructor(readonly context: Parameters<typeof insertNewer>[0]) {}

  async put(name: string, segment: PeopleSegment): Promise<SavedSegment> {
    const saved = await checkedSegment(name, segment);
    bytesOf(withSegment(await this.#read(), saved));
    await this.#write(name, JSON.stringify(saved.groups));
    return shownSegment(saved);
  }

  async list(): Promise<readonly SavedSegment[]> {
    return shownSegments(await this.#read());
  }

  async delete(name: string): Promise<boolean> {
    const isThere = (await this.#read()).has(name);
    if (isThere) await this.#write(name, "");
    return isThere;
  }

  async known(): Promise<ReadonlyMap<string, unknown>> {
    return new Map([...(await this.#read())].map(([name, { groups }]) => [name, { groups }]));
  }

  async #read(): Promise<ReadonlyMap<string, StoredPeopleSegment>> {
    const rows = await this.context.connection.rows<[name: string, groups: string]>(
      sql`SELECT name, argMax(groups, version) FROM ${this.context.names.all("segments")} GROUP BY name ORDER BY name`);
    const there = rows.filter(([, groups]) => groups !== "");
    return new Map(there.map(([name, groups]) => [name, { name, groups: JSON.parse(groups) as readonly unknown[] }]));
  }

  /** @param groups as JSON; `""` deletes the segment */
  async #write(name: string, groups: string): Promise<void> {
    await insertNewer(this.context, "segments", [{ name, groups }]);
  }
}

/** Stands in for the saved segments, to detect whether a query names one. */
export class UnreadSegments extends Map<string, unknown> {
  wasRead = false;

  override has(name: string): boolean {
    this.wasRead = true;
    return super.has(name);
  }
}
