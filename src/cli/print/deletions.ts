import type { DeletionReceipt } from "../../engine/upkeep/deletions.js";
import { count, plain, plural } from "./format.js";
import { table } from "./table.js";

/** Events of a project that would go. */
export interface Going {
  readonly project: string;
  readonly events: number;
  readonly days: number;
  /** The first day of which events stay, as text; absent: none does. */
  readonly keptFrom?: string;
}

/** What would go, by project. */
export function goingText(going: readonly Going[]): string {
  const rows = going.map(({ project, events, days, keptFrom }) => [plain(project, 60), count(events), count(days), keptFrom ?? "-"]);
  return rows.length === 0 ? "no event would go\n" : table([["project", "events to go", "days", "kept from"], ...rows], "<>><");
}

/** What went, in one line. */
export function goneText({ events, segmentsRemoved, segmentsRewritten, dictionaryValues }: DeletionReceipt): string {
  const files = `${plural(segmentsRemoved, "file")} removed, ${count(segmentsRewritten)} written anew`;
  return `deleted ${plural(events, "event")}: ${files}, ${plural(dictionaryValues, "text")} gone\n`;
}
