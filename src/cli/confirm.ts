import { createInterface } from "node:readline/promises";
import { UsageError } from "./command.js";

/** Asks for confirmation on a terminal; elsewhere `--yes` is required. @throws UsageError without a terminal; Error where the answer is no */
export async function confirm(question: string, isSure: boolean | undefined): Promise<void> {
  if (isSure === true) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new UsageError("--yes is required: there is no terminal to confirm on");
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await asking.question(`${question} [y/N] `);
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new Error("nothing was changed");
  } finally {
    asking.close();
  }
}
