import { test } from "vitest";
import { checkVisits } from "./visits-case.js";

test("sessions overviews of random live histories are those of the oracle", async () => {
  await checkVisits("sessionsOverview", 1, 100);
}, 600_000);
