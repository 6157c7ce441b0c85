import { fixedClock, memoryStorage, openDaybook } from "daybook";
import { seededRandom } from "daybook/testing";
import { oracle } from "../support/index.js";
import { expect, test } from "vitest";
import { longIntegerFilter, longIntegerHistory } from "../support/random/long-integers.js";
import { baseSeed, caseCount, nowMs } from "./settings.js";

const historyCount = caseCount(3, 60);

test.each(Array.from({ length: historyCount }, (_, at) => baseSeed + at))("Filters compare integers beyond 2^53 by all of their digits, as the oracle does (DAYBOOK_SEED=%i).", async (seed) => {
  const random = seededRandom(seed);
  const history = longIntegerHistory(random);
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
  await daybook.ingest(history);
  if (random.chance(0.5)) await daybook.seal();
  const expected = oracle(history, { nowMs });
  for (let at = 0; at < 300; at += 1) {
    const input = { filterGroups: longIntegerFilter(random) };
    expect(await daybook.countEvents(input), JSON.stringify(input)).toBe(expected.countEvents(input));
  }
  for (const metadataField of ["n", "order_id"]) {
    const items = await daybook.aggregate({ metadataField });
    expect(items).toEqual(expected.aggregate({ metadataField }));
  }
});
