import type { Daybook, EventInput } from "daybook";
import type { HistoryItem } from "../support/index.js";
import { DaybookError } from "../../src/core/base/errors.js";
import { MS_PER_DAY, dayOf, dayStartMs } from "../../src/core/base/time.js";
import type { Deleted } from "./live-history.js";

/** Deletes what there is of it. A time to live is taken back at once: what is past it may come again. */
export async function deleteAll(daybook: Daybook, deleted: Deleted): Promise<void> {
  if ("days" in deleted) {
    await daybook.timeToLive.set(deleted.project, { days: deleted.days });
    await daybook.timeToLive.sweep();
    await daybook.timeToLive.off(deleted.project);
    return;
  }
  const { before, project } = "before" in deleted ? deleted : { before: Infinity, project: deleted.wholeProject };
  const deleting = "before" in deleted ? daybook.deleteEvents({ before: new Date(before), project }) : daybook.deleteProject(deleted.wholeProject);
  await deleting.catch((error: unknown) => {
    // Nothing was said of it yet.
    if (!(error instanceof DaybookError) || error.code !== "project_not_found" || project === null) throw error;
  });
}

/** Deletes projects of which nothing is left: the oracle knows a project by its events alone. */
export async function forgetEmptyProjects(daybook: Daybook, left: readonly HistoryItem[]): Promise<void> {
  const projects = new Set(left.map((item) => ("name" in item ? (item.project ?? "default") : "default")));
  for (const project of daybook.projects()) if (project !== "default" && !projects.has(project)) await daybook.deleteProject(project);
}

/** A history that never had the deleted events. */
export function withoutDeleted(past: readonly HistoryItem[], deleted: Deleted, nowMs: number): readonly HistoryItem[] {
  return past.filter((item) => !("name" in item && isDeleted(item, deleted, nowMs)));
}

/** Whether an event goes with a deletion. */
export function isDeleted(event: EventInput, deleted: Deleted, nowMs: number): boolean {
  const project = event.project ?? "default";
  if ("wholeProject" in deleted) return project === deleted.wholeProject;
  const beforeMs = "before" in deleted ? deleted.before : dayStartMs(dayOf(nowMs)) - deleted.days * MS_PER_DAY;
  return (deleted.project === null || deleted.project === project) && new Date(event.createdAt ?? nowMs).getTime() < beforeMs;
}
