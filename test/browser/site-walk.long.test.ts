import { test } from "vitest";
import { SEED, siteWalk } from "./walk/site-walk.js";

test(`what Daybook says of a site equals what its 200 visitors did, to the number (DAYBOOK_SEED=${SEED})`, async () => {
  await siteWalk(200, SEED);
});
