import { type Durability } from "daybook";
import { seededRandom } from "daybook/testing";
import { type Fate, Life, type Moment, newFate } from "./life.js";

/** The life of a store up to its first crash, and everything it could leave behind. */
export interface Recording {
  readonly fate: Fate;
  readonly moments: readonly Moment[];
}

/**
 * Lives once: three writers at once, somebody who asks to be erased, seals enough to compact, an orderly close and an
 * opening. What writers do, and in which order it reaches the disk, is the seed's choice.
 */
export async function record(seed: number, durability: Durability = "disk", wrap?: Fate["wrap"]): Promise<Recording> {
  const random = seededRandom(seed);
  const fate = newFate(durability, wrap);
  const faults = ({ kind }: { kind: string }) => (kind === "write" && random.chance(0.3) ? { byteLengthMax: random.between(1, 900) } : null);
  const life = new Life(fate, 1, undefined, undefined, { random, faults, isInterleaved: true });
  life.record();
  await life.open();
  await Promise.all([write(life, 5), write(life, 5), write(life, 5), askForErasure(life)]);
  await life.close();
  await life.open();
  await Promise.all([write(life, 3), sealOften(life)]);
  if (random.chance(0.5)) await life.close();
  return { fate, moments: life.moments };
}

async function write({ actor }: Life, actCount: number): Promise<void> {
  for (let act = 0; act < actCount; act += 1) await actor.act();
}

async function askForErasure({ actor }: Life): Promise<void> {
  await actor.identify();
  await actor.ingest(2, true);
  for (let step = 1; step <= 4; step += 1) {
    await actor.ingest(2);
    await actor.stepRequest();
  }
}

/** More segments of a day than stay apart. */
async function sealOften({ actor }: Life): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await actor.ingest(2);
    await actor.seal();
  }
}
