import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { fixedClock } from "../src/core/base/time.js";
import { answerText } from "../src/cli/print/answer.js";
import { memoryStorage, openDaybook } from "../src/index.js";
import type { Daybook, Retention } from "../src/index.js";
import { fileStorage } from "../src/platform/node/index.js";
import { daybookHere } from "./cli/run-here.js";
import { emptyDirectory, ROOT } from "./cli/run.js";
import { blocksOf } from "./pages.js";

const page = readFileSync(join(ROOT, "docs/reference/insights.md"), "utf8");
/** What the page says of itself. */
const NOW_MS = Date.parse("2026-03-10T12:00:00Z");
const OPENING = 'const daybook = await openDaybook({ storage: memoryStorage() });\n';

const blocks = blocksOf("docs/reference/insights.md");
const [filling, ...queries] = blocks.filter(({ language }) => language === "ts");

/** Runs a block as it stands. What it asks last is its answer. */
async function run(daybook: Daybook, text: string): Promise<unknown> {
  const body = text.startsWith("await daybook.") ? `return ${text}` : text.replace(/^import .*\n/gm, "").replace(OPENING, "");
  return (runInThisContext(`(async (daybook) => { ${body} })`) as (daybook: Daybook) => Promise<unknown>)(daybook);
}

/** As JSON, without the digits of a definition. */
function answerOf(value: unknown): unknown {
  const text = JSON.stringify(value, (key, member: unknown) => (key === "definition" ? String(member).replace(/^def_[0-9a-f]{32}$/, "def_…") : member));
  return JSON.parse(text);
}

describe("docs/reference/insights.md", () => {
  test("answers what stands below each query, one after the other", async () => {
    const daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
    expect(page).toContain("10 March 2026 at noon, UTC");
    expect(filling?.text).toContain(OPENING);
    await run(daybook, filling?.text ?? "");
    expect(queries.length).toBeGreaterThan(10);
    for (const question of queries) {
      const below = blocks[blocks.indexOf(question) + 1];
      expect(below?.language, question.text).toBe("json");
      expect(answerOf(await run(daybook, question.text)), question.text).toEqual(JSON.parse(below?.text ?? ""));
    }
    await daybook.close();
  });

  test("is introduced by the page of queries with some that are answered", async () => {
    const daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
    await run(daybook, filling?.text ?? "");
    const [introduction] = blocksOf("docs/reference/queries.md").filter(({ text }) => text.includes("daybook.funnel("));
    const answers = await run(daybook, `${introduction?.text} return { steps, cohorts, series };`);
    const series = [{ values: [""], total: 1 }, { values: ["free"], total: 1 }, { values: ["pro"], total: 1 }];
    expect(answers).toMatchObject({ steps: [{ entities: 3 }, { entities: 2 }], cohorts: [{ size: 3 }], series });
    await daybook.close();
  });

  test("has an example of each insight, and of a segment in an older query", () => {
    const asked = new Set(queries.map(({ text }) => /^await daybook\.([\w.]+)/.exec(text)?.[1]));
    expect([...asked].sort()).toEqual([
      ...["aggregate", "countEventsPerDay", "funnel", "lifecycle", "paths", "retention", "segments.put"],
      ...["sessionsOverview", "stickiness", "trend", "webOverview"],
    ]);
  });

  test("shows what the command line says", async () => {
    const directory = await emptyDirectory();
    const daybook = await openDaybook({ storage: fileStorage(directory), clock: fixedClock(NOW_MS) });
    await run(daybook, filling?.text ?? "");
    await daybook.close();
    const command = blocks.find(({ language }) => language === "sh");
    const [, name = "", input = ""] = /^daybook query (\w+) --data \.\/data --json '(.+)'\n$/.exec(command?.text ?? "") ?? [];
    const { stdout, stderr } = await daybookHere(["query", name, "--data", directory, "--json", input]);
    expect(stderr).toBe("");
    expect(blocks.find(({ language }) => language === "text")?.text).toBe(answerText(name as "retention", JSON.parse(stdout) as Retention));
  });

  test("says of the newest sequence what is so", async () => {
    const daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
    await run(daybook, filling?.text ?? "");
    expect(page).toContain("12 set ann's plan, 13 set ben's");
    expect([(await daybook.trend({ asOf: "latest" })).asOf, (await daybook.trend()).asOf]).toEqual([13, null]);
    await expect(daybook.trend({ asOf: 14 })).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "asOf" } });
    await daybook.close();
  });
});
