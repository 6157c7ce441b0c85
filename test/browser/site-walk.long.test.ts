import { test } from "vitest";
import { longStride } from "../oracle/settings.js";
import { SEED, siteWalk } from "./walk/site-walk.js";

const VISITOR_COUNT = 200 / longStride(2);

test(`what Daybook says of a site equals what its ${VISITOR_COUNT} visitors did, to the number (DAYBOOK_SEED=${SEED})`, async () => {
  await siteWalk(VISITOR_COUNT, SEED);
});
