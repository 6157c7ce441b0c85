import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inject } from "vitest";

/** The program of a thread, bundled before the tests: threads of the test runner do not read TypeScript. @param name of a file of `src/platform/node` */
export function bundledProgram(name: string): URL {
  return pathToFileURL(join(inject("programs"), `${name}.mjs`));
}
