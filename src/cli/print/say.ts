import { plain } from "./format.js";

/** Prints one line on standard output, with control characters replaced. */
export function say(line: string): void {
  process.stdout.write(`${plain(line, 2_000)}\n`);
}
