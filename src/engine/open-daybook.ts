import type { RecordBatch } from "../formats/arrow/record-batches.js";
import {
  isThrowing, readIngestOptions, readStopOptions, THROWS_REJECTED, TRACKED, type IngestOptions, type StopOptions, type TrackedOption, type TrackOptions,
} from "../core/base/options.js";
import { systemClock, wholeClock, type Clock, timer, isoOf } from "../core/base/time.js";
import { DaybookError, parameterError, shown } from "../core/base/errors.js";
import type { Dictionaries } from "../storage/column/dictionaries.js";
import type { MemoryBudget } from "../storage/segment/memory-budget.js";
import { paymentsSummary } from "../storage/derived/stored.js";
import { LIMITS } from "../core/base/limits.js";
import { onePerProcess } from "../core/base/one-per-process.js";
import { parseUuid, uuidText, pooledRandom } from "../core/base/uuid.js";
import { decodeAlias, decodeGroup, decodeIdentify, unlinkOf, type DecodedRecord, type RecordContext } from "../identity/decode-record.js";
import type { AliasInput, GroupInput, IdentifyInput, LinkResult, RecordInput, StoredRecord } from "../core/schema/record.js";
import { Changes, SEQUENCES, type Change, type ChangesOptions, type Sequences } from "./follow/changes.js";
import { ALLOWANCE, FULLNESS, type AllowedOptions, type DaybookWithFullness, type Limit } from "./ingest/allowed-options.js";
import type { Deletions, DeleteEventsInput, DeletionReceipt } from "./upkeep/deletions.js";
import { encodeCursor } from "../query/plan/cursor.js";
import type { ReportRules, CursorPosition } from "../query/plan/plan.js";
import type { Answer, Executor, Plan, QueryOptions, ReportName } from "../query/queries.js";
import { moneySlugs, reportRules } from "../query/plan/report-rules.js";
import type { EventInput, IngestResult, ExportedEvent } from "../core/schema/event.js";
import { isKeepingFuture } from "../core/schema/instant.js";
import type { TrackIngest } from "../core/schema/track-queue.js";
import { BatchBuilder } from "../store/batch/batch.js";
import { type Store, projectsOf } from "../store/live/store.js";
import { openStore } from "../store/open-store.js";
import { type Storage, isFull } from "../store/storage/storage.js";
import { storeKeys, type StoreKeys, type StoredPeopleSegment } from "../store/files/side-files.js";
import type { BackupReport } from "../store/backup/backup-store.js";
import type { Scope } from "../query/plan/scope.js";
import type { Daybook, ScopedDaybook } from "./daybook.js";
import { ScopedQueries, type ScopedServices } from "./scoped-queries.js";
import type { Scopes } from "./scoped/scopes.js";
import { MemoryExecutor, type LoadPast } from "./query/executor.js";
import type { Explanation } from "./query/explain.js";
import { AFTER, type PagedExports } from "./exports/place.js";
import type { Following } from "./follow/following.js";
import type * as RarelyUsed from "./rarely-used.js";
import { Housekeeping, type StoreServices } from "./upkeep/housekeeping.js";
import { LazyTrackQueue } from "./ingest/lazy-track-queue.js";
import { IngestQueue, ingestRecords } from "./ingest/queue.js";
import type { ExportedDeletion } from "./exports/deletions.js";
import type { OpenExports } from "./exports/open-exports.js";
import { checkOptions, type DaybookOptions } from "./options.js";
import { ingestNoticesOf, noticesOf, reportNotices, type Notice } from "./query/notices.js";
import { StoredPrivacyRequests } from "./privacy/stored-requests.js";
import type { ErasureReceipt, PrivacyRequestInput, PrivacyRequests } from "./privacy/requests.js";
import { checkReportName, PlannedQueries, planQuery, type PlanningContext } from "./queries.js";
import { AUTHORIZE, type Authorization } from "./query/authorization.js";
import { ReportContexts } from "./query/report-contexts.js";
import { readSavedSegments, StoredPeopleSegments, type Segments } from "./query/saved-segments.js";
import type { Scrub } from "./upkeep/scrub.js";
import type { DaybookStats } from "./upkeep/stats.js";
import type { ScopeTokens, SignScopeOptions, VerifiedScope } from "./tokens/scope-tokens.js";
import { StoredTimeToLive, type TimeToLive } from "./upkeep/time-to-live.js";

