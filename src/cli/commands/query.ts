import { text } from "node:stream/consumers";
import { DaybookError } from "../../core/base/errors.js";
import { parseJsonText } from "../../core/base/json-text.js";
import { STATUS } from "../../http/answer/error-reply.js";
import { QUERY_NAMES, type AnswerByReport, type Queries, type ReportName } from "../../query/queries.js";
import { currencyOf, readArguments, texts, UsageError } from "../command.js";
import { CLICKHOUSE_HELP, eventLocationOf, LOCATION_OPTIONS } from "../on-clickhouse.js";
import { answerText } from "../print/answer.js";

const nameLines = QUERY_NAMES.join(" ").replace(/(?=.{76})(.{1,75}) /g, "$1\n    ");

export const help = `Usage: daybook query NAME --data DIR | --clickhouse URL [options]

Runs a query of the library and prints tables on a terminal, else JSON. Also while "serve" runs.

  --data DIR            data directory or store
${CLICKHOUSE_HELP}  --organization NAME   default "default"
  --project NAME        only events of this project
  --json INPUT          the input of the method, with the library's names; "-" reads it from standard input
  --currency CODE       reporting currency, default USD

  NAME is one of
    ${nameLines}

  daybook query countEvents --data ./data/cdnow
  daybook query retention --data ./data/cdnow --json '{"interval":"month"}'
`;

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(args, { ...LOCATION_OPTIONS, ...texts("project", "json", "currency") }, true);
  const name = nameOf(positionals);
  const location = eventLocationOf(values);
  const currency = currencyOf(values.currency);
  const input = inputOf(values.json === "-" ? await text(process.stdin) : (values.json ?? "{}"), values.project);
  await using daybook = await location.read({ currency });
  const answer = await runQuery(daybook, name, input);
  process.stdout.write(process.stdout.isTTY ? answerText(name, answer) : `${JSON.stringify(answer)}\n`);
}

function nameOf([name, ...more]: readonly string[]): ReportName {
  if (name === undefined) throw new UsageError(`expected the NAME of a query: ${QUERY_NAMES.join(", ")}`);
  const found = QUERY_NAMES.find((candidate) => candidate === name);
  if (found === undefined) throw new UsageError(`unknown query ${JSON.stringify(name)}, expected one of ${QUERY_NAMES.join(", ")}`);
  if (more.length > 0) throw new UsageError(`expected one NAME, also got ${JSON.stringify(more[0])}`);
  return found;
}

function inputOf(json: string, project: string | undefined): object {
  const input = parseInput(json);
  if (typeof input !== "object" || input === null || Array.isArray(input)) throw new UsageError("--json: expected an object");
  if (project === undefined) return input;
  if ("project" in input && input.project !== project) throw new UsageError("--project: --json names a different project");
  return { ...input, project };
}

function parseInput(json: string): unknown {
  try {
    return parseJsonText(json);
  } catch (error) {
    throw new UsageError(`--json: expected JSON, ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @throws UsageError if the query itself is invalid (status 400) */
async function runQuery<K extends ReportName>(daybook: Queries, name: K, input: object): Promise<AnswerByReport[K]> {
  const onNotice = ({ message }: { readonly message: string }) => process.stderr.write(`daybook query: ${message}\n`);
  try {
    // The method checks its input. In paged answers, `next` is a cursor string, not a position.
    return (await daybook[name](input as never, { onNotice })) as AnswerByReport[K];
  } catch (error) {
    throw error instanceof DaybookError && STATUS[error.code] === 400 ? new UsageError(error.message) : error;
  }
}
