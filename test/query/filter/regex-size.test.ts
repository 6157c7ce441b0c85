import { RE2JS } from "re2js";
import { seededRandom, type Random } from "daybook/testing";
import { describe, expect, test } from "vitest";
import { regexSize } from "../../../src/query/filter/regex-size.js";
import { baseSeed, caseCount } from "../../oracle/settings.js";

const ATOMS = ["a", "é", ".", "\\d", "\\p{Greek}", "\\pL", "\\x{10FFFF}", "\\(", "\\Qa+{2}\\E", "[a-z]", "[^]a]", "[[:alpha:]{]", "[\\]]", "^", "$", "\\b", "{", "}"];
const REPEATS = ["", "", "", "*", "+?", "?", "{2}", "{3,}", "{2,5}", "{0,20}", "{100}"];

function randomPattern(random: Random, depth: number): string {
  const parts = Array.from({ length: random.between(1, 4) }, () => {
    const atom = depth < 3 && random.chance(0.4) ? `${random.pick(["(", "(?:", "(?i:", "(?P<n>"])}${randomPattern(random, depth + 1)})` : random.pick(ATOMS);
    return atom + random.pick(REPEATS);
  });
  return parts.join(random.pick(["", "", "|"]));
}

describe("the size of a pattern", () => {
  test("is what it becomes, more or less", () => {
    let comparedCount = 0;
    for (let index = 0; index < caseCount(2_000, 50_000); index += 1) {
      const seed = baseSeed + index;
      const pattern = randomPattern(seededRandom(seed), 0);
      let size: number;
      try {
        size = RE2JS.compile(pattern).programSize();
      } catch {
        continue;
      }
      comparedCount += 1;
      const told = `DAYBOOK_SEED=${seed} DAYBOOK_CASES=1 ${pattern}`;
      expect(regexSize(pattern), told).toBeGreaterThanOrEqual(size / 3 - 4);
      expect(regexSize(pattern), told).toBeLessThanOrEqual(16 * size + 8);
    }
    expect(comparedCount).toBeGreaterThan(500);
  });
});
