import type { Worker } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LIMITS } from "../../src/core/base/limits.js";
import { BATCH_ROW_COUNT, GONE, type Sighting } from "./opfs/followed.js";
import { Profile } from "./opfs/profile.js";
import type { Lab } from "./opfs/worker.js";

declare const lab: Lab;

/** What a writer acknowledged is in every answer to a query that is asked later than this. */
const WITHIN_MS = 1_000;
const SLOW = { batchCount: 16, pauseMs: 60 };
const FAST = { batchCount: 100, pauseMs: 0 };
/** A day that has more segments is compacted. */
const SEGMENTS_OF_A_DAY = 4;

let profile: Profile;
beforeAll(async () => {
  profile = await Profile.open();
});
afterAll(() => profile.close());

/** What is wrong with what a follower saw, in order. */
function faultsOf(seen: readonly Sighting[], acknowledged: readonly Sighting[]): string[] {
  const faults: string[] = [];
  let former: Sighting["counts"] = {};
  for (const { atMs, counts } of seen) {
    for (const [name, count] of Object.entries(counts)) if (count % BATCH_ROW_COUNT !== 0) faults.push(`${count} events of ${name}`);
    for (const [name, count] of Object.entries(former)) {
      const now = counts[name] ?? 0;
      if (now < count && !(name === GONE && now === 0)) faults.push(`${now} events of ${name} after ${count}`);
    }
    for (const due of acknowledged.filter((one) => one.atMs < atMs - WITHIN_MS))
      for (const [name, count] of Object.entries(due.counts)) {
        const now = counts[name] ?? 0;
        if (now < count) faults.push(`${now} events of ${name}, and ${count} were acknowledged ${atMs - due.atMs} ms before`);
      }
    former = counts;
  }
  return faults;
}

test("a tab that follows, in a worker or in its page, sees all that the one which writes does, and goes on when that one is killed", async () => {
  const [first, second, inWorker, inPage] = [await profile.tab(), await profile.tab(), await profile.tab(), await profile.tab()];
  await inPage.equipPage();
  const followers: readonly Pick<Worker, "evaluate">[] = [inWorker.worker, inPage.page];
  const expectSame = async (writer: typeof first) => {
    const answersOf = (place: Pick<Worker, "evaluate">) => place.evaluate(() => lab.followed.answersOfFollowed());
    const expected = await answersOf(writer.worker);
    for (const follower of followers) await expect.poll(() => answersOf(follower), { timeout: 5_000 }).toBe(expected);
  };
  const expectFaultless = async (acknowledged: readonly Sighting[]) => {
    for (const follower of followers) {
      const seen = await follower.evaluate(() => lab.followed.seenByFollower());
      expect(seen.length).toBeGreaterThan(SLOW.batchCount);
      expect(faultsOf(seen, acknowledged)).toEqual([]);
    }
  };

  expect(await first.worker.evaluate(() => lab.followed.openFollowed("followed"))).toBe(true);
  for (const follower of followers) await follower.evaluate(() => lab.followed.follow("followed"));
  const acknowledged = await first.worker.evaluate(({ batchCount, pauseMs }) => lab.followed.writeFollowed("first", batchCount, pauseMs), SLOW);
  await expectSame(first);
  await first.worker.evaluate(() => lab.followed.eraseFollowed());
  await expectSame(first);
  await expectFaultless(acknowledged);
  expect(await first.worker.evaluate(() => lab.followed.segmentCountOfFollowed())).toBeLessThanOrEqual(SEGMENTS_OF_A_DAY);

  expect(await second.worker.evaluate(() => lab.followed.openFollowed("followed"))).toBe(false);
  await profile.kill(first.page);
  await expect.poll(() => second.worker.evaluate(() => lab.followed.openFollowed("followed"))).toBe(true);
  const later = await second.worker.evaluate(({ batchCount, pauseMs }) => lab.followed.writeFollowed("second", batchCount, pauseMs), FAST);
  await expectSame(second);
  await expectFaultless([...acknowledged.slice(-1), ...later]);
});

test("a query whose file the writer takes away before it is read begins anew, an export does not, and the writer waits for neither", async () => {
  const [writer, follower] = [await profile.tab(), await profile.tab()];
  await writer.worker.evaluate(() => lab.followed.openFollowed("halting"));
  await writer.worker.evaluate(() => lab.followed.writeLarge());
  const asked = new Promise<void>((resolve) => follower.onLine((line) => line === "asked" && resolve()));
  const outcomes = follower.worker.evaluate(() => lab.followed.followHaltingly("halting"));
  await asked;
  await writer.worker.evaluate(() => lab.followed.eraseFollowed());
  await follower.worker.evaluate(() => void dispatchEvent(new Event("erased")));
  expect(await outcomes).toEqual([900, "corruption"]);
});

test("a tab that asks nothing is told of each change at once, and not only when it would have looked by itself", async () => {
  const [writer, follower] = [await profile.tab(), await profile.tab()];
  const heard = new Set<string>();
  follower.onLine((line) => void heard.add(line));
  await writer.worker.evaluate(() => lab.followed.openFollowed("told"));
  follower.worker.evaluate(() => lab.followed.followChanges("told")).catch(() => undefined);
  for (let batch = 0; batch < 4; batch += 1) {
    const sequence = await writer.worker.evaluate((at) => lab.followed.writeOne(`${at}`), batch);
    await expect.poll(() => heard.has(`changed ${sequence}`), { timeout: LIMITS.followUnreportedMs / 2, interval: 20 }).toBe(true);
  }
});
