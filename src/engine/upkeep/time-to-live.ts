import type { TimeToLiveRule } from "../../store/files/manifest.js";
import type { DeletionReceipt } from "./deletions.js";

export type { TimeToLiveRule };

/** What is past its time, and goes with the next sweep. */
export interface TimeToLivePreview {
  readonly events: number;
  /** UTC days that lose events. */
  readonly days: number;
  /** Projects that lose events, by name. */
  readonly projects: readonly {
    readonly project: string;
    /** The first day of which events are kept, `YYYY-MM-DD`. */
    readonly keptFrom: string;
    readonly events: number;
    readonly days: number;
  }[];
}

/**
 * For how many days events are kept, by project: the day on which they happened (UTC) and so many after it. What is older is refused by
 * `ingest` as `expired`, and what becomes older goes by itself, within minutes of midnight or of the opening, in a quiet moment.
 */
export interface TimeToLive {
  /**
   * Sets the rule of a project, or with null the one of all projects without a rule of their own; durable when it resolves.
   * @throws invalid_parameter (a project of other than 1 to 200 characters, days other than 1 to 36,525, more than 1,000 rules),
   * unknown_parameter, read_only, storage_full, closed
   */
  set(project: string | null, rule: { readonly days: number }): Promise<void>;
  /** Takes a rule back; false where there was none. @throws invalid_parameter, read_only, storage_full, closed */
  off(project: string | null): Promise<boolean>;
  /** All rules, that of all projects first, the others by project. @throws closed */
  list(): Promise<readonly TimeToLiveRule[]>;
  /** What the next sweep takes away, by the rules there are and one that might be. @throws as set, of its rule; closed, corruption */
  preview(rule?: TimeToLiveRule): Promise<TimeToLivePreview>;
  /** Why nothing more goes until `sweep` is called: the clock is more than a day ahead of when it was last seen. Null or absent: nothing waits. */
  readonly waiting?: string | null;
  /** Sweeps now, and confirms the clock; resolves when every byte of what is past its time is gone. @throws read_only, storage_full, closed */
  sweep(): Promise<DeletionReceipt>;
}
