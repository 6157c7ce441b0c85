import { expect, test } from "vitest";
import { baseSeed, longCount } from "../../oracle/settings.js";
import { useLimits } from "../../limits.js";
import { fuzz } from "./fuzz.js";

// By itself nothing goes: what answers bring and take is counted.
useLimits({ quietMs: 3_600_000 });

const requestCount = longCount(50_000, "DAYBOOK_FUZZ_REQUESTS");
/** Requests to one Daybook, which begins empty. */
const LOT = 5_000;

test("Very many random requests are answered as the documentation says, and what is refused changes nothing.", async () => {
  let answered = 0;
  for (let sent = 0; sent < requestCount; sent += LOT) {
    const statuses = await fuzz(baseSeed + sent, Math.min(LOT, requestCount - sent));
    answered += Object.values(statuses).reduce((sum, count) => sum + count, 0);
    process.stdout.write(`${sent + LOT} requests: ${JSON.stringify(statuses)}\n`);
  }
  expect(answered).toBeGreaterThan(0.9 * requestCount);
});
