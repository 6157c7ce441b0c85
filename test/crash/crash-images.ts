import { seededRandom } from "daybook/testing";
import type { Durability } from "daybook";
import { crashCase } from "./crash-case.js";
import type { Fate } from "./life.js";
import { record } from "./recording.js";

/** Images taken of one recorded life before another one is lived. */
const IMAGES_PER_LIFE = 400;

export interface ImageCounts {
  readonly images: number;
  readonly recordings: number;
}

/** Makes and checks at least `imageCount` crash images. @throws Violation, with the seeds that replay it */
export async function checkImages(seed: number, imageCount: number, durability: Durability, wrap?: Fate["wrap"]): Promise<ImageCounts> {
  let images = 0;
  let recordings = 0;
  while (images < imageCount) {
    const recordingSeed = seed + recordings;
    const recording = await record(recordingSeed, durability, wrap);
    recordings += 1;
    const end = Math.min(images + IMAGES_PER_LIFE, imageCount);
    for (let number = 0; images < end; number += 1) {
      try {
        images += await crashCase(recording, seededRandom(recordingSeed * 1_000_003 + number));
      } catch (error) {
        throw new Error(`${durability}, seed ${recordingSeed}, case ${number}, image ${images}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
      }
    }
  }
  return { images, recordings };
}
