import { DaybookError, fixedClock, memoryStorage, openDaybook, type Daybook, type DaybookOptions, type Storage } from "daybook";
import { fileStorage } from "daybook/node";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { lastingMemory } from "./objects.js";
import { wholeObjectsOnly } from "./recording-storage.js";

const nowMs = Date.UTC(2026, 2, 5);
const clock = fixedClock(nowMs);
const WITHIN_MS = 1_000;

async function open(storage: Storage, options: Partial<DaybookOptions> = {}): Promise<Daybook> {
  const daybook = await openDaybook({ storage, clock, ...options });
  onTestFinished(() => daybook.close());
  return daybook;
}

const follow = (storage: Storage, options: Partial<DaybookOptions> = {}) => open(storage, { readOnly: true, follow: true, ...options });

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "daybook-follow-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function ingest(daybook: Daybook, name: string, count: number, more: object = {}): Promise<void> {
  await daybook.ingest(Array.from({ length: count }, (_, at) => ({ name, userId: `user ${at}`, createdAt: nowMs - at * 86_400_000, metadata: { [name]: at }, ...more })));
}

async function erase(daybook: Daybook, userId: string): Promise<void> {
  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId } });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  await daybook.privacyRequests.resolve(id, "completed");
}

/** Everything that can be asked in short: events, records, people, projects, segments and rules. */
async function shown(daybook: Daybook): Promise<unknown> {
  const events = [];
  for await (const event of daybook.exportEvents({ identityIds: true })) events.push(event);
  const records = [];
  for await (const record of daybook.exportRecords()) records.push(record);
  const { eventCount, firstDay, lastDay } = await daybook.stats();
  const answers = await Promise.all([
    daybook.aggregate({ field: "name" }), daybook.countUniqueUsersPerDay(), daybook.topCompanies(), daybook.sessionsOverview(), daybook.retention(),
    daybook.segments.list(), daybook.privacyRequests.list(), daybook.timeToLive.list(),
  ]);
  return [events, records, [eventCount, firstDay, lastDay], answers, daybook.projects()];
}

/** Waits until a follower shows what the writer does, for the second that it has. */
async function expectSame(follower: Daybook, writer: Daybook): Promise<void> {
  const expected = await shown(writer);
  const endMs = performance.now() + WITHIN_MS;
  for (;;) {
    const found = await shown(follower);
    if (JSON.stringify(found) === JSON.stringify(expected)) return;
    if (performance.now() > endMs) return expect(found).toEqual(expected);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const PLACES: Record<string, () => Promise<{ readonly writing: Storage; readonly reading: Storage }>> = {
  "memory with a journal": async () => {
    const storage = lastingMemory();
    return { writing: storage, reading: storage };
  },
  "memory without": async () => {
    const storage = memoryStorage();
    return { writing: storage, reading: storage };
  },
  files: async () => {
    const path = await directory();
    return { writing: fileStorage(path), reading: fileStorage(path) };
  },
  "whole objects only": async () => {
    const storage = wholeObjectsOnly(lastingMemory());
    return { writing: storage, reading: storage };
  },
};

describe.each(Object.keys(PLACES))("A follower, in %s,", (name) => {
  test("shows within a second what its writer commits, seals, compacts, erases and deletes, and answers the same", async () => {
    const place = PLACES[name];
    if (place === undefined) throw new Error(name);
    const { writing, reading } = await place();
    const writer = await open(writing);
    const follower = await follow(reading);
    await expectSame(follower, writer);
    await ingest(writer, "first", 5);
    await expectSame(follower, writer);
    await writer.identify({ userId: "user 1", anonymousId: "a 1", email: "one@example.org", traits: { plan: "pro" } });
    await writer.group({ userId: "user 1", companyId: "acme", traits: { size: 3 } });
    await ingest(writer, "second", 3, { anonymousId: "a 2", companyId: "acme" });
    await writer.createProject("empty");
    await expectSame(follower, writer);
    await writer.seal();
    await expectSame(follower, writer);
    for (let round = 0; round < 6; round += 1) {
      await ingest(writer, `round ${round}`, 4, { project: "shop" });
      if (round % 2 === 0) await writer.alias({ userId: "user 3", fromUserId: `a ${round}` } as never).catch(() => undefined);
      await writer.identify({ userId: `only a record ${round}`, email: `${round}@example.org` });
      await writer.seal();
    }
    await expectSame(follower, writer);
    await writer.segments.put("pro", { groups: [[{ did: "first" }]] } as never).catch(() => undefined);
    await writer.timeToLive.set("shop", { days: 300 });
    await ingest(writer, "gone", 3, { userId: "gone", anonymousId: "gone too" });
    await writer.identify({ userId: "gone", email: "gone@example.org" });
    await erase(writer, "gone");
    await ingest(writer, "third", 2);
    await expectSame(follower, writer);
    await erase(writer, "user 1");
    await expectSame(follower, writer);
    await writer.deleteEvents({ before: new Date(nowMs - 86_400_000).toISOString() });
    await ingest(writer, "fourth", 2, { anonymousId: "a 1" });
    await expectSame(follower, writer);
    await writer.deleteProject("shop");
    await expectSame(follower, writer);
    await writer.close();
    const again = await open(writing);
    await ingest(again, "fifth", 7);
    await expectSame(follower, again);
    await expect(follower.ingest([{ name: "x" }])).rejects.toMatchObject({ code: "read_only" });
    expect(follower.health).toBe("read_only");
  });
});

test("unused", () => {
  expect(DaybookError).toBeDefined();
});
