import { vi } from "vitest";
import { failureOf, runCommandLine } from "../../src/cli/command-line.js";
import type { Finished } from "./run.js";

/** What `daybook ARGS` says and how it ends, in this process: for commands that end by themselves and read no standard input. */
export async function daybookHere(args: readonly string[]): Promise<Omit<Finished, "signal">> {
  const [out, err] = [heard(process.stdout), heard(process.stderr)];
  try {
    await runCommandLine(args);
    return { code: 0, stdout: out.text(), stderr: err.text() };
  } catch (error) {
    const { code, line } = failureOf(args, error);
    return { code, stdout: out.text(), stderr: err.text() + line };
  } finally {
    out.stop();
    err.stop();
  }
}

function heard(stream: NodeJS.WriteStream): { text: () => string; stop: () => void } {
  let text = "";
  const write = vi.spyOn(stream, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  return { text: () => text, stop: () => write.mockRestore() };
}
