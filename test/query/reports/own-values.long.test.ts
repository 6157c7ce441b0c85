import { expect, it } from "vitest";
import { startProgram } from "../../cli/run.js";

it("aggregates by id and by time need a heap for what is asked, not for all that is stored", async () => {
  const { code, stdout, stderr } = await startProgram("test/query/reports/own-values.ts", [], { flags: ["--max-old-space-size=160"] }).finished;
  expect([code, stdout, stderr]).toEqual([0, "id 10 3, createdAt 10 3, 600000 600000\n", ""]);
});
