import { fixedClock, openDaybook, type Daybook } from "daybook";
import { powerLoss, seededRandom } from "daybook/testing";
import { expect, test } from "vitest";
import { Life, newFate } from "../crash/life.js";
import { nowMs, SECRET } from "../crash/acts.js";
import { storedSecret } from "../crash/stored-secret.js";
import { baseSeed, longStride, strideOf } from "../oracle/settings.js";
import type { Objects } from "./objects.js";
import { RecordingStorage } from "./recording-storage.js";
import { storedText } from "./stored-text.js";

const clock = fixedClock(nowMs);
const at = (day: number, minute: number) => Date.UTC(2026, 2, day) + minute * 60_000;
const SHOP = `${SECRET}-shop`;

/** One act of a store's life, whole days and cut ones, and the answers that tell whether it happened. */
const acts: readonly ((daybook: Daybook) => Promise<unknown>)[] = [
  (daybook) => daybook.ingest([
    { id: "1", name: "visit", project: SHOP, anonymousId: "device", userId: "ann", createdAt: at(1, 0), browser: SECRET },
    { id: "2", name: "visit", anonymousId: "device", createdAt: at(1, 1), url: "/a" },
    { id: "3", name: "visit", anonymousId: "device", createdAt: at(1, 2), url: "/b" },
  ]),
  (daybook) => daybook.seal(),
  (daybook) => daybook.ingest([{ id: "4", name: "visit", project: SHOP, userId: "bob", createdAt: at(2, 0) }, { id: "5", name: "visit", userId: "bob", createdAt: at(8, 0) }]),
  (daybook) => daybook.identify({ id: "i1", userId: "ann", anonymousId: "other", email: "ann@x.example", createdAt: at(1, 0) }),
  (daybook) => daybook.timeToLive.set(SHOP, { days: 30 }),
  (daybook) => daybook.deleteEvents({ before: new Date(at(1, 2)), project: "default" }),
  (daybook) => daybook.deleteProject(SHOP),
  (daybook) => daybook.timeToLive.set(null, { days: 7 }),
  (daybook) => daybook.timeToLive.sweep(),
];
/** Behind this one nothing of the secret is left. */
const LAST_SECRET_ACT = 7;

async function answersOf(daybook: Daybook): Promise<string> {
  const found = async (userId: string) => await daybook.identityProfile({ userId, startDate: "2026-01-01" }).catch((error: unknown) => (error as { code: string }).code);
  return JSON.stringify([
    (await daybook.searchEvents()).events,
    await daybook.countUniqueUsers(),
    [await found("ann"), await found("bob"), await found("device")],
    daybook.projects(),
    await daybook.timeToLive.list(),
  ]);
}

test("A process that dies at any operation of a deletion leaves it done or not done, and what was answered for is done.", async () => {
  const recording = new RecordingStorage();
  const moments: { objects: Objects; doneCount: number; operation: string }[] = [];
  const answers: string[] = [];
  let doneCount = 0;
  recording.recorded = ({ operation, objects }) => moments.push({ operation, objects, doneCount });
  const daybook = await openDaybook({ storage: recording, clock });
  answers.push(await answersOf(daybook));
  for (const act of acts) {
    await act(daybook);
    doneCount += 1;
    answers.push(await answersOf(daybook));
  }
  await daybook.close();
  // A seal changes no answer, and of Ann all was known that the record says.
  expect(new Set(answers).size).toBe(acts.length + 1 - 2);
  const deleting = moments.filter((moment) => moment.doneCount >= 4);
  expect(deleting.length).toBeGreaterThan(30);
  const stride = strideOf(10, 1);
  for (const { objects, doneCount, operation } of deleting.filter((_, at) => at % stride === baseSeed % stride)) {
    const storage = new RecordingStorage(objects);
    const survivor = await openDaybook({ storage, clock });
    const answer = await answersOf(survivor);
    expect([answers[doneCount], answers[doneCount + 1]], `after ${operation}, ${doneCount} acts done`).toContain(answer);
    await survivor.close();
    const again = await openDaybook({ storage, clock });
    expect(await answersOf(again)).toBe(answer);
    await again.close();
    if (answers.indexOf(answer) >= LAST_SECRET_ACT) expect(await storedText(storage), operation).not.toContain(SECRET);
  }
});

