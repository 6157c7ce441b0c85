import { LIVE_HISTORY_COUNTS, liveDifference } from "../oracle/live-case.js";
import { baseSeed } from "../oracle/settings.js";

/** What the live histories of the default suite say of the source that this was bundled with: exit code 1 and the difference, or 0. */
async function main(): Promise<void> {
  for (const budget of ["big", "small"] as const)
    for (let index = 0; index < LIVE_HISTORY_COUNTS[budget]; index += 1) {
      const difference = await liveDifference(baseSeed + index, budget);
      if (difference === null) continue;
      process.stdout.write(`history ${index}, ${budget} budget: ${difference}\n`);
      process.exit(1);
    }
}

main().catch((error: unknown) => {
  process.stdout.write(String(error));
  process.exit(1);
});
