#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { UsageError, type Command } from "./command.js";
import { packageRoot } from "./package-root.js";

interface Entry {
  /** One line for the list of commands. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** Loaded when named: `--help` needs none of them. */
const COMMANDS: Readonly<Record<string, Entry>> = {
  demo: { summary: "import real data, print a report, answer over HTTP", load: () => import("./commands/demo.js") },
  serve: { summary: "answer over HTTP", load: () => import("./commands/serve.js") },
  import: { summary: "load a copy, or events from NDJSON, CSV, Arrow or access-log files", load: () => import("./commands/import.js") },
  export: { summary: "write a copy as NDJSON, or every event as CSV or Arrow", load: () => import("./commands/export.js") },
  token: { summary: "create, list and revoke tokens", load: () => import("./commands/token.js") },
  verify: { summary: "check every stored byte and law", load: () => import("./commands/verify.js") },
  stats: { summary: "show what is stored, per organization", load: () => import("./commands/stats.js") },
};

function overview(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(8)}${summary}\n`);
  return `Usage: daybook COMMAND [options]\n\n${lines.join("")}\n"daybook COMMAND --help" says more; "daybook --version" names the version.\n`;
}

async function main(args: readonly string[]): Promise<void> {
  const [name, ...rest] = args;
  if (name === "--help" || name === "-h" || name === "help") {
    process.stdout.write(overview());
  } else if (name === "--version") {
    const manifest = JSON.parse(readFileSync(`${packageRoot()}/package.json`, "utf8")) as { version: string };
    process.stdout.write(`${manifest.version}\n`);
  } else {
    const entry = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (entry === undefined) {
      const names = Object.keys(COMMANDS).join(", ");
      throw new UsageError(name === undefined ? `expected a command: ${names}` : `${JSON.stringify(name)} is no command: ${names}`);
    }
    const { command } = await entry.load();
    const end = rest.indexOf("--");
    const asksHelp = rest.slice(0, end === -1 ? undefined : end).some((word) => word === "--help" || word === "-h");
    if (asksHelp) process.stdout.write(command.help);
    else await command.run(rest);
  }
}

/** Someone who reads only the first lines (`| head`) closes the pipe: that is no failure. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

const args = process.argv.slice(2);
try {
  await main(args);
} catch (error) {
  const command = args[0] !== undefined && Object.hasOwn(COMMANDS, args[0]) ? `daybook ${args[0]}` : "daybook";
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof UsageError ? ` (see ${command} --help)` : "";
  process.stderr.write(`${command}: ${message.replace(/\s*\n\s*/g, " ")}${hint}\n`);
  // Left to end by itself, the process would wait for whatever the failed command still holds.
  process.exit(error instanceof UsageError ? 2 : 1);
}
