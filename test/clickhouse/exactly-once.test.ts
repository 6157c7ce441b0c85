import { describe, expect, test } from "vitest";
import { playRounds } from "./exactly-once.js";
import { layouts } from "./kit.js";

const isExhaustive = process.env["DAYBOOK_EXHAUSTIVE"] === "1";
const roundCount = isExhaustive ? 200 : 4;
const seed = Number(process.env["DAYBOOK_SEED"] ?? 1);

describe.each(layouts)("four writers as processes of their own, %s", (layout) => {
  test(`store each event once in ${roundCount} rounds of kills and lost answers`, { timeout: isExhaustive ? 7_200_000 : 300_000 }, async () => {
    const played = await playRounds(layout, seed, roundCount);
    console.log(`${layout}, seed ${seed}: ${JSON.stringify(played)}`);
    expect(Math.min(played.kills, played.acked, played.errors)).toBeGreaterThan(0);
  });
});
