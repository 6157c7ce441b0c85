import type { DeletionReceipt } from "../../engine/upkeep/deletions.js";
import { count, plain, plural } from "./format.js";
import { table } from "./table.js";

/** A project's events that a deletion would remove. */
export interface Going {
  readonly project: string;
  readonly events: number;
  readonly days: number;
  /** The first day with remaining events, as text; absent: none remain. */
  readonly keptFrom?: string;
}

/** The events that would be deleted, by project. */
export function goingText(going: readonly Going[]): string {
  const rows = going.map(({ project, events, days, keptFrom }) => [plain(project, 60), count(events), count(days), keptFrom ?? "-"]);
  return rows.length === 0 ? "no events to delete\n" : table([["project", "events to delete", "days", "kept from"], ...rows], "<>><");
}

/** A deletion receipt in one line. */
export function goneText({ events, segmentsRemoved, segmentsRewritten, dictionaryValues }: DeletionReceipt): string {
  const files = `${plural(segmentsRemoved, "file")} removed, ${count(segmentsRewritten)} rewritten`;
  return `deleted ${plural(events, "event")}: ${files}, ${plural(dictionaryValues, "text")} removed\n`;
}
