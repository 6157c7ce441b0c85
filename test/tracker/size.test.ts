import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { startDaybook } from "daybook/tracker";
import { expect, inject, test } from "vitest";
import { isListed } from "../../src/tracker/tracker.js";

const BUDGET_BYTES = 1_536;

test("the script of web pages is one file of at most 1.5 kB gzipped, which leaves no name of its own", () => {
  const script = readFileSync(join(inject("programs"), "daybook.js"));
  expect(script.toString()).toMatch(/^\(\(\)=>\{.*\}\)\(\);$/s);
  expect(gzipSync(script, { level: 9 }).length).toBeGreaterThan(1_000);
  expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(BUDGET_BYTES);
});

test.each([
  ["/admin/users", "/admin/*", true],
  ["/administer", "/admin/*", false],
  ["/a/b/edit", "/x, /a/*/edit", true],
  ["/a.b", "/a.b", true],
  ["/axb", "/a.b", false],
  ["PDF", "zip,pdf", true],
  ["/", "", false],
])("whether %s is one of %j: %s", (text, list, is) => {
  expect(isListed(text, list)).toBe(is);
});

test("without a window, the tracker of bundlers does nothing", () => {
  const daybook = startDaybook({ key: "pk_1", server: "https://stats.example" });
  daybook.track("x", { a: 1 }, { value: 1 });
  daybook.page();
  daybook.identify("ada");
  daybook.optOut();
  expect(Object.keys(daybook).sort()).toEqual(["identify", "optOut", "page", "track"]);
});
