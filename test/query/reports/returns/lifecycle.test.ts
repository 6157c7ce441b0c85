import { test } from "vitest";
import { useLimits } from "../../../limits.js";
import { ofLivingHistories } from "./living-histories.js";

// Heads are full after a few rows, so that what is kept of them, and what is not, is asked for too.
useLimits({ headPartRowCount: 6 });

test("While a history goes on, everybody is new, back or away as the oracle says.", () => ofLivingHistories("lifecycle", 10, 300), 600_000);
