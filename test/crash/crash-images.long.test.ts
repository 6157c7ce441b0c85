import { describe, expect, test } from "vitest";
import { baseSeed, longCount } from "../oracle/settings.js";
import { checkImages } from "./crash-images.js";

const imageCount = longCount(100_000, "DAYBOOK_CRASH_IMAGES");

describe(`a store after crashes (seed ${baseSeed}, ${imageCount} images)`, () => {
  // Other lives than those of the default suite.
  test("has every answered event, record and request, whole and once, nothing that was never sent, nothing that was erased", async () => {
    expect((await checkImages(baseSeed + 1_000, imageCount * 0.7, "disk")).images).toBeGreaterThanOrEqual(imageCount * 0.7);
  });

  test("that syncs later has all that came before whatever it has, and after a kill everything", async () => {
    expect((await checkImages(baseSeed + 1_000, imageCount * 0.3, "os")).images).toBeGreaterThanOrEqual(imageCount * 0.3);
  });
});
