import { test } from "vitest";
import { siteWalk } from "./walk/site-walk.js";

const SEED = Number(process.env["DAYBOOK_SEED"] ?? 20_260_302);

test(`what Daybook says of a site equals what its visitors did, to the number (DAYBOOK_SEED=${SEED})`, async () => {
  await siteWalk(Number(process.env["N"] ?? 60), SEED);
});
