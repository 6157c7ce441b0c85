import { expect, test } from "vitest";
import { withObject } from "../store/objects.js";
import { allowedOutcomes, cleanStore, flipped, outcomeOf } from "./damage-kit.js";

test.each([
  ["one bit of every byte", 0, 1],
  ["all bits of every third byte", 0xff, 3],
])(
  "%s of a store closed in good order may be flipped: right answers or corruption",
  async (_what, wholeMask, stride) => {
    const { objects, cursor } = await cleanStore();
    const right = await outcomeOf(objects, cursor);
    for (const [key, bytes] of objects) {
      const allowed = allowedOutcomes(key, right);
      for (let at = 0; at < bytes.length; at += stride) {
        const outcome = await outcomeOf(withObject(objects, key, flipped(bytes, at, wholeMask || 1 << ((at + 3) & 7))), cursor);
        if (!allowed.has(outcome)) expect.fail(`byte ${at} of ${key}: ${outcome.slice(0, 300)}`);
      }
    }
  },
  600_000,
);
