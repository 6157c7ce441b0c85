import { migrateClickHouse } from "../../clickhouse/open-clickhouse.js";
import { readArguments, UsageError, type Command } from "../command.js";
import { placeOf } from "../on-clickhouse.js";

const help = `Usage: daybook clickhouse migrate --url URL --database NAME [--cluster NAME] [--user NAME] [--dry-run]

Makes the tables of one organization on ClickHouse, or brings them to what this version needs. May be run again.

  --url URL        the HTTP interface, such as http://127.0.0.1:8123
  --database NAME  the organization's database; it is made where there is none
  --cluster NAME   the cluster whose shards hold the rows, as its servers call it
  --user NAME      default: default; its password is CLICKHOUSE_PASSWORD of the environment
  --dry-run        only prints the statements
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
  if (positionals.length !== 1 || positionals[0] !== "migrate")
    throw new UsageError(`expected "migrate", got ${JSON.stringify(positionals.join(" "))}`);
  const { "dry-run": isDryRun = false } = values;
  const { from, to, statements } = await migrateClickHouse(placeOf(values.url, "url", values), isDryRun);
  for (const statement of isDryRun ? statements : []) process.stdout.write(`${statement};\n\n`);
  if (from === to) process.stdout.write(`${isDryRun ? "-- " : ""}the tables are of version ${to}: nothing to do\n`);
  else if (!isDryRun) process.stdout.write(`made the tables of version ${to} by ${statements.length} statements\n`);
}

export const command: Command = { help, run };
