import { compareCodePoints } from "../base/order.js";
import type { DaybookStats } from "../engine/upkeep/stats.js";
import type { TimeToLive } from "../engine/upkeep/time-to-live.js";
import { DEFAULT_PROJECT } from "../schema/project.js";
import type { ClickHouseExecutor } from "./executor.js";
import type { Writes } from "./ingest/writes.js";
import { ClickHousePrivacyRequests } from "./privacy/privacy-requests.js";
import { RequestTable } from "./privacy/request-table.js";
import { Subjects } from "./question/subject.js";
import { ClickHouseDeletions } from "./removal/deletions.js";
import type { RemovalContext } from "./removal/removal.js";
import { ClickHouseTimeToLive } from "./removal/time-to-live.js";
import { statsNow } from "./stats.js";

/** What takes events and people away, and says what there is. */
export interface Upkeep {
  /** Names of all projects, by code point. */
  readonly projects: () => Promise<readonly string[]>;
  readonly privacyRequests: ClickHousePrivacyRequests;
  readonly deletions: ClickHouseDeletions;
  readonly timeToLive: TimeToLive;
  readonly stats: () => Promise<DaybookStats>;
}

export function upkeepOf(context: RemovalContext, suppressionKey: Uint8Array, writes: Writes, executor: ClickHouseExecutor): Upkeep {
  const projects = async () => [...new Set([DEFAULT_PROJECT, ...(await writes.projects())])].sort(compareCodePoints);
  const subjects = async (signal?: Pick<AbortSignal, "aborted">) => new Subjects(context.connection, await executor.asking(signal), signal);
  // What takes something away looks at all rows, some times.
  const patient = { ...context, connection: context.connection.patient() };
  const privacyRequests = new ClickHousePrivacyRequests({ ...patient, suppressionKey, requests: new RequestTable(context), subjects });
  const deletions = new ClickHouseDeletions({ ...patient, projects });
  const finishLeft = () => privacyRequests.finishLeft();
  const rules = new ClickHouseTimeToLive(new ClickHouseDeletions({ ...context, projects }), finishLeft);
  const sweeps = new ClickHouseTimeToLive(deletions, finishLeft);
  const timeToLive: TimeToLive = {
    set: (project, rule) => rules.set(project, rule),
    off: (project) => rules.off(project),
    list: () => rules.list(),
    preview: (rule) => rules.preview(rule),
    sweep: () => sweeps.sweep(),
  };
  return { projects, privacyRequests, deletions, timeToLive, stats: async () => await statsNow(context, await projects()) };
}
