import type { Clock } from "../../core/base/clock.js";
import { LIMITS } from "../../core/base/limits.js";
import { dayOf, isoOf } from "../../core/base/time.js";
import type { DeletionRule } from "../../store/upkeep/delete-rows.js";
import type { Manifest } from "../../store/files/manifest.js";
import type { Store } from "../../store/live/store.js";
import { TimeToLiveRules } from "../ingest/suppression.js";
import type { DeletionServices, DeletionReceipt, Deletions } from "./deletions.js";
import { inOrder, readProject, readRule, withPreviewed, withRule } from "./time-to-live.js";
import type { TimeToLive, TimeToLivePreview, TimeToLiveRule } from "./time-to-live.js";
import type { Wait } from "./timer.js";

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
  readonly #house: DeletionServices;
  readonly #deletions: Deletions;
  readonly #clock: Clock;
  /**
   * When the clock was last trusted: sweeps use this time while the clock is more than a day ahead of it. Otherwise a machine that starts with a
   * wrong date would delete everything that the rules keep. A jump of the clock looks like days switched off, since all times of receipt are from the
   * same clock: a sweep by hand confirms either.
   */
  #trustedMs: number;
  readonly #sweeps: Sweeps;
  #read: { readonly of: Manifest["timeToLive"]; readonly rules: TimeToLiveRules } | null = null;

  constructor(house: DeletionServices, deletions: Deletions, wait: Wait) {
    this.#house = house;
    this.#deletions = deletions;
    this.#clock = house.clock;
    this.#trustedMs = house.store.manifest.trustedMs ?? this.#clock.now();
    this.#sweeps = new Sweeps(house.store, {
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
    const { timeToLive } = this.#house.store.manifest;
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
    return isAhead && this.#house.store.isWritable ? `the clock is days ahead of ${isoOf(this.#trustedMs)}: start a sweep by hand` : null;
  }

  /** The time of the clock, which becomes the trusted one; if it is far ahead, the last trusted time. A clock that is set back deletes less. */
  #trustedNow(): number {
    const nowMs = this.#clock.now();
    // Without rules no sweep has used the clock.
    if (this.rules.isEmpty || nowMs - this.#trustedMs <= LIMITS.clockAheadMs) this.#trustedMs = nowMs;
    return this.#trustedMs;
  }

  async set(project: string | null, rule: { readonly days: number }): Promise<void> {
    this.#house.refuseClosed();
    const read = readRule(project, rule);
    await this.#change((rules) => withRule(rules, read));
    this.#sweeps.again();
  }

  async off(project: string | null): Promise<boolean> {
    this.#house.refuseClosed();
    readProject(project);
    let isThere = false;
    await this.#change((rules) => {
      isThere = rules.some((each) => each.project === project);
      return isThere ? rules.filter((each) => each.project !== project) : rules;
    });
    return isThere;
  }

  async list(): Promise<readonly TimeToLiveRule[]> {
    this.#house.refuseClosed();
    return inOrder(this.#house.store.manifest.timeToLive ?? []);
  }

  async preview(rule?: TimeToLiveRule): Promise<TimeToLivePreview> {
    this.#house.refuseClosed();
    return await this.#expiredEvents(new TimeToLiveRules(withPreviewed(this.#house.store.manifest.timeToLive ?? [], rule)), this.#clock.now());
  }

  async sweep(): Promise<DeletionReceipt> {
    this.#house.refuseClosed();
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

  /** From now on no sweep starts. */
  stop(): void {
    this.#sweeps.stop();
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    // Sealing everything is not worth it if nothing is expired.
    const { events } = await this.#expiredEvents(this.rules, this.#trustedNow());
    if (events > 0 && !signal.aborted) await this.#delete(this.#trustedNow());
  }

  #delete(nowMs: number): Promise<DeletionReceipt> {
    return this.#deletions.run(() => ({ doomed: this.#doomed(this.rules, nowMs), beside: { projectName: 0 } }));
  }

  /** Writes the trusted time to the manifest, a few times a day. Never rejects: a failed write is repeated at a later check. */
  async keepTrusted(): Promise<void> {
    const { store } = this.#house;
    const isKept = Math.abs(this.#trustedNow() - (store.manifest.trustedMs ?? 0)) < LIMITS.clockAheadMs / 4;
    if (isKept || this.rules.isEmpty || !store.isWritable) return;
    await this.#change((rules) => [...rules]).catch(() => undefined);
  }

  #doomed(rules: TimeToLiveRules, nowMs: number): DeletionRule {
    const projects = this.#house.store.dictionaries.named("project");
    return { beforeMs: (code) => rules.beforeMs(projects.valueOf(code), nowMs), latestMs: rules.latestMs(nowMs) };
  }

  async #expiredEvents(rules: TimeToLiveRules, nowMs: number): Promise<TimeToLivePreview> {
    const { expiredEvents } = await import("./expired-events.js");
    return await expiredEvents(this.#house.store, this.#doomed(rules, nowMs));
  }

  /** Makes changed rules, and the trusted time, durable, then current. */
  #change(make: (rules: readonly TimeToLiveRule[]) => readonly TimeToLiveRule[]): Promise<void> {
    const { store, housekeeping, queue } = this.#house;
    return housekeeping.exclusive(queue, async () => {
      store.refuseUnwritable();
      const former = store.manifest.timeToLive ?? [];
      const rules = make(former);
      const trustedMs = this.#trustedNow();
      if (rules !== former) await store.writeManifest(() => ({ timeToLive: rules, trustedMs }));
    });
  }
}
