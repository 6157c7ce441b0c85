import { expect, test } from "vitest";
import { baseSeed, caseCount } from "../../oracle/settings.js";
import { useLimits } from "../../limits.js";
import { fuzz } from "./fuzz.js";

// By itself nothing goes: what answers bring and take is counted.
useLimits({ quietMs: 3_600_000 });

const requestCount = Number(process.env["DAYBOOK_FUZZ_REQUESTS"] ?? caseCount(250, 2_500));

test("Random requests are answered as the documentation says, and what is refused changes nothing.", async () => {
  const statuses = await fuzz(baseSeed, requestCount);
  if (requestCount >= 800) expect(Object.keys(statuses)).toEqual(expect.arrayContaining(["200", "201", "304", "400", "401", "403", "404", "405", "414", "415", "431"]));
});
