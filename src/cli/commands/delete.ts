import { sha256Hex } from "../../core/base/hash.js";
import { isoOf, MS_PER_DAY } from "../../core/base/time.js";
import { startOfPublic } from "../../core/base/uuid.js";
import { spanOf } from "../../query/plan/date-range.js";
import type { CountEventsInput } from "../../query/plan/input.js";
import { readArguments, required, UsageError, confirm, type Command } from "../command.js";
import { dataDirectory, openForReading, openOrganization, organizationOf } from "../organizations.js";
import { CLICKHOUSE_HELP, isOnClickHouse, LOCATION_OPTIONS, eventLocationOf, type EventMaintenance } from "../on-clickhouse.js";
import { pendingDeletionText, receiptText, type PendingDeletion } from "../print/format.js";

const help = `Usage: daybook delete (--data DIR | --clickhouse URL) (--project NAME | --before TIME | both) [options]
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

const OPTIONS = {
  ...LOCATION_OPTIONS,
  project: { type: "string" },
  before: { type: "string" },
  key: { type: "string" },
  "dry-run": { type: "boolean" },
  yes: { type: "boolean" },
} as const;

async function run(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, OPTIONS, false);
  const { project = null, before, key } = values;
  if (key !== undefined) return await deleteByKey(key, values);
  const location = eventLocationOf(values);
  if (project === null && before === undefined) throw new UsageError("expected --project, --before or both, or else --key");
  const beforeMs = before === undefined ? null : msOf(before);
  const reader = await location.read();
  try {
    process.stdout.write(pendingDeletionText(await eventsToDelete(reader, project, beforeMs)));
  } finally {
    await reader.close();
  }
  if (values["dry-run"] === true) return;
  await confirm(beforeMs === null ? `Permanently delete the project ${JSON.stringify(project)} and all its events?` : "Permanently delete these events?", values.yes);
  const daybook = await location.write();
  try {
    const receipt = beforeMs === null ? daybook.deleteProject(project ?? "") : daybook.deleteEvents({ before: new Date(beforeMs), project });
    process.stdout.write(receiptText(await receipt));
  } finally {
    await daybook.close();
  }
}

type KeyValues = Parameters<typeof isOnClickHouse>[0] & {
  readonly data?: string | undefined;
  readonly organization?: string | undefined;
  readonly project?: string | undefined;
  readonly before?: string | undefined;
  readonly "dry-run"?: boolean;
  readonly yes?: boolean;
};

/** @throws UsageError */
function checkKeyOptions(key: string, values: KeyValues): void {
  if (!key.startsWith("pk_")) throw new UsageError("--key: expected a public key, which starts with pk_");
  if (values.project !== undefined || values.before !== undefined) throw new UsageError("--key cannot be combined with --project or --before");
  if (isOnClickHouse(values)) throw new UsageError("--key cannot be combined with --clickhouse: delete events there with --project or --before");
}

async function deleteByKey(key: string, values: KeyValues): Promise<void> {
  checkKeyOptions(key, values);
  const [path, name] = [required(values.data, "data"), organizationOf(values.organization)];
  const reader = await openForReading(await dataDirectory(path), name);
  try {
    const filters = [{ fieldName: "id", operator: "starts_with", value: startOfPublic(sha256Hex(key)) }] as const;
    process.stdout.write(pendingDeletionText(await eventsToDelete(reader, null, null, { filterGroups: [{ filters }] })));
  } finally {
    await reader.close();
  }
  if (values["dry-run"] === true) return;
  await confirm("Permanently delete everything sent with this key?", values.yes);
  const daybook = await openOrganization(await dataDirectory(path), name);
  try {
    process.stdout.write(receiptText(await daybook.deleteEventsOfKey(key)));
  } finally {
    await daybook.close();
  }
}

function msOf(text: string): number {
  const span = spanOf(text);
  if (span === null) throw new UsageError(`--before: expected YYYY-MM-DD or an RFC 3339 timestamp with a zone, got ${JSON.stringify(text)}`);
  return span.fromMs;
}

/** Counts the events that a deletion would remove, by project. @throws Error if the project is missing */
async function eventsToDelete(
  daybook: Pick<EventMaintenance, "projects" | "countEventsPerDay">,
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

export const command: Command = { help, run };
