import { fixedClock, openDaybook, type Daybook, type EventInput, type Storage } from "daybook";
import { seededRandom } from "daybook/testing";
import { describe, expect, test } from "vitest";
import { MANIFEST_KEY } from "../../src/store/files/manifest.js";
import { allPages } from "../oracle/answers.js";
import { baseSeed, nowMs, strideOf } from "../oracle/settings.js";
import type { Objects } from "./objects.js";
import { RecordingStorage, wholeObjectsOnly } from "./recording-storage.js";

const clock = fixedClock(nowMs);
const dayMs = 86_400_000;

/** A moment at which the process might have died: what was stored, which events were answered for, which were under way. */
interface Moment {
  readonly operation: string;
  readonly objects: Objects;
  readonly accepted: readonly EventInput[];
  readonly underWay: readonly EventInput[];
}

function batches(): EventInput[][] {
  const random = seededRandom(baseSeed);
  return Array.from({ length: 9 }, (_, batch) =>
    Array.from({ length: 6 }, (_, index) => ({
      id: `e${batch}-${index}`,
      name: random.pick(["open", "close", "größe"]),
      createdAt: nowMs - Math.floor(random.next() * 3) * dayMs - batch * 1_000 - index,
      anonymousId: `d${Math.floor(random.next() * 4)}`,
      userId: random.chance(0.5) ? `u${Math.floor(random.next() * 4)}` : null,
      metadata: { n: index, [`k${batch % 3}`]: `v${batch}` },
    })),
  );
}

/** Everything a store does in its life: opens, ingests, seals, compacts, projects, closes, opens again. */
async function live(recording: RecordingStorage, moments: Moment[], storage: Storage = recording): Promise<void> {
  let accepted: readonly EventInput[] = [];
  let underWay: readonly EventInput[] = [];
  recording.recorded = ({ operation, objects }) => moments.push({ operation, objects, accepted, underWay });
  const ingest = async (daybook: Daybook, batch: readonly EventInput[]) => {
    underWay = batch;
    await daybook.ingest(batch);
    accepted = [...accepted, ...batch];
    underWay = [];
  };
  const [first = [], second = [], third = [], ...rest] = batches();
  let daybook = await openDaybook({ storage, clock });
  await ingest(daybook, first);
  await ingest(daybook, second);
  await daybook.createProject("empty");
  await daybook.close();
  daybook = await openDaybook({ storage, clock });
  await ingest(daybook, third);
  // More seals than a day keeps segments, so that days are compacted.
  for (const batch of rest) {
    await ingest(daybook, batch);
    await daybook.seal();
  }
  await daybook.close();
}

/** Every answer that depends on what survived, as one text. */
async function answersOf(daybook: Daybook): Promise<string> {
  const answers = [
    await allPages(daybook, {}, 20),
    await daybook.countUniqueUsersPerDay(),
    await daybook.aggregate({ metadataField: "k1" }),
    await daybook.countEvents({ userId: "u1" }),
  ];
  return JSON.stringify(answers);
}

const expectedTexts = new Map<string, Promise<string>>();

/** The answers that a store of these events gives. */
function expected(events: readonly EventInput[]): Promise<string> {
  const key = events.map((event) => event.id).join();
  const known = expectedTexts.get(key);
  if (known !== undefined) return known;
  const made = (async () => {
    const daybook = await openDaybook({ storage: new RecordingStorage(), clock });
    await daybook.ingest(events);
    return await answersOf(daybook);
  })();
  expectedTexts.set(key, made);
  return made;
}

/** Whether a store shows what was accepted, or that and the whole batch that was under way. */
async function check(daybook: Daybook, { accepted, underWay, operation }: Moment, where: string): Promise<string> {
  const answers = await answersOf(daybook);
  const allowed = [await expected(accepted), await expected([...accepted, ...underWay])];
  if (!allowed.includes(answers)) expect.fail(`after ${operation}${where}: ${answers.slice(0, 400)}`);
  return answers;
}

/** The default suite tries one moment in so many, the long one all of them. */
const STRIDE = strideOf(18, 1);

function tried(moments: readonly Moment[]): readonly Moment[] {
  return moments.filter((_, at) => at % STRIDE === baseSeed % STRIDE);
}

describe("a process that dies", () => {
  test("after or within any operation leaves a store that opens with every accepted event, and goes on", async () => {
    const moments: Moment[] = [];
    await live(new RecordingStorage(), moments);
    const operations = moments.map((moment) => moment.operation);
    for (const needed of ["torn append journal/", "write segments/", "write dictionaries/", "write MANIFEST", "remove segments/", "remove journal/"])
      expect(operations.some((operation) => operation.startsWith(needed)), needed).toBe(true);
    expect(moments.length).toBeGreaterThan(80);
    for (const moment of tried(moments)) {
      const storage = new RecordingStorage(moment.objects);
      const daybook = await openDaybook({ storage, clock });
      const answers = await check(daybook, moment, "");
      await daybook.ingest(moment.underWay);
      expect(await answersOf(daybook)).toBe(await expected([...moment.accepted, ...moment.underWay]));
      await daybook.close();
      const again = await openDaybook({ storage, clock });
      expect(await answersOf(again)).toBe(await expected([...moment.accepted, ...moment.underWay]));
      expect(answers.length).toBeGreaterThan(0);
      await again.close();
    }
  }, 120_000);

  test("leaves every accepted event on a storage that takes whole objects only", async () => {
    const moments: Moment[] = [];
    const recording = new RecordingStorage();
    await live(recording, moments, wholeObjectsOnly(recording));
    expect(moments.some(({ operation }) => operation.startsWith("write journal/"))).toBe(true);
    for (const moment of tried(moments)) {
      const storage = wholeObjectsOnly(new RecordingStorage(moment.objects));
      const daybook = await openDaybook({ storage, clock });
      await check(daybook, moment, "");
      await daybook.ingest(moment.underWay);
      await daybook.close();
      const again = await openDaybook({ storage, clock });
      expect(await answersOf(again)).toBe(await expected([...moment.accepted, ...moment.underWay]));
    }
  }, 120_000);

  test("again while the store is opened, after any operation of that, changes no answer", async () => {
    const moments: Moment[] = [];
    await live(new RecordingStorage(), moments);
    let secondCount = 0;
    for (const moment of tried(moments)) {
      const opening = new RecordingStorage(moment.objects);
      const daybook = await openDaybook({ storage: opening, clock });
      const answers = await answersOf(daybook);
      for (const { operation, objects } of opening.states) {
        const survivor = await openDaybook({ storage: new RecordingStorage(objects), clock });
        expect(await check(survivor, moment, `, then ${operation}`)).toBe(answers);
        secondCount += 1;
      }
    }
    expect(secondCount).toBeGreaterThan(300 / STRIDE);
  }, 120_000);

  test("is no concern of a reader: read-only, each moment shows what was accepted and nothing is written", async () => {
    const moments: Moment[] = [];
    await live(new RecordingStorage(), moments);
    for (const moment of tried(moments)) {
      const storage = new RecordingStorage(moment.objects);
      if (!moment.objects.has(MANIFEST_KEY)) {
        await expect(openDaybook({ storage, clock, readOnly: true })).rejects.toMatchObject({ code: "manifest_missing" });
        continue;
      }
      const daybook = await openDaybook({ storage, clock, readOnly: true });
      await check(daybook, moment, ", read-only");
      await daybook.close();
      expect(storage.operations).toEqual([]);
    }
  }, 120_000);
});
