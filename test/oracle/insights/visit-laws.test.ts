import { describe, test } from "vitest";
import { visitLaws } from "./laws/visit-laws.js";
import { ofHistories } from "./random-history.js";

describe("Of the oracle:", () => {
  for (const { title, count, check } of visitLaws) test(title, () => ofHistories(count, check));
});
