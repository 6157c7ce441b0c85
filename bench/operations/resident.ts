import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const child = fileURLToPath(new URL("resident-child.ts", import.meta.url));

/** Memory of a process of its own that was asked every query of the benchmark in several windows, less that of one that opened nothing. */
export async function residentFigures(store: string, eventCount: number) {
  const run = (...args: string[]) => JSON.parse(execFileSync(process.execPath, ["--expose-gc", "--import", "tsx", child, ...args], { encoding: "utf8" })) as Record<string, number>;
  const [asked, bare] = [run(store), run()];
  const residentBytes = (asked["residentBytes"] ?? NaN) - (bare["residentBytes"] ?? NaN);
  return Promise.resolve({
    residentBytesPerEvent: residentBytes / eventCount,
    ownEstimateBytesPerEvent: (asked["estimatedBytes"] ?? NaN) / eventCount,
    firstAnswerMs: asked["firstAnswerMs"] ?? NaN,
  });
}
