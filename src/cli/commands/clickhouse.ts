import { parseDateOnly } from "../../core/base/time.js";
import { migrateClickHouse, openClickHouse, openWithExecutor } from "../../clickhouse/open-clickhouse.js";
import { LoadedParts } from "../../clickhouse/tables/migrate.js";
import { currencyOf, flags, readArguments, required, texts, UsageError } from "../command.js";
import { compareAnswers, loadStore } from "../load-store.js";
import { dataDirectory } from "../../platform/node/data-directory.js";
import { openForReading, organizationOf } from "../organizations.js";
import { connectionOptionsOf } from "../on-clickhouse.js";
import { receiptText, count, plural, Progress } from "../print/format.js";

/** A day: each statement of the final comparison reads all rows. */
const COMPARISON_TIMEOUT_MS = 86_400_000;

/** Size of the column cache; small, because each column is read once. */
const COLUMN_BYTES = 64 * 1024 * 1024;

export const help = `Usage: daybook clickhouse migrate --url URL --database NAME [--cluster NAME] [--user NAME] [options]
       daybook clickhouse load --data DIR --url URL --database NAME [--cluster NAME] [--user NAME] [options]
       daybook clickhouse sweep --url URL --database NAME [--cluster NAME] [--user NAME]

"migrate" creates the tables of one organization on ClickHouse. It can be run again, and fails if the tables have another
version.

"load" copies an organization there, also while "serve" runs on DIR: first the identities, then every event, day by day.
The next run resumes an interrupted one, and a later run loads the days that have changed. At the end, the same queries
run on both, and their answers are printed side by side; exits 1 if any differ. Several runs may load different days at
the same time, with --from and --to; such runs compare no answers, so finish with a run without --from and --to.

"sweep" deletes events past their time to live, and completes interrupted erasures and deletions: nothing else does.
Run it once a day.

  --url URL            the HTTP interface, such as http://127.0.0.1:8123
  --database NAME      the organization's database; "migrate" creates it if missing
  --cluster NAME       the cluster whose shards store the rows, by its name on the servers
  --user NAME          default "default"; the password comes from the environment variable CLICKHOUSE_PASSWORD
  --replicas           migrate: create replicated tables even if no shard has replicas; default: only if one has them
  --dry-run            migrate: only print the statements
  --data DIR           load: data directory or store
  --organization NAME  load: default "default"
  --currency CODE      load: reporting currency of the compared revenue, default USD
  --from DAY           load: first day, such as 2026-01-31 (UTC)
  --to DAY             load: last day
  --again              load: also send days that were loaded before
`;

const OPTIONS = {
  ...texts("url", "database", "cluster", "user", "data", "organization", "currency", "from", "to"),
  ...flags("replicas", "dry-run", "again"),
};

const TASK_OPTIONS = { migrate: ["replicas", "dry-run"], load: ["data", "organization", "currency", "again", "from", "to"], sweep: [] } as const;
const TASKS = ["migrate", "load", "sweep"] as const;

type ClickHouseArguments = ReturnType<typeof readArguments<typeof OPTIONS>>["values"];

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(args, OPTIONS, true);
  const task = TASKS.find((name) => positionals.length === 1 && name === positionals[0]);
  if (task === undefined) throw new UsageError(`expected "migrate", "load" or "sweep", got ${JSON.stringify(positionals.join(" "))}`);
  const others = TASKS.filter((name) => name !== task);
  const stray = others.flatMap((name) => TASK_OPTIONS[name]).find((name) => values[name] !== undefined);
  if (stray !== undefined) throw new UsageError(`--${stray} does not apply to ${task}`);
  await { migrate, load, sweep }[task](values);
}

async function migrate(values: ClickHouseArguments): Promise<void> {
  const { "dry-run": isDryRun = false, replicas } = values;
  const options = { ...connectionOptionsOf(values.url, "url", values), ...(replicas === undefined ? {} : { replicas }) };
  const { version, statements } = await migrateClickHouse(options, isDryRun);
  for (const statement of isDryRun ? statements : []) process.stdout.write(`${statement};\n\n`);
  if (statements.length === 0) process.stdout.write(`${isDryRun ? "-- " : ""}the tables already have version ${version}: nothing to do\n`);
  else if (!isDryRun) process.stdout.write(`created the tables of version ${version} with ${statements.length} statements\n`);
}

async function sweep(values: ClickHouseArguments): Promise<void> {
  await using daybook = await openClickHouse(connectionOptionsOf(values.url, "url", values));
  process.stdout.write(receiptText(await daybook.timeToLive.sweep()));
}

async function load(values: ClickHouseArguments): Promise<void> {
  const data = required(values.data, "data");
  const days = { from: dayOf(values.from, "from"), to: dayOf(values.to, "to") };
  if (days.from !== null && days.to !== null && days.from > days.to) throw new UsageError(`--from ${days.from} is later than --to ${days.to}`);
  const currency = currencyOf(values.currency);
  const connection = { ...connectionOptionsOf(values.url, "url", values), ...(currency === undefined ? {} : { currency }) };
  const organization = organizationOf(values.organization);
  await using source = await openForReading(await dataDirectory(data), organization, { memoryBudgetBytes: COLUMN_BYTES, currency });
  const { daybook, executor } = await openWithExecutor({ ...connection, futureEvents: "keep" });
  await using target = daybook;
  const progress = new Progress("load");
  const parts = new LoadedParts(executor.connection, executor.tables);
  const totals = await loadStore(source, target, parts, { ...days, reloadAll: values.again ?? false, onProgress: (rowCount) => progress.at(rowCount) });
  const took = progress.end();
  const outcome = `accepted ${count(totals.accepted)} / duplicates ${count(totals.duplicates)}, ${plural(totals.records, "record")}`;
  process.stdout.write(`${plural(totals.days, "day")}: ${outcome}; ${plural(totals.unchangedDays, "day")} loaded before (${took})\n`);
  if (days.from !== null || days.to !== null) return;
  await using compared = await openClickHouse({ ...connection, timeoutMs: COMPARISON_TIMEOUT_MS });
  const { text, differing } = await compareAnswers(source, compared);
  process.stdout.write(text);
  if (differing > 0) throw new Error(`${plural(differing, "answer")} ${differing === 1 ? "differs" : "differ"}`);
}

function dayOf(text: string | undefined, option: string): string | null {
  if (text !== undefined && parseDateOnly(text) === null) throw new UsageError(`--${option}: expected YYYY-MM-DD, got ${JSON.stringify(text)}`);
  return text ?? null;
}
