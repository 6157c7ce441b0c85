import { describe, expect, test } from "vitest";
import { bytes, duration, plain, plural, table } from "../../src/cli/print/format.js";
import { grouped, sparkline } from "../../src/cli/print/answer.js";

describe("what the program prints", () => {
  test("a sparkline's bars are shares of the largest value, and nothing is blank", () => {
    expect(sparkline([0, 1, 4, 8])).toBe(" ▁▄█");
    expect(sparkline([0, 0])).toBe("  ");
    expect(sparkline([])).toBe("");
  });

  test("days that do not fit a line are added up in weeks or more", () => {
    expect(grouped([1, 2], 5)).toEqual({ sums: [1, 2], dayCounts: [1, 1], groupDays: 1 });
    expect(grouped([1, 1, 1, 1, 1, 1, 1, 2, 2], 5)).toEqual({ sums: [7, 4], dayCounts: [7, 2], groupDays: 7 });
    expect(grouped([], 5)).toEqual({ sums: [], dayCounts: [], groupDays: 1 });
    expect(grouped(new Array<number>(10_000).fill(1), 4).sums).toEqual([2_500, 2_500, 2_500, 2_500]);
  });

  test("a table aligns its columns and cuts trailing blanks", () => {
    expect(table([["a", "1"], ["long", "1,000"]], "<>")).toBe("a         1\nlong  1,000\n");
    expect(table([["1", "x"], ["10", ""]], "><", "  ")).toBe("   1  x\n  10\n");
  });

  test("numbers carry units that read well", () => {
    expect([bytes(999), bytes(1_500), bytes(25_000_000)]).toEqual(["999 B", "1.50 kB", "25.0 MB"]);
    expect([duration(0.5), duration(12.4), duration(2_340)]).toEqual(["0.50 ms", "12 ms", "2.3 s"]);
    expect([plural(1, "row"), plural(1_200, "row")]).toEqual(["1 row", "1,200 rows"]);
  });

  test("stored text cannot steer the terminal", () => {
    expect(plain("a\u001b[2Jb\r\n\u202ec", 40)).toBe("a\ufffd[2Jb\ufffd\ufffd\ufffdc");
    expect(plain("123456", 4)).toBe("123…");
  });
});
