import { fixedClock, openDaybook, type Damage } from "daybook";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { flipped } from "../format/damage-kit.js";
import { RecordingStorage } from "../store/recording-storage.js";
import { storageWith } from "../store/objects.js";

const clock = fixedClock(1_000_000);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(() => {
  vi.useRealTimers();
});

async function sealedObjects() {
  const storage = new RecordingStorage();
  const daybook = await openDaybook({ storage, clock });
  for (const day of [1, 2]) {
    await daybook.ingest(Array.from({ length: 50 }, (_, at) => ({ id: `${day} ${at}`, name: "view", url: `/${at}`, createdAt: new Date(day * 86_400_000) })));
    await daybook.seal();
  }
  await daybook.close();
  return storage.objects;
}

test("A scrub reads every sealed file at its rate, rests, and begins again; whole files are no damage.", async () => {
  const objects = await sealedObjects();
  const sealedByteLength = [...objects].filter(([key]) => /^(segments|dictionaries|identities)/.test(key)).reduce((sum, [, bytes]) => sum + bytes.length, 0);
  const heard: Damage[] = [];
  const daybook = await openDaybook({ storage: new RecordingStorage(objects), clock, scrub: { bytesPerSecond: 1_000, restMs: 60_000 }, onDamage: (damage) => heard.push(damage) });
  const scrubbed = async () => (await daybook.stats()).scrub;
  expect(await scrubbed()).toEqual({ roundCount: 0, byteLength: 0, damaged: [] });
  await vi.advanceTimersByTimeAsync(sealedByteLength - 20);
  expect(await scrubbed()).toMatchObject({ roundCount: 0 });
  await vi.advanceTimersByTimeAsync(21);
  expect(await scrubbed()).toEqual({ roundCount: 1, byteLength: sealedByteLength, damaged: [] });
  await vi.advanceTimersByTimeAsync(59_900);
  expect(await scrubbed()).toMatchObject({ byteLength: sealedByteLength });
  await vi.advanceTimersByTimeAsync(60_000 + sealedByteLength);
  expect(await scrubbed()).toEqual({ roundCount: 2, byteLength: 2 * sealedByteLength, damaged: [] });
  expect(heard).toEqual([]);
  await daybook.close();
});

test("A scrub tells once of each file that was damaged while open; answers go on, and it stops at close.", async () => {
  const objects = await sealedObjects();
  const [first = "", second = ""] = [...objects.keys()].filter((key) => key.startsWith("segments/"));
  const storage = await storageWith(objects);
  const heard: Damage[] = [];
  const onDamage = (damage: Damage) => {
    heard.push(damage);
    throw new Error("the hook's own fault");
  };
  const daybook = await openDaybook({ storage, clock, scrub: { bytesPerSecond: 1e9, restMs: 10 }, onDamage });
  expect(await daybook.countEvents()).toBe(100);
  await storage.write(first, flipped(objects.get(first) ?? new Uint8Array(0), 40, 1));
  await storage.remove(second);
  await vi.advanceTimersByTimeAsync(100);
  expect(heard.map(({ key }) => key)).toEqual([first, second]);
  expect(heard[0]?.reason).toMatch(/^expected the SHA-256 [0-9a-f]{64}, found [0-9a-f]{64}$/);
  expect(heard[1]?.reason).toMatch(/^expected \d+ bytes, but the file is missing or has 0$/);
  const { scrub } = await daybook.stats();
  expect([scrub?.damaged, (scrub?.roundCount ?? 0) > 3]).toEqual([heard, true]);
  expect(await daybook.countEvents()).toBe(100);
  await daybook.close();
  expect(vi.getTimerCount()).toBe(0);
});

test.each([{ scrub: { bytesPerSecond: 0 } }, { scrub: { restMs: -1 } }, { scrub: {}, readOnly: true }])("An option of a scrub that makes no sense is refused: %j", async (options) => {
  await expect(openDaybook({ storage: new RecordingStorage(), ...options })).rejects.toMatchObject({ code: "invalid_parameter" });
});
