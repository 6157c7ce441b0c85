import { test } from "vitest";
import { checkVisits } from "./visits-case.js";

test("paths of random live histories are those of the oracle", async () => {
  await checkVisits("paths", 3, 100);
}, 600_000);
