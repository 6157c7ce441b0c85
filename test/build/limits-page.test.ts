import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { INTERNAL, SECTIONS, type LimitName } from "../../build/limit-rows.js";
import { LIMITS_PAGE_FILE, limitsPage, shownLimit } from "../../build/limits-page.js";
import { LIMITS } from "../../src/core/base/limits.js";
import { SERVER_LIMITS } from "../../src/core/base/server-limits.js";
import { ROOT } from "../cli/run.js";

/** Numbers that bound nothing. */
const OTHERS = ["MONTHS_PER_YEAR", "SEMANTICS"];

test("docs/reference/limits.md has the bounds as they are; `npx tsx build/limits-page.ts` writes it anew.", async () => {
  expect(await readFile(LIMITS_PAGE_FILE, "utf8")).toBe(limitsPage());
});

test("Each bound is in one row of the page, or among those that no caller meets.", () => {
  const told = [...SECTIONS.flatMap(({ rows }) => Object.keys(rows)), ...INTERNAL];
  expect(told.toSorted()).toEqual([...Object.keys(LIMITS), ...Object.keys(SERVER_LIMITS)].sort());
});

test("Each range that a query is held to is among the parameters of the page.", async () => {
  const rows = await readFile(join(ROOT, "build/parameter-rows.ts"), "utf8");
  const folders = ["src/query/plan/reports", "src/query/plan/insights"];
  const files = (await Promise.all(folders.map(async (folder) => (await readdir(join(ROOT, folder))).map((name) => `${folder}/${name}`)))).flat();
  const missing: string[] = [];
  let count = 0;
  for (const file of files) {
    const text = await readFile(join(ROOT, file), "utf8");
    const numbers = [...text.matchAll(/^(?:export )?const ([A-Z_]+) = (?:\{ min|\d)/gm)].map(([, name = ""]) => name);
    const ranges = numbers.filter((name) => !OTHERS.includes(name));
    const [, as = ""] = new RegExp(`as (\\w+) from "../${file.replace(/ts$/, "js")}"`).exec(rows) ?? [];
    count += ranges.length;
    missing.push(...ranges.filter((name) => !rows.includes(`${as}.${name}`)).map((name) => `${file}: ${name}`));
  }
  expect(count).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

test("A bound is shown in the unit of its name.", () => {
  expect(shownLimit("metadataBytes", 32 * 1024)).toBe("32 KiB");
  expect(shownLimit("metadataBytes", 1_500)).toBe("1,500 bytes");
  expect(shownLimit("scrubBytesPerSecond", 2 ** 20)).toBe("1 MiB a second");
  expect([shownLimit("queryMs"), shownLimit("tokenWaitMs"), shownLimit("idleExportMs"), shownLimit("timerMs")]).toEqual(["30 s", "10 ms", "1 min", "24 days"]);
  expect([shownLimit("instantNumberMinMs"), shownLimit("instantMaxMs")]).toEqual(["1973-01-01", "9999-12-31"]);
  expect([shownLimit("collectedPerSec"), shownLimit("failedTokensPerMinute")]).toEqual(["20,000 a second", "20 a minute"]);
  expect(shownLimit("urlChars")).toBe("4,096 characters");
});

test("What changes a bound is an option that there is.", async () => {
  const options = [
    "platform/node/listen-options", "http/overload/admission", "http/access/authenticator", "http/collect/collector", "engine/options", "engine/upkeep/scrub",
    "platform/node/file-storage", "client/options", "core/schema/track-queue",
  ];
  const texts = await Promise.all(options.map((path) => readFile(join(ROOT, "src", `${path}.ts`), "utf8")));
  const changes = SECTIONS.flatMap(({ rows }) => Object.values(rows)).map(([, , change = ""]) => change).join(" ");
  const named = [...changes.matchAll(/`(?:limits|collect|scrub|retry|track)\.(\w+)`/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !texts.some((text) => text.includes(`readonly ${name}`)))).toEqual([]);
});

test("SECURITY.md and the page of the server name the page of bounds, and repeat none of its figures.", async () => {
  for (const path of ["SECURITY.md", "docs/guide/server.md"]) {
    const text = await readFile(join(ROOT, path), "utf8");
    expect(text).toMatch(/\]\((docs\/|\.\.\/)reference\/limits\.md\)/);
    const names = SECTIONS.flatMap(({ rows }) => Object.keys(rows) as LimitName[]);
    const figures = names.map((name) => shownLimit(name)).filter((figure) => /[a-z,]/.test(figure));
    expect(figures.filter((figure) => new RegExp(`(?<![\\d,.])${figure}\\b`).test(text))).toEqual([]);
  }
});
