import { MS_PER_DAY, dayOf, dayStartMs, isoOfDay } from "../../core/base/time.js";
import { EventFault } from "../../core/schema/decode-event.js";
import type { TimeToLiveRule } from "../../store/files/manifest.js";

/** How long events are kept, by project. */
export class TimeToLiveRules {
  readonly #days: ReadonlyMap<string | null, number>;

  constructor(rules: readonly TimeToLiveRule[] = []) {
    this.#days = new Map(rules.map(({ project, days }) => [project, days]));
  }

  get isEmpty(): boolean {
    return this.#days.size === 0;
  }

  /** The instant before which events of a project are expired, epoch ms; -Infinity: they never expire. */
  beforeMs(project: string, nowMs: number): number {
    const days = this.#days.get(project) ?? this.#days.get(null);
    return days === undefined ? -Infinity : dayStartMs(dayOf(nowMs) - days);
  }

  /** The latest of these instants over all rules; -Infinity without rules. */
  latestMs(nowMs: number): number {
    return Math.max(...[...this.#days.values()].map((days) => dayStartMs(dayOf(nowMs) - days)), -Infinity);
  }

  /** Why an event is rejected; null if it is not. */
  faultOf(project: string, createdAtMs: number, nowMs: number): EventFault | null {
    const beforeMs = this.beforeMs(project, nowMs);
    if (createdAtMs >= beforeMs) return null;
    const days = Math.round((dayStartMs(dayOf(nowMs)) - beforeMs) / MS_PER_DAY);
    const kept = `this project keeps its events for ${days} ${days === 1 ? "day" : "days"}`;
    return new EventFault("expired", `createdAt: expected ${isoOfDay(dayOf(beforeMs))} or later, as ${kept}`);
  }
}
