import type { TimeToLiveRule } from "../../store/files/manifest.js";
import type { DeletionReceipt } from "./deletions.js";

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
