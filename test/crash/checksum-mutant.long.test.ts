import { expect, test, vi } from "vitest";
import { baseSeed } from "../oracle/settings.js";
import { checkImages } from "./crash-images.js";

vi.mock("../../src/core/base/crc32.js", () => ({ crc32: () => 0, useCrc32: () => undefined }));

test(`A crash shows checksums that are never wrong (seed ${baseSeed}).`, async () => {
  await expect(checkImages(baseSeed, 3_000, "disk")).rejects.toThrow(/life 1 ends/);
}, 300_000);
