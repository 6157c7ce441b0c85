import { describe, expect, test } from "vitest";
import { ParsePace } from "../../../src/http/overload/admission.js";
import { OthersTurns } from "../../testing/turns-of-others.js";

const KIB = 1024;

/** In which turn of the event loop, counted from now, each body may be parsed. */
async function turnsOf(bodies: readonly number[]): Promise<{ body: number; turn: number }[]> {
  const pace = new ParsePace(256 * KIB);
  const turns = new OthersTurns();
  const parsed: { body: number; turn: number }[] = [];
  await Promise.all(
    bodies.map(async (byteLength, body) => {
      await pace.wait(byteLength);
      parsed.push({ body, turn: turns.count });
    }),
  );
  turns.end();
  return parsed;
}

describe("bodies that arrive together", () => {
  test("are parsed in order of arrival, no more of them in a turn than may be", async () => {
    const parsed = await turnsOf([100, 100, 100, 100, 300, 100, 20].map((kib) => kib * KIB));
    expect(parsed.map(({ body }) => body)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    const [first = NaN, ...others] = parsed.map(({ turn }) => turn);
    expect(others.map((turn) => turn - first)).toEqual([0, 1, 1, 2, 3, 3]);
  });
});