test("A loss of power at any operation of a deletion leaves it done or not done, and what was answered for is done for ever.", async () => {
  const random = seededRandom(baseSeed);
  const life = new Life(newFate(), 1, undefined, undefined, { random });
  await life.open();
  for (const act of acts.slice(0, 5)) await act(life.daybook);
  const before = await answersOf(life.daybook);
  life.record();
  life.keeper.stepBegun(1);
  await life.daybook.deleteProject(SHOP);
  life.keeper.stepDone(1);
  const after = await answersOf(life.daybook);
  await life.close();
  expect(life.moments.length).toBeGreaterThan(15);
  const lossCount = strideOf(1, 30 / longStride(2));
  const seen = new Set<string>();
  for (const { state, ledger, operation } of life.moments) {
    for (let loss = 0; loss < lossCount; loss += 1) {
      const lost = powerLoss(state, random);
      const isDone = ledger.request.done === 1;
      if (isDone) expect(storedSecret(lost), operation).toBeNull();
      const second = new Life(life.fate, 2, lost, undefined, { random });
      await second.open();
      const answer = await answersOf(second.daybook);
      expect(isDone ? [after] : [before, after], `power lost after ${operation}`).toContain(answer);
      if (answer === after) expect(storedSecret(second.disk.state()), operation).toBeNull();
      await second.close();
      seen.add(answer);
    }
  }
  expect(seen.size).toBe(2);
});

test("A deletion of which any one operation fails is done or not done, leaves no file behind, and can be tried again while the store takes writes.", async () => {
  const filled = new RecordingStorage();
  const filling = await openDaybook({ storage: filled, clock });
  for (const act of acts.slice(0, 5)) await act(filling);
  await filling.close();
  const attempt = async (failing: number) => {
    const storage = new RecordingStorage(filled.objects);
    const daybook = await openDaybook({ storage, clock });
    const before = await answersOf(daybook);
    let count = 0;
    storage.before = (operation) => {
      count += 1;
      if (count === failing) throw new Error(`no ${operation}`);
    };
    const isDone = await daybook.deleteProject(SHOP).then(() => true, () => false);
    storage.before = () => undefined;
    return { storage, daybook, before, count, isDone };
  };
  const { count, isDone, daybook, before } = await attempt(Infinity);
  const after = await answersOf(daybook);
  await daybook.close();
  expect([isDone, after === before]).toEqual([true, false]);
  expect(count).toBeGreaterThan(15);
  const seen = { failed: 0, triedAgain: 0 };
  const stride = strideOf(4, 1);
  for (let failing = 1 + (baseSeed % stride); failing <= count; failing += stride) {
    const tried = await attempt(failing);
    const answer = await answersOf(tried.daybook);
    expect(tried.isDone ? [after] : [before, after], `operation ${failing}`).toContain(answer);
    if (!tried.isDone) seen.failed += 1;
    const isTriedAgain = answer === before && tried.daybook.health === "ok";
    if (isTriedAgain) {
      const files = await tried.storage.list("segments/");
      expect(files.length, `operation ${failing}`).toBe((await tried.daybook.stats()).segmentCount);
      await tried.daybook.deleteProject(SHOP);
      seen.triedAgain += 1;
    }
    await tried.daybook.close();
    const again = await openDaybook({ storage: tried.storage, clock });
    const kept = await answersOf(again);
    // Where writing ended, the manifest may stand or not.
    expect(isTriedAgain || answer === after ? [after] : [before, after]).toContain(kept);
    await again.close();
    if (kept === after) expect(await storedText(tried.storage), `operation ${failing}`).not.toContain(SECRET);
  }
  expect(seen.failed).toBeGreaterThan(3);
  expect(seen.triedAgain).toBeGreaterThan(2);
});
