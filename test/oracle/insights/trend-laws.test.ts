import { describe, test } from "vitest";
import { trendLaws } from "./laws/trend-laws.js";
import { ofHistories } from "./random-history.js";

describe("Of the oracle:", () => {
  for (const { title, count, check } of trendLaws) test(title, () => ofHistories(count, check));
});
