#!/usr/bin/env node
import { failureOf, runCommandLine } from "./command-line.js";

/** Someone who reads only the first lines (`| head`) closes the pipe: that is no failure. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

const args = process.argv.slice(2);
try {
  await runCommandLine(args);
} catch (error) {
  const { code, line } = failureOf(args, error);
  process.stderr.write(line);
  // Left to end by itself, the process would wait for whatever the failed command still holds.
  process.exit(code);
}
