import { readFileSync } from "node:fs";
import { UsageError, packageRoot, type Command } from "./command.js";

interface CommandEntry {
  readonly summary: string;
  /** Imports the command. Called only for a named command: `daybook --help` needs none of them. */
  readonly load: () => Promise<Command>;
}

const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  demo: { summary: "import real data sets, print a report, then serve them over HTTP", load: () => import("./commands/demo.js") },
  serve: { summary: "serve the HTTP API and the dashboard", load: () => import("./commands/serve.js") },
  import: { summary: "load a copy, or events from NDJSON, CSV, Arrow, Parquet or access-log files", load: () => import("./commands/import.js") },
  export: { summary: "write a copy as NDJSON, or every event as CSV, Arrow or Parquet", load: () => import("./commands/export.js") },
  token: { summary: "create, list and revoke tokens", load: () => import("./commands/token.js") },
  verify: { summary: "check every stored byte and every invariant", load: () => import("./commands/verify.js") },
  backup: { summary: "copy a snapshot of every organization, also while serve runs", load: () => import("./commands/backup.js") },
  restore: { summary: "create a data directory from a backup", load: () => import("./commands/restore.js") },
  stats: { summary: "show what is stored, per organization", load: () => import("./commands/stats.js") },
  query: { summary: "run a query and print tables or JSON", load: () => import("./commands/query.js") },
  retention: { summary: "show and set how long events are stored, and delete expired ones", load: () => import("./commands/retention.js") },
  delete: { summary: "delete a project, or old events", load: () => import("./commands/delete.js") },
  clickhouse: { summary: "create and fill the tables for daybook/clickhouse, and delete expired rows", load: () => import("./commands/clickhouse.js") },
};

function overview(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(11)}${summary}\n`);
  return `Usage: daybook COMMAND [options]\n\n${lines.join("")}\n"daybook COMMAND --help" describes a command; "daybook --version" prints the version.\n`;
}

export async function runCommandLine(args: readonly string[]): Promise<void> {
  const [name, ...rest] = args;
  if (name === "--help" || name === "-h" || name === "help") {
    process.stdout.write(overview());
  } else if (name === "--version") {
    const manifest = JSON.parse(readFileSync(`${packageRoot()}/package.json`, "utf8")) as { version: string };
    process.stdout.write(`${manifest.version}\n`);
  } else {
    const entry = commandOf(name);
    if (entry === null) {
      const names = Object.keys(COMMANDS).join(", ");
      throw new UsageError(name === undefined ? `expected a command: ${names}` : `unknown command ${JSON.stringify(name)}, expected one of ${names}`);
    }
    const command = await entry.load();
    const separator = rest.indexOf("--");
    const isHelp = rest.slice(0, separator === -1 ? undefined : separator).some((word) => word === "--help" || word === "-h");
    if (isHelp) process.stdout.write(command.help);
    else await command.run(rest);
  }
}

export function failureOf(args: readonly string[], thrown: unknown): { readonly code: 1 | 2; readonly line: string } {
  const [name] = args;
  // If closing fails too, `await using` wraps both errors: report the later one.
  const error = thrown instanceof Error && "suppressed" in thrown && "error" in thrown ? thrown.error : thrown;
  const command = commandOf(name) === null ? "daybook" : `daybook ${name}`;
  const message = error instanceof Error ? error.message : String(error);
  const isUsage = error instanceof UsageError;
  return { code: isUsage ? 2 : 1, line: `${command}: ${message.replace(/\s*\n\s*/g, " ")}${isUsage ? ` (see ${command} --help)` : ""}\n` };
}

function commandOf(name: string | undefined): CommandEntry | null {
  return name !== undefined && Object.hasOwn(COMMANDS, name) ? (COMMANDS[name] ?? null) : null;
}
