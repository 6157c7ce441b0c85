/**
 * Runs the long suite again and again for some hours, each round with another seed: `npm run soak`.
 *
 * - DAYBOOK_SOAK_HOURS  how long; default 1. Fractions are taken.
 * - DAYBOOK_SEED        seed of the first round; default 20260301. Each round adds 1,000,003.
 * - arguments           parts of names of test files: only these are run, for example `npm run soak -- kill random-damage`
 * - DAYBOOK_DAMAGES, DAYBOOK_KILL_CYCLES, DAYBOOK_CASES  counts of the tests, as in the long suite
 * - DAYBOOK_FAIRNESS_SECONDS, DAYBOOK_FAIRNESS_TOKENS  how long, and how many tokens ask one server at once; 20 and 200 in the long suite
 *
 * Prints a line a minute, and everything a round said that failed, with the command that repeats it. Ends with 1 when any failed.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

const SEED_STEP = 1_000_003;
const LINE_EVERY_MS = 60_000;
const SAID_CHARS = 20_000;

const hours = Number(process.env["DAYBOOK_SOAK_HOURS"] ?? 1);
const firstSeed = Number(process.env["DAYBOOK_SEED"] ?? 20_260_301);
if (!(hours > 0) || !Number.isInteger(firstSeed)) {
  process.stderr.write("soak: expected hours above 0 in DAYBOOK_SOAK_HOURS and a whole number in DAYBOOK_SEED\n");
  process.exit(2);
}
const tests = process.argv.slice(2);
const startMs = performance.now();
const endMs = startMs + hours * 3_600_000;
const failedSeeds: number[] = [];
let passedCount = 0;
let round = 0;
let child: ChildProcess | null = null;
let isStopped = false;

function elapsed(): string {
  const seconds = Math.floor((performance.now() - startMs) / 1_000);
  return [seconds / 3_600, (seconds / 60) % 60, seconds % 60].map((part) => String(Math.floor(part)).padStart(2, "0")).join(":");
}

function say(text: string): void {
  process.stdout.write(`${elapsed()} ${text}\n`);
}

/** Runs one round; null when it was broken off. */
function runRound(seed: number): Promise<{ readonly isPassed: boolean; readonly said: string } | null> {
  return new Promise((resolve) => {
    const args = ["vitest", "run", "--config", "vitest.long.config.ts", ...tests];
    // A group of its own, so that the workers end with it.
    const running = spawn("npx", args, { cwd: fileURLToPath(new URL("../..", import.meta.url)), env: { ...process.env, DAYBOOK_SEED: String(seed) }, detached: true });
    child = running;
    let said = "";
    const hear = (text: Buffer) => {
      said = (said + text.toString()).slice(-SAID_CHARS);
    };
    running.stdout.on("data", hear);
    running.stderr.on("data", hear);
    running.on("close", (code) => resolve(isStopped ? null : { isPassed: code === 0, said }));
  });
}

function stop(): void {
  isStopped = true;
  if (child?.pid !== undefined) process.kill(-child.pid, "SIGTERM");
}

process.once("SIGINT", stop);
process.once("SIGTERM", stop);
const timer = setTimeout(stop, hours * 3_600_000);
const lines = setInterval(() => say(`round ${round}, ${passedCount} passed, ${failedSeeds.length} failed`), LINE_EVERY_MS);
say(`for ${hours} h, seeds from ${firstSeed} on${tests.length === 0 ? "" : `, ${tests.join(" ")}`}`);
while (!isStopped && performance.now() < endMs) {
  const seed = firstSeed + round * SEED_STEP;
  round += 1;
  const outcome = await runRound(seed);
  if (outcome === null) break;
  if (outcome.isPassed) passedCount += 1;
  else {
    failedSeeds.push(seed);
    say(`round ${round} failed; DAYBOOK_SEED=${seed} npm run test:long -- ${tests.join(" ")} repeats it\n${outcome.said}`);
  }
}
clearTimeout(timer);
clearInterval(lines);
say(`${passedCount} rounds passed, ${failedSeeds.length} failed${failedSeeds.length === 0 ? "" : `, seeds ${failedSeeds.join(", ")}`}`);
process.exit(failedSeeds.length === 0 && passedCount > 0 ? 0 : 1);
