/** Random part of a version: of two concurrent writes, all readers take the same one for the newer. */
const CHANCE = 2 ** 16;

/** A version after the newest existing one. */
export function nextVersion(newest: number, random: (bytes: Uint8Array) => void): number {
  const chance = new Uint8Array(2);
  random(chance);
  return (Math.floor(newest / CHANCE) + 1) * CHANCE + (chance[0] ?? 0) * 256 + (chance[1] ?? 0);
}
