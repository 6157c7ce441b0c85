import { describe, test } from "vitest";
import { funnelLaws } from "./laws/funnel-laws.js";
import { ofHistories } from "./random-history.js";

describe("Of the oracle:", () => {
  for (const { title, count, check } of funnelLaws) test(title, () => ofHistories(count, check));
});
