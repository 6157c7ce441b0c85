import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../cli/run.js";

/** The last section, on bundlers, has tests of its own. */
const page = readFileSync(join(ROOT, "docs/guide/embedding.md"), "utf8").split("\n## Bundlers")[0] ?? "";
const FOLDERS = ["data", "access-log", "cdnow", "online-retail", "custom-storage"];

function programs(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return FOLDERS.includes(name) ? [] : programs(path);
    return [path];
  });
}

describe("docs/guide/embedding.md", () => {
  const texts = programs(join(ROOT, "examples")).map((path) => readFileSync(path, "utf8"));
  const blocks = [...page.matchAll(/^```\w+\n([^]*?)^```/gm)].map(([, text = ""]) => text);

  test("has only code of the examples, which are run", () => {
    expect(blocks.length).toBeGreaterThan(12);
    expect(blocks.filter((block) => !texts.some((text) => text.includes(block)))).toEqual([]);
  });

  test("links to files and sections that are there", () => {
    const anchors = [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) => `#${title.toLowerCase().replaceAll(/[^a-z0-9 -]/g, "").replaceAll(" ", "-")}`);
    for (const [, target = ""] of page.matchAll(/\]\(([^)]+)\)/g)) {
      const [path = "", anchor] = target.split("#");
      if (path === "") expect(anchors).toContain(`#${anchor}`);
      else if (!path.startsWith("https:")) expect(() => statSync(join(ROOT, "docs/guide", path))).not.toThrow();
    }
  });

  test("names the options and bounds that there are", () => {
    const source = readFileSync(join(ROOT, "src/platform/node/to-node-handler.ts"), "utf8");
    const table = page.slice(page.indexOf("| option |"), page.indexOf("`/openapi.json`"));
    const documented = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(documented.sort()).toEqual([...source.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name]) => name).sort());
  });

  test("is short", () => {
    const words = page.replaceAll(/^```[^]*?^```/gm, "").split(/\s+/).length;
    expect(words).toBeLessThan(1_700);
  });
});
