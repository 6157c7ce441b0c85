import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { INTERNAL, SECTIONS } from "../../build/limit-rows.js";
import { LIMITS_PAGE_FILE, limitsPage, shownLimit } from "../../build/limits-page.js";
import { LIMITS } from "../../src/base/limits.js";
import { SERVER_LIMITS } from "../../src/base/server-limits.js";
import { ROOT } from "../cli/run.js";

test("docs/limits.md has the bounds as they are; `npx tsx build/limits-page.ts` writes it anew.", async () => {
  expect(await readFile(LIMITS_PAGE_FILE, "utf8")).toBe(limitsPage());
});

test("Each bound is in one row of the page, or among those that no caller meets.", () => {
  const told = [...SECTIONS.flatMap(({ rows }) => Object.keys(rows)), ...INTERNAL];
  expect(told.toSorted()).toEqual([...Object.keys(LIMITS), ...Object.keys(SERVER_LIMITS)].sort());
});

test("A bound is shown in the unit of its name.", () => {
  expect(shownLimit("metadataBytes", 32 * 1024)).toBe("32 KiB");
  expect(shownLimit("metadataBytes", 1_500)).toBe("1,500 bytes");
  expect(shownLimit("scrubBytesPerSecond", 2 ** 20)).toBe("1 MiB a second");
  expect(["questionMs", "momentMs", "idleExportMs", "timerMs"].map((name) => shownLimit(name as "questionMs"))).toEqual(["30 s", "10 ms", "1 min", "24 days"]);
  expect([shownLimit("instantNumberMinMs"), shownLimit("instantMaxMs")]).toEqual(["1973-01-01", "9999-12-31"]);
  expect([shownLimit("collectedPerSec"), shownLimit("failedTokensPerMinute"), shownLimit("urlChars")]).toEqual(["20,000 a second", "20 a minute", "4,096 characters"]);
});

test("What changes a bound is an option that there is.", async () => {
  const sources = ["src/node/socket-limits.ts", "src/http/overload/limits.ts", "src/http/access/failed-tokens.ts", "src/http/collect/options.ts", "src/engine/options.ts"];
  const options = [...sources, "src/engine/upkeep/scrub.ts", "src/node/listen.ts", "src/node/file-storage.ts", "src/client/options.ts"];
  const texts = await Promise.all(options.map((path) => readFile(join(ROOT, path), "utf8")));
  const named = SECTIONS.flatMap(({ rows }) => Object.values(rows)).flatMap(([, , change = ""]) => [...change.matchAll(/`(?:limits|collect|scrub|retry)\.(\w+)`/g)].map(([, name = ""]) => name));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !texts.some((text) => text.includes(`readonly ${name}`)))).toEqual([]);
});

test("SECURITY.md and the page of the server name the page of bounds, and repeat none of its figures.", async () => {
  for (const path of ["SECURITY.md", "docs/serving.md"]) {
    const text = await readFile(join(ROOT, path), "utf8");
    expect(text).toMatch(/\]\((docs\/)?limits\.md\)/);
    const figures = SECTIONS.flatMap(({ rows }) => Object.keys(rows)).map((name) => shownLimit(name as "questionMs")).filter((figure) => /[a-z,]/.test(figure));
    expect(figures.filter((figure) => new RegExp(`(?<![\\d,.])${figure}\\b`).test(text))).toEqual([]);
  }
});
