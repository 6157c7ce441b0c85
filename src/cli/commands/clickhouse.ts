import { migrateClickHouse, openClickHouse } from "../../clickhouse/open-clickhouse.js";
import { readArguments, UsageError, type Command } from "../command.js";
import { placeOf } from "../on-clickhouse.js";
import { goneText } from "../print/deletions.js";

const help = `Usage: daybook clickhouse migrate --url URL --database NAME [--cluster NAME] [--user NAME] [--dry-run]
       daybook clickhouse sweep --url URL --database NAME [--cluster NAME] [--user NAME]

"migrate" makes the tables of one organization on ClickHouse, or brings them to what this version needs. May be run again.
"sweep" deletes what is past its time to live, and finishes erasures and deletions that broke off: nothing does so by itself.
Run it once a day.

  --url URL        the HTTP interface, such as http://127.0.0.1:8123
  --database NAME  the organization's database; it is made where there is none
  --cluster NAME   the cluster whose shards hold the rows, as its servers call it
  --user NAME      default: default; its password is CLICKHOUSE_PASSWORD of the environment
  --dry-run        only prints the statements of "migrate"
`;

const OPTIONS = {
  url: { type: "string" },
  database: { type: "string" },
  cluster: { type: "string" },
  user: { type: "string" },
  "dry-run": { type: "boolean" },
} as const;

async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(args, OPTIONS, true);
  const action = positionals.join(" ");
  if (action !== "migrate" && action !== "sweep") throw new UsageError(`expected "migrate" or "sweep", got ${JSON.stringify(action)}`);
  const { "dry-run": isDryRun = false } = values;
  if (action === "sweep" && isDryRun) throw new UsageError("--dry-run is for migrate only");
  if (action === "sweep") return await sweep(placeOf(values.url, "url", values));
  const { from, to, statements } = await migrateClickHouse(placeOf(values.url, "url", values), isDryRun);
  for (const statement of isDryRun ? statements : []) process.stdout.write(`${statement};\n\n`);
  if (from === to) process.stdout.write(`${isDryRun ? "-- " : ""}the tables are of version ${to}: nothing to do\n`);
  else if (!isDryRun) process.stdout.write(`made the tables of version ${to} by ${statements.length} statements\n`);
}

async function sweep(place: ReturnType<typeof placeOf>): Promise<void> {
  const daybook = await openClickHouse(place);
  try {
    process.stdout.write(goneText(await daybook.timeToLive.sweep()));
  } finally {
    await daybook.close();
  }
}

export const command: Command = { help, run };
