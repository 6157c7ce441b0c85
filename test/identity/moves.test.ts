import fc from "fast-check";
import { expect, test } from "vitest";
import { ChangeLog } from "../../src/identity/links.js";
import { useLimits } from "../limits.js";
import { baseSeed } from "../oracle/settings.js";

const REMEMBERED = 3;
useLimits({ rememberedMoveCount: 3 });

const ops = fc.array(fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 4 }) }, { weight: 1, arbitrary: fc.constant("all" as const) }), { maxLength: 25 });

test("Between any two counts the actors that moved are told, or that it is too long ago; never fewer.", () => {
  fc.assert(
    fc.property(ops, (moved) => {
      const moves = new ChangeLog();
      const model: (number | "all")[] = [];
      const counts = [moves.count];
      for (const actor of moved) {
        if (actor === "all") moves.addAll();
        else moves.add(actor);
        model.push(actor);
        counts.push(moves.count);
        for (const [at, from] of counts.entries())
          for (const [end, to] of counts.entries()) {
            if (end < at) continue;
            const since = model.slice(at);
            const told = moves.between(from, to);
            if (since.includes("all")) expect(told).toBeNull();
            else if (since.length <= REMEMBERED) expect(told).not.toBeNull();
            if (told !== null) expect(told).toEqual(new Set(model.slice(at, end)));
          }
      }
    }),
    { seed: baseSeed, numRuns: 300 },
  );
});
