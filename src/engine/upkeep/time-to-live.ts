import { type Clock, type Wait, dayOf, isoOf, isoOfDay } from "../../core/base/time.js";
import { parameterError, shown } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { compareCodePoints } from "../../core/base/text-order.js";
import { readMembers } from "../../query/plan/members.js";
import type { TimeToLiveRule, Manifest } from "../../store/files/manifest.js";
import type { Store } from "../../store/live/store.js";
import type { DeletionRule } from "../../store/upkeep/delete-rows.js";
import { TimeToLiveRules } from "../ingest/suppression.js";
import type { DeletionReceipt, Deletions } from "./deletions.js";
import type { StoreServices } from "./housekeeping.js";

export type { TimeToLiveRule };

/** What is expired, and deleted by the next sweep. */
export interface TimeToLivePreview {
  readonly events: number;
  /** UTC days that lose events. */
  readonly days: number;
  /** Projects that lose events, by name. */
  readonly projects: readonly {
    readonly project: string;
    /** The first day whose events are kept, `YYYY-MM-DD`. */
    readonly keptFrom: string;
    readonly events: number;
    readonly days: number;
  }[];
}

/**
 * For how many days events are kept, by project: the UTC day on which they happened and that many days after it. `ingest` rejects older events as
 * `expired`; stored events that expire are deleted automatically, in a quiet period within minutes of midnight or of the opening.
 */
export interface TimeToLive {
  /**
   * Sets the rule of a project or, with null, of all projects without a rule of their own; durable when it resolves.
   * @throws invalid_parameter (a project of other than 1 to 200 characters, days other than 1 to 36,525, more than 1,000 rules), unknown_parameter,
   * read_only, storage_full, closed
   */
  set(project: string | null, rule: { readonly days: number }): Promise<void>;
  /** Removes a rule; false if there was none. @throws invalid_parameter, read_only, storage_full, closed */
  off(project: string | null): Promise<boolean>;
  /** All rules, the one of all projects first, the others by project. @throws closed */
  list(): Promise<readonly TimeToLiveRule[]>;
  /** What the next sweep deletes, by the current rules and a hypothetical one. @throws as set, for that rule; closed, corruption */
  preview(rule?: TimeToLiveRule): Promise<TimeToLivePreview>;
  /**
   * Why nothing is deleted until `sweep` is called: the clock is more than a day ahead of the last trusted time. Null or absent: sweeps do not wait.
   */
  readonly waiting?: string | null;
  /** Sweeps now, and confirms the clock; resolves when every byte of expired events is gone. @throws read_only, storage_full, closed */
  sweep(): Promise<DeletionReceipt>;
}

/** All rules, the one of all projects first. */
export function inOrder(rules: readonly TimeToLiveRule[]): TimeToLiveRule[] {
  // Null sorts first: no project has the name "".
  return rules.map((rule) => ({ ...rule })).sort((a, b) => compareCodePoints(a.project ?? "", b.project ?? ""));
}

/** Rules with one added or replaced. @throws invalid_parameter (too many) */
export function withRule(rules: readonly TimeToLiveRule[], rule: TimeToLiveRule): TimeToLiveRule[] {
  const others = rules.filter(({ project }) => project !== rule.project);
  if (others.length >= LIMITS.timeToLiveRuleCount)
    throw parameterError("invalid_parameter", "project", `expected at most ${LIMITS.timeToLiveRuleCount} rules`);
  return [...others, rule];
}

/** Rules with a hypothetical one. Of two for one project the later applies. @throws invalid_parameter, unknown_parameter */
export function withPreviewed(rules: readonly TimeToLiveRule[], rule: TimeToLiveRule | undefined): readonly TimeToLiveRule[] {
  if (rule === undefined) return rules;
  const { values } = readMembers(rule, "", ["project", "days"]);
  return [...rules, checkedRule((values.get("project") ?? null) as string | null, values.get("days"))];
}

/** @throws invalid_parameter, unknown_parameter */
export function readRule(project: string | null, rule: { readonly days: number }): TimeToLiveRule {
  return checkedRule(project, readMembers(rule, "", ["days"]).values.get("days"));
}

function checkedRule(project: string | null, days: unknown): TimeToLiveRule {
  readProject(project);
  if (typeof days !== "number" || !Number.isInteger(days) || days < 1 || days > LIMITS.timeToLiveDays)
    throw parameterError("invalid_parameter", "days", `expected a whole number from 1 to ${LIMITS.timeToLiveDays}, got ${shown(days)}`);
  return { project, days };
}

/** @throws invalid_parameter */
export function readProject(project: unknown): void {
  if (project === null) return;
  if (typeof project !== "string" || project === "" || !project.isWellFormed() || project.length > LIMITS.eventNameChars)
    throw parameterError("invalid_parameter", "project", `expected 1 to ${LIMITS.eventNameChars} characters, got ${shown(project)}`);
}

