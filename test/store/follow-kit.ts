import { fixedClock, openDaybook, type Daybook, type DaybookOptions, type Storage } from "daybook";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";

export const nowMs = Date.UTC(2026, 2, 5);
const DAY_MS = 86_400_000;
/** A follower shows within this what its writer acknowledged. */
const WITHIN_MS = 1_000;

/** Opens a Daybook that is closed when the test ends. */
export async function open(storage: Storage, options: Partial<DaybookOptions> = {}): Promise<Daybook> {
  const daybook = await openDaybook({ storage, clock: fixedClock(nowMs), ...options });
  onTestFinished(() => daybook.close());
  return daybook;
}

export function follow(storage: Storage): Promise<Daybook> {
  return open(storage, { readOnly: true, follow: true });
}

export async function emptyDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "daybook-follow-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Events of a name, each of a day and a person of its own. */
export async function ingest(daybook: Daybook, name: string, count: number, more: object = {}): Promise<void> {
  await daybook.ingest(Array.from({ length: count }, (_, at) => ({ name, userId: `user ${at}`, createdAt: nowMs - at * DAY_MS, metadata: { [name]: at }, ...more })));
}

export async function erase(daybook: Daybook, userId: string): Promise<void> {
  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId } });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  await daybook.privacyRequests.resolve(id, "completed");
}

export async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** All that a Daybook shows, in short: events, records, people, companies, projects, segments, requests and rules. */
async function shownBy(daybook: Daybook): Promise<unknown> {
  const { eventCount, firstDay, lastDay } = await daybook.stats();
  return {
    events: await listOf(daybook.exportEvents({ identityIds: true })),
    records: await listOf(daybook.exportRecords()),
    stats: [eventCount, firstDay, lastDay],
    names: await daybook.aggregate({ field: "name" }),
    users: await daybook.countUniqueUsersPerDay(),
    companies: await daybook.topCompanies(),
    sessions: await daybook.sessionsOverview(),
    retention: await daybook.retention(),
    segments: await daybook.segments.list(),
    requests: await daybook.privacyRequests.list(),
    rules: await daybook.timeToLive.list(),
    projects: daybook.projects(),
  };
}

/** Waits, no longer than a follower may take, until it shows what the writer shows. */
export async function expectSame(follower: Daybook, writer: Daybook, what = ""): Promise<void> {
  const expected = await shownBy(writer);
  const endMs = performance.now() + WITHIN_MS;
  for (;;) {
    const isLast = performance.now() > endMs;
    const found = await shownBy(follower);
    if (JSON.stringify(found) === JSON.stringify(expected)) return;
    if (isLast) return expect(found, what).toEqual(expected);
    await sleep(20);
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
