import { plain } from "./format.js";

/** One line on standard output, whatever the damaged bytes hold that it tells of. */
export function say(line: string): void {
  process.stdout.write(`${plain(line, 2_000)}\n`);
}
