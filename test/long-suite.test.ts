import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { LOAD, THOROUGH } from "../vitest.long.config.js";

/** `{a,b}.test.ts` as `a.test.ts` and `b.test.ts`. */
function alternatives(pattern: string): readonly string[] {
  const [, before = "", list, after = ""] = /^(.*?)\{([^}]*)\}(.*)$/.exec(pattern) ?? [];
  return list === undefined ? [pattern] : list.split(",").flatMap((each) => alternatives(before + each + after));
}

test("Each pattern of the long suite matches a file, so a moved test is not lost.", () => {
  const root = fileURLToPath(new URL(".", import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => `test/${name}`);
  const matches = (pattern: string) => {
    const shape = new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`);
    return files.some((file) => shape.test(file));
  };
  expect([LOAD, ...THOROUGH].flatMap(alternatives).filter((pattern) => !matches(pattern))).toEqual([]);
});
