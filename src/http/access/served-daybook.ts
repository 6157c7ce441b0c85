import { DaybookError } from "../../base/errors.js";
import type { Daybook } from "../../engine/daybook.js";
import type { ReportName } from "../../plan/plan.js";

/** What not every Daybook has whose events are kept elsewhere. */
type Own = Pick<Daybook, "currency" | "segments" | "privacyRequests" | "timeToLive" | "deleteEvents" | "deleteProject" | "explain" | "changes" | "stats">;

type TransferMethods = "ingest" | "identify" | "group" | "alias" | "unlink" | "ingestRecords" | "exportEvents" | "exportRecords";

/** How a Daybook is; `unreachable`: the servers that have its events do not answer. */
export type Health = Daybook["health"] | "unreachable";

/** What is served: an embedded Daybook, or one whose events are elsewhere. Routes that need what is not there answer `not_supported`. */
export interface ServedDaybook extends Pick<Daybook, ReportName | TransferMethods>, Partial<Own> {
  /** Names of all projects. */
  projects(): readonly string[] | Promise<readonly string[]>;
  /** Asked where the events are elsewhere. Absent: as if it was `ok`. */
  readonly health?: Health | (() => Promise<Health>);
}

export async function healthOf(daybook: ServedDaybook): Promise<Health> {
  return typeof daybook.health === "function" ? await daybook.health() : (daybook.health ?? "ok");
}

/** The same Daybook, which is known now to have a member. @throws not_supported */
export function having<Name extends keyof Own>(daybook: ServedDaybook, name: Name): ServedDaybook & Pick<Own, Name> {
  if (has(daybook, name)) return daybook;
  throw new DaybookError("not_supported", `${name}: not there, as the events of this organization are kept elsewhere`);
}

function has<Name extends keyof Own>(daybook: ServedDaybook, name: Name): daybook is ServedDaybook & Pick<Own, Name> {
  return daybook[name] !== undefined;
}