/** Open writers on storages without a journal. */
const writers = onePerProcess("writers", () => new WeakMap<Storage, Daybook>());

/** A reader of such a storage sees only what was sealed, so the writer seals first. */
async function sealBeforeReading(storage: Storage): Promise<void> {
  const writer = writers.get(storage);
  await (writer?.health === "closed" ? writer.close() : writer?.seal());
}

/** The same for a following reader, only if the writer is ahead: each seal writes another manifest. */
async function sealBeforeLooking(storage: Storage, newestSequence: number): Promise<void> {
  const writer = writers.get(storage);
  if (writer === undefined || storeOf(writer)?.newestSequence === newestSequence) return;
  // A writer that is closed meanwhile seals by itself.
  await sealBeforeReading(storage).catch(() => undefined);
}

/**
 * Opens an organization's events and creates a store where none exists, but never beside other stores: a directory of organizations is rejected
 * before a byte is written.
 * @throws invalid_parameter, unknown_parameter, store_locked, manifest_missing, corruption, storage_full
 */
export function openDaybook(options: DaybookOptions): Promise<Daybook> {
  return openOn(options, inMemory);
}

/** `openDaybook` in a memory budget of several stores. @throws as `openDaybook` does */
export function openInBudget(options: DaybookOptions, budget: MemoryBudget): Promise<Daybook> {
  return openOn(options, inMemory, budget);
}

/** What executors load for queries as of a sequence. */
export const loadPast: LoadPast = () => import("./rarely-used.js");

type MakeExecutor = (store: Store, contexts: ReportContexts, options: DaybookOptions) => Executor;

const inMemory: MakeExecutor = (store, contexts, options) => new MemoryExecutor(store, contexts, options.onWork ?? (() => undefined), loadPast);

/** `openDaybook` with another executor. @throws as `openDaybook` does */
export async function openOn(options: DaybookOptions, makeExecutor: MakeExecutor, budget?: MemoryBudget): Promise<Daybook> {
  checkOptions(options);
  const { storage, durability = "disk", memoryBudgetBytes = LIMITS.memoryBudgetBytes, readOnly = false, follow: isFollowing = false, sealWorker = null } = options;
  const random = options.random ?? pooledRandom();
  const quarantine = options.onCorruption === "quarantine";
  const slugs = moneySlugs(reportRules(options).revenue);
  if (readOnly) await sealBeforeReading(storage);
  const summaries = (dictionaries: Dictionaries) => [paymentsSummary(dictionaries, slugs)];
  // Lazy: most programs neither follow nor scrub, nor set the bounds of `track`.
  const loaded = isFollowing || options.scrub !== undefined || options.track !== undefined ? await import("./rarely-used.js") : null;
  loaded?.readTrackQueueOptions(options.track);
  const following = isFollowing ? loaded : null;
  const opening = { storage, durability, memoryBudgetBytes, budget, readOnly, follow: following?.hasSettled ?? null, quarantine, sealWorker, summaries };
  const store = await openStore(opening).catch(async (error: unknown) => {
    if (readOnly || !isFull(error)) throw error;
    return (await import("./rarely-used.js")).openWhenFull(opening, error, openStore);
  });
  try {
    const keys = await storeKeys(storage, { random, mayWrite: !store.options.readOnly, mayBeMissing: store.isEmpty || quarantine });
    const saved = await readSavedSegments(storage);
    const daybook = new EmbeddedDaybook(store, options, makeExecutor, random, { keys, saved, following: following?.Following ?? null, scrub: loaded?.Scrub ?? null });
    if (!readOnly && storage.volatile === true) writers.set(storage, daybook);
    return daybook;
  } catch (error) {
    await store.abandon().catch(() => undefined);
    throw error;
  }
}

/** The store of a Daybook; null if the Daybook is not one of this process. */
export function storeOf(daybook: Daybook): Store | null {
  return daybook instanceof EmbeddedDaybook ? EmbeddedDaybook.storeOf(daybook) : null;
}

interface StoreExtras {
  readonly keys: StoreKeys;
  readonly saved: readonly StoredPeopleSegment[];
  /** Follows the writer; null: nothing does. */
  readonly following: typeof Following | null;
  /** Rereads the files periodically; null: nothing does. */
  readonly scrub: typeof Scrub | null;
}

class EmbeddedDaybook extends PlannedQueries implements Daybook, PagedExports, DaybookWithFullness {
  static storeOf(daybook: EmbeddedDaybook): Store {
    return daybook.#store;
  }

