import { describe, test } from "vitest";
import { funnelLaws } from "../oracle/insights/laws/funnel-laws.js";
import { peopleLaws } from "../oracle/insights/laws/people-laws.js";
import { trendLaws } from "../oracle/insights/laws/trend-laws.js";
import { visitLaws } from "../oracle/insights/laws/visit-laws.js";
import { ofDaybooks } from "./daybook-laws.js";

describe("Of a Daybook:", () => {
  for (const { title, count, check } of [...trendLaws, ...funnelLaws, ...peopleLaws, ...visitLaws]) test(title, () => ofDaybooks(count, check));
});
