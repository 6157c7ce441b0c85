import { afterEach, describe, expect, test, vi } from "vitest";
import { confirm } from "../../src/cli/command.js";

let answer = "";
const asked: string[] = [];
vi.mock("node:readline/promises", () => ({
  createInterface: () => ({
    question: async (query: string) => {
      asked.push(query);
      return answer;
    },
    close: () => undefined,
  }),
}));

const streams = [process.stdin, process.stderr] as const;
const usual = streams.map(({ isTTY }) => isTTY);
afterEach(() => streams.forEach((stream, at) => (stream.isTTY = usual[at] ?? false)));

describe("on a terminal", () => {
  test.each([["y", true], [" YES ", true], ["", false], ["n", false], ["yess", false]])("the answer %j goes on: %s", async (given, goesOn) => {
    for (const stream of streams) stream.isTTY = true;
    answer = given;
    const confirming = confirm("Delete?", undefined);
    if (goesOn) await confirming;
    else await expect(confirming).rejects.toThrow("nothing was changed");
    expect(asked.at(-1)).toBe("Delete? [y/N] ");
  });
});

test("Elsewhere nobody is asked, and --yes has to say so.", async () => {
  for (const stream of streams) stream.isTTY = false;
  await expect(confirm("Delete?", false)).rejects.toThrow("--yes is required");
  await confirm("Delete?", true);
});
