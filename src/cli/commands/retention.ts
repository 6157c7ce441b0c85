import { confirm, flags, readArguments, required, texts, UsageError, wholeNumberOf } from "../command.js";
import { CLICKHOUSE_HELP, LOCATION_OPTIONS, eventLocationOf, type EventLocation } from "../on-clickhouse.js";
import { pendingDeletionText, receiptText, count, plain, table } from "../print/format.js";

export const help = `Usage: daybook retention (--data DIR | --clickhouse URL) [options]
       daybook retention set (PROJECT | --all) --days N (--data DIR | --clickhouse URL) [--yes] [options]
       daybook retention off (PROJECT | --all) (--data DIR | --clickhouse URL) [options]
       daybook retention sweep (--data DIR | --clickhouse URL) [--yes] [options]

Shows how many days the events of each project are kept, and which events have expired. Expired events are deleted once
a day; on ClickHouse only by "daybook clickhouse sweep". "set" makes a rule and deletes at once the events that it makes
expire; "off" removes a rule; "sweep" deletes expired events at once. If the clock is more than a day ahead of when it
was last seen, "sweep" also confirms that it is right. "set", "off" and "sweep" cannot run while "serve" runs on DIR;
on ClickHouse they can.

  --data DIR            data directory or store
${CLICKHOUSE_HELP}  --days N              keep an event on the day (UTC) of its time and for N days after, 1 to 36525
  --all                 the rule for all projects without a rule of their own
  --organization NAME   default "default"
  --yes                 do not ask for confirmation; required without a terminal if there is something to delete
`;

const OPTIONS = { ...LOCATION_OPTIONS, ...texts("days"), ...flags("all", "yes") };

type RetentionArguments = ReturnType<typeof readArguments<typeof OPTIONS>>["values"];

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(args, OPTIONS, true);
  const [action, ...names] = positionals;
  if (action !== undefined && action !== "set" && action !== "off" && action !== "sweep") throw new UsageError(`expected set, off or sweep, got ${JSON.stringify(action)}`);
  const location = eventLocationOf(values);
  if (action === "sweep" && (names.length > 0 || values.all === true)) throw new UsageError("sweep applies to all projects: expected neither PROJECT nor --all");
  const project = action === undefined || action === "sweep" ? null : projectOf(names, values);
  const days = action === "set" ? wholeNumberOf(required(values.days, "days"), "days", 1, 36_525) : 0;
  if (action === undefined) return await show(location);
  if (action !== "off") await confirmDeletion(location, action === "set" ? { project, days } : undefined, values);
  await using daybook = await location.write();
  if (action !== "off") {
    if (action === "set") await daybook.timeToLive.set(project, { days });
    process.stdout.write(receiptText(await daybook.timeToLive.sweep()));
  } else if (!(await daybook.timeToLive.off(project))) throw new Error(`there is no rule for ${project === null ? "all projects" : JSON.stringify(project)}`);
}

async function show(location: EventLocation): Promise<void> {
  await using daybook = await location.read();
  const rules = await daybook.timeToLive.list();
  const rows = rules.map(({ project, days }) => [project === null ? "(all others)" : plain(project, 60), count(days)]);
  process.stdout.write(rows.length === 0 ? "all events are kept\n" : table([["project", "days kept"], ...rows], "<>"));
  if (rows.length > 0) process.stdout.write(`\n${pendingDeletionText((await daybook.timeToLive.preview()).projects)}`);
}

async function confirmDeletion(location: EventLocation, rule: { project: string | null; days: number } | undefined, { yes }: RetentionArguments): Promise<void> {
  const daybook = await location.read();
  const preview = await daybook.timeToLive.preview(rule).finally(() => daybook.close());
  process.stdout.write(pendingDeletionText(preview.projects));
  if (preview.events > 0) await confirm("Permanently delete these events?", yes);
}

function projectOf(names: readonly string[], { all }: RetentionArguments): string | null {
  const [name] = names;
  if (names.length > 1 || (name === undefined) !== (all === true)) throw new UsageError("expected one PROJECT, or --all");
  return name ?? null;
}