interface SweepOptions {
  /** The current day, in days since 1970; null while nothing can expire. */
  readonly today: () => number | null;
  /** @param signal once it is aborted, start nothing */
  readonly sweep: (signal: AbortSignal) => Promise<void>;
  readonly wait: Wait;
}

/** Sweeps a store automatically: once after opening and once a day, in a quiet period, or without one if none comes for an hour. */
export class Sweeps {
  readonly #stopping = new AbortController();
  #isRunning = false;
  #sweptDay = -Infinity;
  /** How often the set of expired events has changed other than by time. */
  #changeCount = 0;
  #lastError: unknown = null;

  constructor(
    readonly store: Store,
    readonly options: SweepOptions,
  ) {
    this.again();
  }

  get changeCount(): number {
    return this.#changeCount;
  }

  /** The error of the last sweep; null if it succeeded. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** Call when rules have changed: sweeps again. */
  again(): void {
    this.#sweptDay = -Infinity;
    this.#changeCount += 1;
    if (this.#isRunning || this.options.today() === null || !this.store.isWritable) return;
    this.#isRunning = true;
    void this.#run();
  }

  /** Call after a sweep by hand. */
  swept(day: number): void {
    this.#sweptDay = day;
    this.#lastError = null;
  }

  /** From now on no sweep starts. A sweep under way ends when no reader uses what it removed: callers need not wait for that. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { today, sweep, wait } = this.options;
    const { signal } = this.#stopping;
    for (let busyCount = 0; ; ) {
      const day = today();
      // Not `>`: after a clock that was ahead is set right, sweeps would stop until its day comes.
      const isDue = day !== null && day !== this.#sweptDay;
      const { nextSequence } = this.store;
      await wait(isDue ? LIMITS.quietMs : LIMITS.sweepLookMs, signal);
      if (signal.aborted || !this.store.isWritable) return;
      if (!isDue) continue;
      busyCount += 1;
      if (this.store.nextSequence - nextSequence > LIMITS.quietRowCount && busyCount * LIMITS.quietMs < LIMITS.sweepLateMs) continue;
      busyCount = 0;
      try {
        const changes = this.#changeCount;
        await sweep(signal);
        if (changes === this.#changeCount) this.swept(day);
      } catch (error) {
        this.#lastError = error;
        // Retry, but not at once.
        await wait(LIMITS.sweepLookMs, signal);
      }
    }
  }
}

/** How long the events of one store are kept: rules in its manifest, and the sweeps that apply them. */
export class StoredTimeToLive implements TimeToLive {
  readonly #services: StoreServices;
  readonly #deletions: () => Promise<Pick<Deletions, "run">>;
  readonly #clock: Clock;
  /**
   * When the clock was last trusted: sweeps use this time while the clock is more than a day ahead of it. Otherwise a machine that starts with a
   * wrong date would delete everything that the rules keep. A jump of the clock looks like days switched off, since all times of receipt are from the
   * same clock: a sweep by hand confirms either.
   */
  #trustedMs: number;
  readonly #sweeps: Sweeps;
  #read: { readonly of: Manifest["timeToLive"]; readonly rules: TimeToLiveRules } | null = null;

  constructor(services: StoreServices, deletions: () => Promise<Pick<Deletions, "run">>, wait: Wait) {
    this.#services = services;
    this.#deletions = deletions;
    this.#clock = services.clock;
    this.#trustedMs = services.store.manifest.trustedMs ?? this.#clock.now();
    this.#sweeps = new Sweeps(services.store, {
      today: () => {
        if (this.rules.isEmpty) return null;
        void this.keepTrusted();
        return dayOf(this.#trustedNow());
      },
      sweep: (signal) => this.#sweep(signal),
      wait,
    });
  }

  /** The current rules of the manifest, which `deleteProject` changes too. */
  get rules(): TimeToLiveRules {
    const { timeToLive } = this.#services.store.manifest;
    if (this.#read === null || this.#read.of !== timeToLive) this.#read = { of: timeToLive, rules: new TimeToLiveRules(timeToLive) };
    return this.#read.rules;
  }

  /** The error of the last sweep, or why sweeps wait; null if all is well. */
  get lastError(): unknown {
    return this.#sweeps.lastError ?? this.waiting;
  }

  /** Why sweeps wait although there are rules; null if they do not. */
  get waiting(): string | null {
    const isAhead = this.#clock.now() - this.#trustedNow() > LIMITS.clockAheadMs;
    return isAhead && this.#services.store.isWritable ? `the clock is days ahead of ${isoOf(this.#trustedMs)}: start a sweep by hand` : null;
  }

  /** The time of the clock, which becomes the trusted one; if it is far ahead, the last trusted time. A clock that is set back deletes less. */
  #trustedNow(): number {
    const nowMs = this.#clock.now();
    // Without rules no sweep has used the clock.
    if (this.rules.isEmpty || nowMs - this.#trustedMs <= LIMITS.clockAheadMs) this.#trustedMs = nowMs;
    return this.#trustedMs;
  }

  async set(project: string | null, rule: { readonly days: number }): Promise<void> {
    this.#services.refuseClosed();
    const read = readRule(project, rule);
    await this.#change((rules) => withRule(rules, read));
    this.#sweeps.again();
  }

  async off(project: string | null): Promise<boolean> {
    this.#services.refuseClosed();
    readProject(project);
    let isThere = false;
    await this.#change((rules) => {
      isThere = rules.some((each) => each.project === project);
      return isThere ? rules.filter((each) => each.project !== project) : rules;
    });
    return isThere;
  }

