import { DaybookError } from "../../core/base/errors.js";
import type { Daybook } from "../../engine/daybook.js";
import type { ReportName } from "../../query/plan/plan.js";

/** Members that a Daybook may lack if its events are stored elsewhere. */
type Own = Pick<Daybook, "currency" | "segments" | "privacyRequests" | "timeToLive" | "deleteEvents" | "deleteProject" | "explain" | "changes" | "stats">;

type TransferMethods = "ingest" | "identify" | "group" | "alias" | "unlink" | "ingestRecords" | "exportEvents" | "exportRecords";

/** State of a Daybook; `unreachable`: the servers that store its events do not answer. */
export type Health = Daybook["health"] | "unreachable";

/** A Daybook to serve: an embedded one, or one with events elsewhere. Routes that need a missing member answer `not_supported`. */
export interface ServedDaybook extends Pick<Daybook, ReportName | TransferMethods>, Partial<Own> {
  /** Names of all projects. */
  projects(): readonly string[] | Promise<readonly string[]>;
  /** A function if the events are elsewhere. Absent: `ok`. */
  readonly health?: Health | (() => Promise<Health>);
}

export async function healthOf(daybook: ServedDaybook): Promise<Health> {
  return typeof daybook.health === "function" ? await daybook.health() : (daybook.health ?? "ok");
}

/** Narrows a Daybook to one that has the member. @throws not_supported */
export function requireMember<Name extends keyof Own>(daybook: ServedDaybook, name: Name): ServedDaybook & Pick<Own, Name> {
  if (has(daybook, name)) return daybook;
  throw new DaybookError("not_supported", `${name}: not available, because the events of this organization are stored elsewhere`);
}

function has<Name extends keyof Own>(daybook: ServedDaybook, name: Name): daybook is ServedDaybook & Pick<Own, Name> {
  return daybook[name] !== undefined;
}
