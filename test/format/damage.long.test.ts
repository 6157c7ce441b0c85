import { expect, test } from "vitest";
import { baseSeed, longStride } from "../oracle/settings.js";
import { withObject } from "../store/objects.js";
import { allowedOutcomes, cleanStore, flipped, outcomeOf } from "./damage-kit.js";

test.each([
  ["one bit of a byte", 0, longStride(4)],
  ["all bits of a byte", 0xff, 3 * longStride(4)],
])(
  "%s anywhere in a store closed in good order may be flipped: right answers or corruption",
  async (_what, wholeMask, stride) => {
    const { objects, cursor } = await cleanStore();
    const right = await outcomeOf(objects, cursor);
    for (const [key, bytes] of objects) {
      const allowed = allowedOutcomes(key, right);
      for (let at = baseSeed % stride; at < bytes.length; at += stride) {
        const outcome = await outcomeOf(withObject(objects, key, flipped(bytes, at, wholeMask || 1 << ((at + 3) & 7))), cursor);
        if (!allowed.has(outcome)) expect.fail(`byte ${at} of ${key}: ${outcome.slice(0, 300)}`);
      }
    }
  },
  600_000,
);
