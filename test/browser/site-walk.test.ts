import { test } from "vitest";
import { SEED, siteWalk } from "./walk/site-walk.js";

// More walk in site-walk.long.test.ts: they take longer than a default run may.
test(`what Daybook says of a site equals what its 4 visitors did, to the number (DAYBOOK_SEED=${SEED})`, async () => {
  await siteWalk(4, SEED);
}, 120_000);
