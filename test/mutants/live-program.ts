import { liveDifference } from "../oracle/live-case.js";
import { baseSeed } from "../oracle/settings.js";

/** Enough to notice every mutant: all but one are within the histories of the default suite. */
const HISTORY_COUNTS = { big: 400, small: 80 } as const;

/** What live histories say of the source that this was bundled with: exit code 1 and the difference, or 0. */
async function main(): Promise<void> {
  for (const budget of ["big", "small"] as const)
    for (let index = 0; index < HISTORY_COUNTS[budget]; index += 1) {
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
