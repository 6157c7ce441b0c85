import { test } from "vitest";
import { checkVisits } from "./visits-case.js";

test("web overviews of random live histories are those of the oracle", async () => {
  await checkVisits("webOverview", 3, 100);
}, 600_000);
