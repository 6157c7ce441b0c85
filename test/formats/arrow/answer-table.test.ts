import { readFileSync } from "node:fs";
import { Float64, Table, tableFromIPC, tableToIPC } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { answerTable } from "../../../src/formats/arrow/answer-table.js";

const NULLABLE = /readonly (\w+): number \| null;/g;
/** Beside a list, and never in one. */
const BESIDE = ["asOf"];

describe("a table of an answer", () => {
  it.each(["src/query/plan/answers.ts", "src/query/plan/insights/answers.ts"])("numbers of %s that are null in each item are doubles, as those of another day", (path) => {
    const text = readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
    const names = [...new Set([...text.matchAll(NULLABLE)].map(([, name = ""]) => name))].filter((name) => !BESIDE.includes(name));
    expect(names.length).toBeGreaterThan(2);
    for (const name of names.flatMap((camel) => [camel, camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)])) {
      const [none, some] = [answerTable({ rows: [{ [name]: null }], beside: {} }), answerTable({ rows: [{ [name]: 0.5 }], beside: {} })];
      expect(none.schema.fields[0]?.type, name).toBeInstanceOf(Float64);
      const both = tableFromIPC(tableToIPC(new Table([...none.batches, ...some.batches])));
      expect(both.toArray().map((row) => (row as Record<string, unknown>)[name])).toEqual([null, 0.5]);
    }
  });
});
