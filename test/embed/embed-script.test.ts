import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, inject, test } from "vitest";

const BUDGET_BYTES = 60_000;

test("the script of elements is one module of at most 60 kB gzipped, which asks no other host and evaluates nothing", () => {
  const script = readFileSync(join(inject("programs"), "embed.js"), "utf8");
  expect(gzipSync(script, { level: 9 }).length).toBeGreaterThan(10_000);
  expect(gzipSync(script, { level: 9 }).length).toBeLessThan(BUDGET_BYTES);
  expect(script).not.toMatch(/(?:^|[;}])import\b|\bimport\s*\(|\beval\(|new Function\(|document\.write|@import/);
  const hosts = [...script.matchAll(/https?:\/\/[\w.-]+/g)].map(([host]) => host);
  expect(hosts.filter((host) => host !== "http://www.w3.org")).toEqual([]);
});

test("both builds may be loaded where there is no document", async () => {
  const programs = inject("programs");
  await import(join(programs, "embed.js"));
  createRequire(import.meta.url)(join(programs, "embed.cjs"));
});
