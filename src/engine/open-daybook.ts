import { systemClock } from "../base/clock.js";
import type { Clock } from "../base/clock.js";
import { DaybookError, parameterError, shown } from "../base/errors.js";
import { LIMITS } from "../base/limits.js";
import { compareCodePoints } from "../base/order.js";
import { compileRegexes } from "../filter/regex.js";
import { encodeCursor } from "../plan/cursor.js";
import { planExport } from "../plan/export-events.js";
import type {
  AggregateInput,
  CountEventsInput,
  PerDayInput,
  SearchEventsInput,
  UniqueUsersInput,
  UniqueUsersPerDayInput,
} from "../plan/input.js";
import type { PlanContext } from "../plan/context.js";
import type { Answer, Plan, ReportName } from "../plan/plan.js";
import { planners } from "../plan/planners.js";
import type { EventInput, IngestResult } from "../schema/event.js";
import { BatchBuilder } from "../store/batch.js";
import { Store } from "../store/store.js";
import type {
  Daybook,
  DaybookStats,
  ExportedEvent,
  ExportInput,
  Explanation,
  IngestOptions,
  QueryOptions,
  SearchEventsPage,
} from "./daybook.js";
import { MemoryExecutor } from "./executor.js";
import { explainPlan } from "./explain.js";
import { exportRows } from "./export-events.js";
import { Housekeeping } from "./housekeeping.js";
import { IngestQueue } from "./ingest-queue.js";
import { checkOptions } from "./options.js";
import type { DaybookOptions } from "./options.js";
import { statsOf } from "./stats.js";
import { storeKeys } from "./store-keys.js";

/**
 * Opens an organization's events, making a new store where there is none.
 * @throws invalid_parameter, store_locked, manifest_missing, corruption, storage_full
 */
export async function openDaybook(options: DaybookOptions): Promise<Daybook> {
  checkOptions(options);
  const { storage, durability = "disk", memoryBudgetBytes = LIMITS.memoryBudgetBytes, readOnly = false } = options;
  const random = options.random ?? fillRandom;
  const store = await Store.open({ storage, durability, memoryBudgetBytes, readOnly });
  try {
    const { cursorKey } = await storeKeys(storage, random, !readOnly);
    return new EmbeddedDaybook(store, options, random, cursorKey);
  } catch (error) {
    await store.abandon();
    throw error;
  }
}

function fillRandom(bytes: Uint8Array): void {
  bytes.set(globalThis.crypto.getRandomValues(new Uint8Array(bytes.length)));
}

/** The wiring of one store: questions go to the executor, events to the queue, files to housekeeping. */
class EmbeddedDaybook implements Daybook {
  readonly currency: string;
  readonly #clock: Clock;
  readonly #executor: MemoryExecutor;
  readonly #queue: IngestQueue;
  readonly #housekeeping: Housekeeping;
  #closing: Promise<void> | null = null;

