import { describe, test } from "vitest";
import { peopleLaws } from "./laws/people-laws.js";
import { ofHistories } from "./random-history.js";

describe("Of the oracle:", () => {
  for (const { title, count, check } of peopleLaws) test(title, () => ofHistories(count, check));
});