  readonly currency: string;
  // Private fields: printing or serializing a Daybook must not print its keys and events.
  readonly #store: Store;
  #cursorKey: Uint8Array;
  readonly #clock: Clock;
  readonly #random: (bytes: Uint8Array) => void;
  readonly #rules: ReportRules;
  readonly #contexts: ReportContexts;
  readonly #executor: Executor;
  readonly #queue: IngestQueue;
  readonly #tracking: LazyTrackQueue;
  readonly [THROWS_REJECTED]: boolean;
  readonly #housekeeping: Housekeeping;
  readonly #changes: Changes;
  /** Null before the first export: most programs export nothing. */
  #exports: OpenExports | null = null;
  readonly #segments: StoredPeopleSegments;
  readonly #privacy: StoredPrivacyRequests;
  readonly #deletions: () => Promise<Deletions>;
  readonly #timeToLive: StoredTimeToLive;
  readonly #scrub: Scrub | null;
  readonly #following: Following | null;
  readonly #keepsFuture: boolean;
  readonly #onNotice: ((notice: Notice) => unknown) | undefined;
  readonly #scopedServices: ScopedServices;
  readonly #scopeTokens: () => Promise<ScopeTokens>;
  #closing: Promise<void> | null = null;

  constructor(store: Store, options: DaybookOptions, makeExecutor: MakeExecutor, random: (bytes: Uint8Array) => void, { keys, saved, following, scrub }: StoreExtras) {
    super();
    this.#store = store;
    this.#cursorKey = keys.cursorKey;
    this.currency = options.currency ?? "USD";
    this.#clock = wholeClock(options.clock ?? systemClock);
    this.#random = random;
    this.#rules = reportRules(options);
    this.#keepsFuture = isKeepingFuture(options.futureEvents);
    this.#onNotice = options.onNotice;
    this.#contexts = new ReportContexts(store, options.rates ?? (() => undefined), this.#rules);
    this.#executor = makeExecutor(store, this.#contexts, options);
    this.#housekeeping = new Housekeeping(store);
    this.#changes = new Changes(store);
    this.#queue = new IngestQueue(store, {
      clock: this.#clock,
      random,
      keepsFuture: this.#keepsFuture,
      suppression: () => this.#privacy.suppression,
      timeToLive: () => this.#timeToLive.rules,
      onNotify: options.onNotify ?? null,
      onCommit: (batch, hasRecords) => this.#changes.committed(batch, hasRecords),
      afterCommit: () => this.#housekeeping.afterCommit(),
    });
    this[THROWS_REJECTED] = isThrowing(options.onRejected);
    const ingest: TrackIngest = (events, given) => this.ingest(events, given);
    this.#tracking = new LazyTrackQueue({ options: options.track, clock: this.#clock, random, ingest, load: () => import("./rarely-used.js") });
    const waitForExports = (whenUnread: Promise<void>) => this.#exports?.waitForReaders(whenUnread) ?? whenUnread;
    const waitForReaders = async (whenUnread: Promise<void>) => {
      await waitForExports(whenUnread);
      // The deleted data is gone from answers; the next opening removes the old files.
      this.#refuseClosed();
    };
    let scopes: Scopes | null = null;
    this.#scopedServices = {
      load: async () => {
        const { Scopes, runScoped, explainScoped } = await import("./rarely-used.js");
        return { runScoped, explainScoped, scopes: (scopes ??= new Scopes(store, this.#contexts, (read) => this.#retrying(read))) };
      },
      planning: async () => {
        await this.#upToDate();
        return this.#planningContext();
      },
      notify: (notices, options) => reportNotices(notices, [this.#onNotice, options?.onNotice]),
    };
    const forget = (projects: readonly string[] = []) => {
      this.#contexts.clear();
      scopes?.clear();
      this.#store.catalog.forgetDerived();
      this.#changes.all(projects);
    };
    const own = { queue: this.#queue, housekeeping: this.#housekeeping, clock: this.#clock };
    const services: StoreServices = { store, ...own, waitForReaders, forget, refuseClosed: () => this.#refuseClosed() };
    this.#segments = new StoredPeopleSegments(services, saved);
    let tokens: Promise<ScopeTokens> | null = null;
    // Lazy: most programs sign nothing.
    this.#scopeTokens = () => (tokens ??= import("./rarely-used.js").then(({ scopeTokensOf }) => scopeTokensOf(services, random)));
    this.#privacy = new StoredPrivacyRequests({
      ...services, segments: this.#segments, random, suppressionKey: keys.suppressionKey, lazy: () => import("./rarely-used.js"),
    });
    this.#deletions = async () => {
      // Lazy: most programs delete nothing.
      const { Deletions } = await import("./rarely-used.js");
      return new Deletions(services);
    };
    // Last: nothing may throw after background tasks have started.
    this.#timeToLive = new StoredTimeToLive(services, this.#deletions, timer);
    this.#scrub = options.scrub === undefined || scrub === null ? null : new scrub(store, options.scrub, options.onDamage ?? (() => undefined), timer);
    const prepare = (newestSequence: number) => sealBeforeLooking(store.storage, newestSequence);
    const setKeys = ({ cursorKey }: StoreKeys) => (this.#cursorKey = cursorKey);
    const parts = { changes: this.#changes, waitForReaders: waitForExports, segments: this.#segments, privacy: this.#privacy };
    this.#following = following === null ? null : new following({ ...parts, store, keys, setKeys, forget, prepare, wait: timer });
  }

  scoped(scope: Scope): ScopedDaybook {
    this.#refuseClosed();
    return new ScopedQueries(this.#scopedServices, scope);
  }

  get segments(): Segments {
    return this.#segments;
  }

  get privacyRequests(): PrivacyRequests {
    return this.#privacy;
  }

  get timeToLive(): TimeToLive {
    return this.#timeToLive;
  }

  async deleteEvents(input: DeleteEventsInput): Promise<DeletionReceipt> {
    return await (await this.#deletions()).deleteEvents(input);
  }

  async deleteEventsOfKey(key: string): Promise<DeletionReceipt> {
    return await (await this.#deletions()).deleteEventsOfKey(key);
  }

  async deleteProject(name: string): Promise<DeletionReceipt> {
    return await (await this.#deletions()).deleteProject(name);
  }

  async ingest(events: readonly EventInput[], options?: IngestOptions & AllowedOptions & TrackedOption): Promise<IngestResult> {
    if (options?.[TRACKED] !== true) this.#refuseClosed();
    const { project, throwsRejected } = readIngestOptions(options, this[THROWS_REJECTED]);
    const result = await this.#queue.add(events, project, options?.[ALLOWANCE]);
    reportNotices(ingestNoticesOf("events", result.adjusted), [this.#onNotice]);
    const [first] = result.rejected;
    if (throwsRejected && first !== undefined) throw (await import("./rarely-used.js")).rejectionError(first, result);
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

  async erase(subject: PrivacyRequestInput["subject"]): Promise<ErasureReceipt> {
    const { eraseSubject } = await import("./rarely-used.js");
    return await eraseSubject(this.#privacy, subject);
  }

  async identify(input: IdentifyInput, options?: AllowedOptions): Promise<LinkResult> {
    return await this.#record(decodeIdentify, input, options?.[ALLOWANCE]?.limit);
  }

  async group(input: GroupInput): Promise<LinkResult> {
    return await this.#record(decodeGroup, input);
  }

  async alias(input: AliasInput): Promise<LinkResult> {
    return await this.#record(decodeAlias, input);
  }

  async unlink(linkId: string): Promise<void> {
    this.#refuseClosed();
    const id = typeof linkId === "string" ? parseUuid(linkId) : null;
    if (id === null || this.#store.records.find(id) < 0)
      throw parameterError("invalid_parameter", "linkId", `expected the linkId of a record, got ${shown(linkId)}`);
    await this.#queue.addRecord(unlinkOf(id, this.#recordContext()));
  }

  async ingestRecords(records: readonly RecordInput[]): Promise<IngestResult> {
    this.#refuseClosed();
    const result = await ingestRecords(records, this.#recordContext(), this.#queue);
    reportNotices(ingestNoticesOf("records", result.adjusted), [this.#onNotice]);
    return result;
  }

  async *exportRecords(options: Parameters<PagedExports["exportRecords"]>[0] | null = {}): AsyncGenerator<StoredRecord> {
    // Lazy: most programs export no records.
    const { exportStoredRecords } = await import("./rarely-used.js");
    await this.#upToDate();
    yield* exportStoredRecords(this.#store, options?.[AFTER], readStopOptions(options).signal);
  }

  async explain(report: ReportName, input?: object, options?: Authorization): Promise<Explanation> {
    checkReportName(report);
    const plan = await this.plan(report, input);
    options?.[AUTHORIZE]?.(plan);
    const notices = noticesOf(plan, input, this.#hasKey).map(({ message }) => message);
    const { explainPlan } = await import("./rarely-used.js");
    return { ...(await this.#retrying(() => explainPlan(this.#store, this.#contexts, plan))), notices };
  }

  async signScope(scope: Scope, options: SignScopeOptions): Promise<string> {
    this.#refuseClosed();
    return await (await this.#scopeTokens()).sign(scope, options);
  }

  async verifyScopeToken(token: string): Promise<VerifiedScope> {
    this.#refuseClosed();
    return await (await this.#scopeTokens()).verify(token);
  }

  async rotateSigningKey(): Promise<void> {
    this.#refuseClosed();
    await (await this.#scopeTokens()).rotate();
  }

  exportEvents(...args: Parameters<PagedExports["exportEvents"]>): AsyncGenerator<ExportedEvent> {
    return this.#exporting(({ exportedEvents }, exports) => exportedEvents(exports, ...args));
  }

  exportArrow(...args: Parameters<Daybook["exportArrow"]>): AsyncGenerator<Uint8Array> {
    return this.#exporting(({ exportedArrow }, exports) => exportedArrow(exports, ...args));
  }

  exportParquet(...args: Parameters<Daybook["exportParquet"]>): AsyncGenerator<Uint8Array> {
    return this.#exporting(({ exportedParquet }, exports) => exportedParquet(exports, ...args));
  }

  exportDeletions(...args: Parameters<Daybook["exportDeletions"]>): AsyncGenerator<ExportedDeletion> {
    return this.#exporting(({ exportedDeletions }, exports) => exportedDeletions(exports, ...args));
  }

  recordBatches(...args: Parameters<Daybook["recordBatches"]>): AsyncGenerator<RecordBatch> {
    return this.#exporting(({ exportedBatches }, exports) => exportedBatches(exports, ...args));
  }

  async *#exporting<T>(read: (lazy: typeof RarelyUsed, exports: OpenExports) => AsyncGenerator<T>): AsyncGenerator<T> {
    const lazy = await import("./rarely-used.js");
    await this.#upToDate();
    this.#exports ??= new lazy.OpenExports(this.#store, this.#contexts, () => this.#planningContext(), (again) => this.#retrying(again));
    yield* read(lazy, this.#exports);
  }

  async createProject(name: string): Promise<void> {
    this.#refuseClosed();
    if (typeof name !== "string" || name === "" || !name.isWellFormed() || name.length > LIMITS.eventNameChars)
      throw parameterError("invalid_parameter", "name", `expected 1 to ${LIMITS.eventNameChars} characters, got ${shown(name)}`);
    await this.#queue.exclusive(async () => {
      if (this.#store.isVisible("project", name)) return;
      this.#store.dictionaries.named("project").intern(name);
      try {
        await this.#store.commit(new BatchBuilder().batch(), null, this.#clock.now());
        this.#changes.all();
      } catch (error) {
        this.#store.forgetUnjournaled();
        throw error;
      }
    });
  }

  projects(): readonly string[] {
    return projectsOf(this.#store);
  }

  changes(options?: ChangesOptions): AsyncIterable<Change> {
    // From this call on, not from the first read.
    return this.#listen(options, this.#store.newestSequence);
  }

  async *#listen(options: ChangesOptions | undefined, newest: number): AsyncGenerator<Change> {
    this.#refuseClosed();
    yield* this.#changes.read(options, newest);
  }

  [SEQUENCES](): Sequences {
    return { key: this.#cursorKey, newestOf: (project) => this.#changes.newestOf(project) };
  }

  [FULLNESS](): number {
    return this.#store.dictionaries.fullness;
  }

  async backup(storage: Storage): Promise<BackupReport> {
    this.#refuseClosed();
    if (typeof (storage as Partial<Storage> | null | undefined)?.write !== "function")
      throw parameterError("invalid_parameter", "storage", `expected memoryStorage() or another storage, got ${shown(storage)}`);
    // Lazy: most programs make no backup themselves.
    const { backupStore } = await import("./rarely-used.js");
    await sealBeforeReading(this.#store.storage);
    return await backupStore(this.#store.storage, storage, { takenMs: this.#clock.now() });
  }

  async stats(): Promise<DaybookStats> {
    await this.#upToDate();
    // Lazy: most programs never read statistics.
    const { statsOf } = await import("./rarely-used.js");
    return statsOf(this.#store, this.#queue.byteLength, this.#scrub?.state ?? null, this.#housekeeping.lastError ?? this.#timeToLive.lastError);
  }

  get health(): "ok" | "read_only" | "closed" {
    if (this.#closing !== null) return "closed";
    return this.#store.isWritable ? "ok" : "read_only";
  }

  async seal(): Promise<void> {
    this.#refuseClosed();
    this.#store.assertWritable();
    await this.#housekeeping.sealAll(this.#queue);
  }

  close(): Promise<void> {
    this.#closing ??= this.#flushAndClose().finally(() => writers.delete(this.#store.storage));
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #flushAndClose(): Promise<void> {
    const flushed = this.#tracking.isUsed ? this.#tracking.flush() : null;
    await flushed?.catch(() => undefined);
    await this.#close();
    // Last: tracked events that were not stored must not keep the store open.
    await flushed;
  }

  async #close(): Promise<void> {
    this.#changes.close();
    this.#exports?.close();
    await this.#following?.stop();
    this.#housekeeping.stopCompactions();
    this.#timeToLive.stop();
    await this.#scrub?.stop();
    await this.#queue.exclusive(() => Promise.resolve());
    await this.#housekeeping.idle();
    if (!this.#store.isWritable) return await this.#store.abandon();
    try {
      await this.#timeToLive.keepTrusted();
      await this.#housekeeping.end(this.#queue);
    } catch (error) {
      // Every row is durable in the journal, if there is one: only the final seal is missing, and the next opening works without it.
      await this.#store.abandon();
      throw error;
    }
    await this.#store.close();
  }

  protected notice(plan: Plan, input: unknown, options: QueryOptions | undefined): void {
    const hooks = [this.#onNotice, options?.onNotice];
    // Without a hook, which is the rule, names are not looked up.
    if (hooks.some((hook) => hook !== undefined)) reportNotices(noticesOf(plan, input, this.#hasKey), hooks);
  }

  readonly #hasKey = (key: string) => this.#store.dictionaries.knownKeyCode(key) >= 0;

  protected execute<K extends ReportName>(plan: Plan<K>, options: QueryOptions | undefined): Promise<Answer<K>> {
    return this.#retrying(() => this.#executor.execute(plan, options?.signal));
  }

  #retrying<T>(read: () => Promise<T>): Promise<T> {
    return this.#following === null ? read() : this.#following.retrying(read);
  }

  protected sealCursor(next: CursorPosition, { report, fingerprint, project }: Plan<"searchEvents" | "identitySessions">): string {
    // The same page of a project has the same cursor, whatever other projects store meanwhile.
    const sequence = project === null ? next.sequence : Math.min(next.sequence, this.#changes.newestOf(project));
    return encodeCursor(report, { ...next, sequence }, fingerprint, this.#cursorKey);
  }

  protected async plan<K extends ReportName>(report: K, input: unknown): Promise<Plan<K>> {
    await this.#upToDate();
    return await planQuery(report, input, this.#planningContext(), () => this.projects());
  }

  #planningContext(): PlanningContext {
    return { nowMs: this.#clock.now(), cursorKey: this.#cursorKey, rules: this.#rules, savedSegments: this.#segments.known };
  }

  async #record(decode: (input: unknown, context: RecordContext) => DecodedRecord, input: unknown, limit?: Limit | null): Promise<LinkResult> {
    this.#refuseClosed();
    const record = decode(input, this.#recordContext());
    const linkId = uuidText(record.id);
    if ((await this.#queue.addRecord(record, limit)) !== "adjusted") return { linkId };
    const adjusted = { createdAt: isoOf(record.createdAtMs) };
    reportNotices(ingestNoticesOf(null, [{ index: 0, ...adjusted }]), [this.#onNotice]);
    return { linkId, adjusted };
  }

  #recordContext(): RecordContext {
    return { nowMs: this.#clock.now(), keepsFuture: this.#keepsFuture, random: this.#random };
  }

  /** Brings a following reader up to date if its last check is too old. @throws closed, and what `Following.fresh` throws */
  async #upToDate(): Promise<void> {
    this.#refuseClosed();
    await this.#following?.fresh();
    this.#refuseClosed();
  }

  #refuseClosed(): void {
    if (this.#closing !== null) throw new DaybookError("closed", "this Daybook was closed");
  }
}
