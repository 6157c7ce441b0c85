import { expect } from "vitest";
import { seededRandom, type Random } from "../../src/testing/index.js";
import { withObject, type Objects } from "../store/objects.js";
import { cleanStore, flipped, outcomeOf } from "./damage-kit.js";
import { twins } from "./twins.js";

const SECTOR_BYTES = 512;

type Damage = (objects: Objects, key: string, random: Random) => Objects;

const below = (random: Random, end: number) => Math.floor(random.next() * end);
const bytesOf = (objects: Objects, key: string) => objects.get(key) ?? new Uint8Array(0);

/** What may happen to bytes at rest. */
const DAMAGES: Readonly<Record<string, Damage>> = {
  flip: (objects, key, random) => withObject(objects, key, flipped(bytesOf(objects, key), below(random, bytesOf(objects, key).length), 1 << below(random, 8))),
  cut: (objects, key, random) => withObject(objects, key, bytesOf(objects, key).subarray(0, below(random, bytesOf(objects, key).length))),
  append: (objects, key, random) => withObject(objects, key, Uint8Array.from([...bytesOf(objects, key), ...Array.from({ length: 1 + below(random, 600) }, () => below(random, 256))])),
  missing: (objects, key) => withObject(objects, key, null),
  zeroedSector: (objects, key, random) => {
    const bytes = bytesOf(objects, key).slice();
    const start = below(random, Math.ceil(bytes.length / SECTOR_BYTES)) * SECTOR_BYTES;
    return withObject(objects, key, bytes.fill(0, start, start + SECTOR_BYTES));
  },
  swap: (objects, key, random) => {
    const alike = [...objects.keys()].filter((other) => other !== key && other.split("/")[0] === key.split("/")[0]);
    const other = alike[below(random, alike.length)];
    return other === undefined ? withObject(objects, key, null) : withObject(withObject(objects, key, bytesOf(objects, other)), other, bytesOf(objects, key));
  },
};

/**
 * Damages stores that were closed in good order, `count` times: each gives the answers it gave before, or an error that says
 * that it is damaged. The second store has files of equal length, whose swapping nothing but their content tells.
 */
export async function expectDamageNoticed(seed: number, count: number): Promise<Record<string, number>> {
  const { objects, cursor } = await cleanStore();
  const stores = [objects, await twins()];
  const right = await Promise.all(stores.map((store, index) => outcomeOf(store, index === 0 ? cursor : null)));
  expect(right.every((text) => text.startsWith("["))).toBe(true);
  const noticed: Record<string, number> = {};
  for (let at = 0; at < count; at += 1) {
    const random = seededRandom(seed + at);
    const which = below(random, 2);
    const store = stores[which] ?? objects;
    const names = Object.keys(DAMAGES);
    const name = names[below(random, names.length)] ?? "";
    const keys = [...store.keys()];
    const key = keys[below(random, keys.length)] ?? "";
    const outcome = await outcomeOf(DAMAGES[name]?.(store, key, random) ?? store, which === 0 ? cursor : null, random.next() < 0.8);
    if (outcome === "corruption" || outcome === "manifest_missing") noticed[name] = (noticed[name] ?? 0) + 1;
    else if (outcome !== right[which]) expect.fail(`DAYBOOK_SEED=${seed} DAYBOOK_DAMAGES=${at + 1}: ${name} of ${key} in store ${which}: ${outcome.slice(0, 300)}`);
  }
  return noticed;
}