  async list(): Promise<readonly TimeToLiveRule[]> {
    this.#services.refuseClosed();
    return inOrder(this.#services.store.manifest.timeToLive ?? []);
  }

  async preview(rule?: TimeToLiveRule): Promise<TimeToLivePreview> {
    this.#services.refuseClosed();
    return await this.#expiredEvents(new TimeToLiveRules(withPreviewed(this.#services.store.manifest.timeToLive ?? [], rule)), this.#clock.now());
  }

  async sweep(): Promise<DeletionReceipt> {
    this.#services.refuseClosed();
    const nowMs = this.#clock.now();
    const day = dayOf(nowMs);
    const { changeCount } = this.#sweeps;
    const receipt = await this.#delete(nowMs);
    // A rule set meanwhile is not applied yet.
    if (changeCount === this.#sweeps.changeCount) this.#sweeps.swept(day);
    // A sweep by hand confirms the clock.
    this.#trustedMs = nowMs;
    await this.keepTrusted();
    return receipt;
  }

  stop(): void {
    this.#sweeps.stop();
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    // Sealing everything is not worth it if nothing is expired.
    const { events } = await this.#expiredEvents(this.rules, this.#trustedNow());
    if (events > 0 && !signal.aborted) await this.#delete(this.#trustedNow());
  }

  async #delete(nowMs: number): Promise<DeletionReceipt> {
    const deletions = await this.#deletions();
    return await deletions.run(() => ({ doomed: this.#doomed(this.rules, nowMs), beside: { projectName: 0 } }));
  }

  /** Writes the trusted time to the manifest, a few times a day. Never rejects: a failed write is repeated at a later check. */
  async keepTrusted(): Promise<void> {
    const { store } = this.#services;
    const isKept = Math.abs(this.#trustedNow() - (store.manifest.trustedMs ?? 0)) < LIMITS.clockAheadMs / 4;
    if (isKept || this.rules.isEmpty || !store.isWritable) return;
    await this.#change((rules) => [...rules]).catch(() => undefined);
  }

  #doomed(rules: TimeToLiveRules, nowMs: number): DeletionRule {
    const projects = this.#services.store.dictionaries.named("project");
    return { beforeMs: (code) => rules.beforeMs(projects.valueOf(code), nowMs), latestMs: rules.latestMs(nowMs) };
  }

  async #expiredEvents(rules: TimeToLiveRules, nowMs: number): Promise<TimeToLivePreview> {
    const { countRowsToDelete } = await import("../../store/upkeep/delete-rows.js");
    const { store } = this.#services;
    const doomed = this.#doomed(rules, nowMs);
    const found = [...(await countRowsToDelete(store, doomed))];
    const names = store.dictionaries.named("project");
    const projects = found.map(([code, { events, days }]) => ({
      project: names.valueOf(code),
      keptFrom: isoOfDay(dayOf(doomed.beforeMs(code))).slice(0, 10),
      events,
      days: days.size,
    }));
    return {
      events: projects.reduce((sum, { events }) => sum + events, 0),
      days: new Set(found.flatMap(([, { days }]) => [...days])).size,
      projects: projects.sort((a, b) => compareCodePoints(a.project, b.project)),
    };
  }

  /** Makes changed rules, and the trusted time, durable, then current. */
  #change(make: (rules: readonly TimeToLiveRule[]) => readonly TimeToLiveRule[]): Promise<void> {
    const { store, housekeeping, queue } = this.#services;
    return housekeeping.exclusive(queue, async () => {
      store.assertWritable();
      const former = store.manifest.timeToLive ?? [];
      const rules = make(former);
      const trustedMs = this.#trustedNow();
      if (rules !== former) await store.writeManifest(() => ({ timeToLive: rules, trustedMs }));
    });
  }
}
