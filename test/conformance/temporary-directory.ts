import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty directory that is removed after the running test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "daybook-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
