/** What two that write at once take of a version by chance, so that one of them is the newer for everybody. */
const CHANCE = 2 ** 16;

/** A version behind the newest that is there. */
export function nextVersion(newest: number, random: (bytes: Uint8Array) => void): number {
  const chance = new Uint8Array(2);
  random(chance);
  return (Math.floor(newest / CHANCE) + 1) * CHANCE + (chance[0] ?? 0) * 256 + (chance[1] ?? 0);
}
