import { describe, expect, test } from "vitest";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { checkImages } from "./crash-images.js";

/** Crash images of each kind; another test of the long suite makes many more. */
const imageCount = caseCount(60, 300);

describe(`a store after crashes (seed ${baseSeed}, ${imageCount} images each)`, () => {
  test("has every answered event, record and request, whole and once, nothing that was never sent, nothing that was erased", async () => {
    const { images } = await checkImages(baseSeed, imageCount, "disk");
    expect(images).toBeGreaterThanOrEqual(imageCount);
  }, 300_000);

  test("that syncs later has all that came before whatever it has, and after a kill everything", async () => {
    const { images } = await checkImages(baseSeed, imageCount, "os");
    expect(images).toBeGreaterThanOrEqual(imageCount);
  }, 300_000);
});
