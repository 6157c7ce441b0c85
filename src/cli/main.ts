#!/usr/bin/env node
import { failureOf, runCommandLine } from "./command-line.js";

// `| head` closes the pipe early: that is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

const args = process.argv.slice(2);
try {
  await runCommandLine(args);
} catch (error) {
  const { code, line } = failureOf(args, error);
  process.stderr.write(line);
  // Exit here: the process would otherwise wait for whatever the failed command left open.
  process.exit(code);
}
