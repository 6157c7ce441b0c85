import type { Daybook } from "../../engine/daybook.js";
import { readArguments, required, UsageError, type Command } from "../command.js";
import { confirm } from "../confirm.js";
import { dataDirectory, type DataDirectory } from "../data-directory.js";
import { openForReading, openOrganization, organizationOf } from "../organizations.js";
import { goingText, goneText } from "../print/deletions.js";
import { count, plain } from "../print/format.js";
import { table } from "../print/table.js";

const help = `Usage: daybook retention --data DIR [--organization NAME]
       daybook retention set (PROJECT | --all) --days N --data DIR [--yes] [--organization NAME]
       daybook retention off (PROJECT | --all) --data DIR [--organization NAME]

Shows for how many days the events of each project are kept, and what is past its time: it goes by itself, once a day.
"set" makes a rule, and deletes at once what is past its time then; "off" takes a rule back. Neither while "serve" runs.

  --data DIR            data directory or store
  --days N              an event is kept on the day (UTC) that it happened on and N days after, 1 to 36525
  --all                 the rule of all projects that have none of their own
  --organization NAME   default "default"
  --yes                 do not ask; needed where there is no terminal, if something is to go
`;

const OPTIONS = {
  data: { type: "string" },
  organization: { type: "string" },
  days: { type: "string" },
  all: { type: "boolean" },
  yes: { type: "boolean" },
} as const;

type Values = ReturnType<typeof readArguments<typeof OPTIONS>>["values"];

async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(args, OPTIONS, true);
  const [action, ...names] = positionals;
  if (action !== undefined && action !== "set" && action !== "off") throw new UsageError(`expected set or off, got ${JSON.stringify(action)}`);
  const path = required(values.data, "data");
  const organization = organizationOf(values.organization);
  const project = action === undefined ? null : projectOf(names, values);
  const days = action === "set" ? daysOf(required(values.days, "days")) : 0;
  const data = await dataDirectory(path);
  if (action === undefined) return await show(data, organization);
  if (action === "set") await showNext(data, organization, { project, days }, values);
  await writing(data, organization, async (daybook) => {
    if (action === "set") {
      await daybook.timeToLive.set(project, { days });
      process.stdout.write(goneText(await daybook.timeToLive.sweep()));
    } else if (!(await daybook.timeToLive.off(project))) throw new Error(`there is no rule for ${project === null ? "all projects" : JSON.stringify(project)}`);
  });
}

async function show(data: DataDirectory, organization: string): Promise<void> {
  const daybook = await openForReading(data, organization);
  try {
    const rules = await daybook.timeToLive.list();
    const rows = rules.map(({ project, days }) => [project === null ? "(all others)" : plain(project, 60), count(days)]);
    process.stdout.write(rows.length === 0 ? "all events are kept\n" : table([["project", "days kept"], ...rows], "<>"));
    if (rows.length > 0) process.stdout.write(`\n${goingText((await daybook.timeToLive.preview()).projects)}`);
  } finally {
    await daybook.close();
  }
}

/** What a rule would take away: shown before it does, and asked for. */
async function showNext(data: DataDirectory, organization: string, rule: { project: string | null; days: number }, { yes }: Values): Promise<void> {
  const daybook = await openForReading(data, organization);
  const going = await daybook.timeToLive.preview(rule).finally(() => daybook.close());
  process.stdout.write(goingText(going.projects));
  if (going.events > 0) await confirm("Keep events no longer, and delete these for ever?", yes);
}

async function writing(data: DataDirectory, organization: string, act: (daybook: Daybook) => Promise<void>): Promise<void> {
  const daybook = await openOrganization(data, organization);
  try {
    await act(daybook);
  } finally {
    await daybook.close();
  }
}

function projectOf(names: readonly string[], { all }: Values): string | null {
  const [name] = names;
  if (names.length > 1 || (name === undefined) !== (all === true)) throw new UsageError("expected one PROJECT, or --all");
  return name ?? null;
}

function daysOf(text: string): number {
  const days = Number(text);
  if (!/^\d{1,5}$/.test(text) || days < 1 || days > 36_525) throw new UsageError(`--days: expected a whole number from 1 to 36525, got ${JSON.stringify(text)}`);
  return days;
}

export const command: Command = { help, run };
