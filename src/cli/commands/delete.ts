import { sha256Hex } from "../../core/base/hash.js";
import { isoOf, MS_PER_DAY } from "../../core/base/time.js";
import { startOfPublic } from "../../core/base/uuid.js";
import { spanOf } from "../../query/plan/date-range.js";
import type { CountEventsInput } from "../../query/plan/input.js";
import type { DeletionReceipt } from "../../engine/upkeep/deletions.js";
import { confirm, flags, readArguments, texts, UsageError } from "../command.js";
import { CLICKHOUSE_HELP, isOnClickHouse, LOCATION_OPTIONS, eventLocationOf, type EventLocation } from "../on-clickhouse.js";
import { pendingDeletionText, receiptText, type PendingDeletion } from "../print/format.js";

export const help = `Usage: daybook delete (--data DIR | --clickhouse URL) (--project NAME | --before TIME | both) [options]
       daybook delete --data DIR --key KEY [options]

Deletes a project with all its events, or the events of one or all projects before a point in time. Answers and stored
bytes are then as if these events had never been sent. Identities stay. "serve" must not run on DIR meanwhile; on
ClickHouse it may. With --key, deletes everything that pages sent with a public key, including identities: this undoes
a flood of fake events.

  --data DIR            data directory or store
${CLICKHOUSE_HELP}  --project NAME        this project; with --before only its old events, and the project stays
  --before TIME         events before this time: a date (its start, in UTC) or an RFC 3339 timestamp
  --key KEY             a public key (pk_…), revoked or not; not with --project or --before, nor on ClickHouse
  --organization NAME   default "default"
  --dry-run             only show what would be deleted; also while "serve" runs
  --yes                 do not ask for confirmation; required without a terminal
`;

type OpenEvents = Awaited<ReturnType<EventLocation["read"]>>;

const OPTIONS = { ...LOCATION_OPTIONS, ...texts("project", "before", "key"), ...flags("dry-run", "yes") };

export async function run(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, OPTIONS, false);
  const { project = null, before, key } = values;
  if (key !== undefined) checkKeyOptions(key, values);
  const location = eventLocationOf(values);
  if (project === null && before === undefined && key === undefined) throw new UsageError("expected --project, --before or both, or else --key");
  const beforeMs = before === undefined ? null : msOf(before);
  const filters = key === undefined ? [] : [{ fieldName: "id", operator: "starts_with", value: startOfPublic(sha256Hex(key)) } as const];
  {
    await using reader = await location.read();
    process.stdout.write(pendingDeletionText(await eventsToDelete(reader, project, beforeMs, filters.length === 0 ? {} : { filterGroups: [{ filters }] })));
  }
  if (values["dry-run"] === true) return;
  await confirm(questionOf(project, beforeMs, key), values.yes);
  await using daybook = await location.write();
  process.stdout.write(receiptText(await deleteFrom(daybook, project, beforeMs, key)));
}

function questionOf(project: string | null, beforeMs: number | null, key: string | undefined): string {
  if (key !== undefined) return "Permanently delete everything sent with this key?";
  return beforeMs === null ? `Permanently delete the project ${JSON.stringify(project)} and all its events?` : "Permanently delete these events?";
}

async function deleteFrom(daybook: OpenEvents, project: string | null, beforeMs: number | null, key: string | undefined): Promise<DeletionReceipt> {
  if (key !== undefined) {
    if (!("deleteEventsOfKey" in daybook)) throw new UsageError("--key: these events cannot be deleted by key");
    return await daybook.deleteEventsOfKey(key);
  }
  return await (beforeMs === null ? daybook.deleteProject(project ?? "") : daybook.deleteEvents({ before: new Date(beforeMs), project }));
}

type DeleteArguments = ReturnType<typeof readArguments<typeof OPTIONS>>["values"];

function checkKeyOptions(key: string, values: DeleteArguments): void {
  if (!key.startsWith("pk_")) throw new UsageError("--key: expected a public key, which starts with pk_");
  if (values.project !== undefined || values.before !== undefined) throw new UsageError("--key cannot be combined with --project or --before");
  if (isOnClickHouse(values, {})) throw new UsageError("--key cannot be combined with --clickhouse: delete events there with --project or --before");
}

function msOf(text: string): number {
  const span = spanOf(text);
  if (span === null) throw new UsageError(`--before: expected YYYY-MM-DD or an RFC 3339 timestamp with a zone, got ${JSON.stringify(text)}`);
  return span.fromMs;
}

async function eventsToDelete(
  daybook: OpenEvents,
  onlyProject: string | null,
  beforeMs: number | null,
  filter: Pick<CountEventsInput, "filterGroups"> = {},
): Promise<PendingDeletion[]> {
  const projects = await daybook.projects();
  if (onlyProject !== null && !projects.includes(onlyProject)) throw new Error(`there is no project ${JSON.stringify(onlyProject)}`);
  if (beforeMs === 0) return [];
  const end = beforeMs === null ? {} : { endDate: new Date(beforeMs - 1) };
  const found: PendingDeletion[] = [];
  for (const project of onlyProject === null ? projects : [onlyProject]) {
    const days = await daybook.countEventsPerDay({ project, ...end, ...filter });
    const events = days.reduce((sum, { count }) => sum + count, 0);
    if (events > 0) found.push({ project, events, days: days.length, ...(beforeMs === null ? {} : { keptFrom: momentText(beforeMs) }) });
  }
  return found;
}

function momentText(ms: number): string {
  return ms % MS_PER_DAY === 0 ? isoOf(ms).slice(0, 10) : isoOf(ms);
}