  constructor(
    readonly store: Store,
    options: DaybookOptions,
    random: (bytes: Uint8Array) => void,
    readonly cursorKey: Uint8Array,
  ) {
    this.currency = options.currency ?? "USD";
    this.#clock = options.clock ?? systemClock;
    this.#executor = new MemoryExecutor(store, options.onWork ?? (() => undefined));
    this.#housekeeping = new Housekeeping(store);
    this.#queue = new IngestQueue(store, {
      clock: this.#clock,
      random,
      onNotify: options.onNotify ?? null,
      afterCommit: () => this.#housekeeping.afterCommit(),
    });
  }

  async ingest(events: readonly EventInput[], options?: IngestOptions): Promise<IngestResult> {
    this.#refuseClosed();
    const project: unknown = options?.project ?? null;
    if (project !== null && (typeof project !== "string" || project === ""))
      throw parameterError("invalid_parameter", "project", `expected a name, got ${shown(project)}`);
    return await this.#queue.add(events, project);
  }

  countEvents(input?: CountEventsInput, options?: QueryOptions): Promise<number> {
    return this.#answer("countEvents", input, options);
  }

  countEventsPerDay(input?: PerDayInput, options?: QueryOptions) {
    return this.#answer("countEventsPerDay", input, options);
  }

  countEventsRunningTotalPerDay(input?: PerDayInput, options?: QueryOptions) {
    return this.#answer("countEventsRunningTotalPerDay", input, options);
  }

  countUniqueUsers(input?: UniqueUsersInput, options?: QueryOptions): Promise<number> {
    return this.#answer("countUniqueUsers", input, options);
  }

  countUniqueUsersPerDay(input?: UniqueUsersPerDayInput, options?: QueryOptions) {
    return this.#answer("countUniqueUsersPerDay", input, options);
  }

  aggregate(input: AggregateInput, options?: QueryOptions) {
    return this.#answer("aggregate", input, options);
  }

  async searchEvents(input?: SearchEventsInput, options?: QueryOptions): Promise<SearchEventsPage> {
    const plan = await this.#plan("searchEvents", input);
    const { next, events } = await this.#executor.execute<"searchEvents">(plan, options?.signal);
    return { cursor: next === null ? null : encodeCursor(next, plan.fingerprint, this.cursorKey), events };
  }

  async explain(report: ReportName, input?: object): Promise<Explanation> {
    if (!Object.hasOwn(planners, report))
      throw parameterError("invalid_parameter", "report", `expected one of ${Object.keys(planners).join(", ")}, got ${shown(report)}`);
    return await explainPlan(this.store, await this.#plan(report, input));
  }

  async *exportEvents(input: ExportInput = {}): AsyncGenerator<ExportedEvent> {
    this.#refuseClosed();
    const { project, range } = planExport(input);
    yield* exportRows(this.store, project, range);
  }

  async *exportArrow(input: ExportInput = {}, format: "stream" | "file" = "stream"): AsyncGenerator<Uint8Array> {
    this.#refuseClosed();
    const { project, range } = planExport(input);
    // Loaded when asked for: most programs never write Arrow.
    const { eventsToIpc } = await import("../arrow/events-to-ipc.js");
    const snapshot = this.store.snapshot();
    try {
      yield* eventsToIpc(snapshot.rows, this.store.dictionaries, { ...range, project }, format);
    } finally {
      snapshot.release();
    }
  }

  async createProject(name: string): Promise<void> {
    this.#refuseClosed();
    if (typeof name !== "string" || name === "" || !name.isWellFormed() || name.length > LIMITS.eventNameChars)
      throw parameterError("invalid_parameter", "name", `expected 1 to ${LIMITS.eventNameChars} characters, got ${shown(name)}`);
    await this.#queue.exclusive(async () => {
      if (this.store.durableValues("project").includes(name)) return;
      this.store.dictionaries.named("project").intern(name);
      await this.store.commit(new BatchBuilder().batch(), 1);
    });
  }

  projects(): readonly string[] {
    return [...this.store.durableValues("project")].sort(compareCodePoints);
  }

  async stats(): Promise<DaybookStats> {
    this.#refuseClosed();
    return statsOf(this.store, this.#queue.byteLength);
  }

  get health(): "ok" | "read_only" | "closed" {
    if (this.#closing !== null) return "closed";
    return this.store.isWritable ? "ok" : "read_only";
  }

  async seal(): Promise<void> {
    this.#refuseClosed();
    if (!this.store.isWritable) throw new DaybookError("read_only", "the store does not take writes");
    await this.#housekeeping.sealAll(this.#queue);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await this.#queue.exclusive(() => Promise.resolve());
    await this.#housekeeping.idle();
    if (!this.store.isWritable) return await this.store.abandon();
    try {
      await this.#housekeeping.sealAll(this.#queue);
    } catch (error) {
      // Every row is durable in the journal; only the tidy end is missing, and the next opening does without it.
      await this.store.abandon();
      throw error;
    }
    await this.store.close();
  }

  async #answer<K extends Exclude<ReportName, "searchEvents">>(report: K, input: unknown, options?: QueryOptions): Promise<Answer<K>> {
    return await this.#executor.execute(await this.#plan(report, input), options?.signal);
  }

  async #plan<K extends ReportName>(report: K, input: unknown): Promise<Plan<K>> {
    this.#refuseClosed();
    const context: PlanContext = { nowMs: this.#clock.now(), cursorKey: this.cursorKey };
    const plan = planners[report](input, context);
    // Regular expressions are checked here, where the input still tells which filter is at fault.
    if (plan.where.some((group) => group.some((comparison) => comparison.test.op === "regex")))
      await compileRegexes(plan.where, (input as { filterGroups?: unknown } | undefined)?.filterGroups);
    return plan;
  }

  #refuseClosed(): void {
    if (this.#closing !== null) throw new DaybookError("closed", "this Daybook was closed");
  }
}
