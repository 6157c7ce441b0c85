import type { Daybook } from "daybook";
import { afterEach, describe, expect, test, vi } from "vitest";
import { LIMITS } from "../../src/core/base/limits.js";
import { daybookOf } from "../formats/arrow/stored-rows.js";

const DAY_MS = 86_400_000;
const events = Array.from({ length: 60 }, (_, at) => ({ name: "a", userId: `u${at % 3}`, createdAt: Date.UTC(2026, 1, 1) + Math.floor(at / 20) * DAY_MS + at }));

const READERS: [name: string, read: (daybook: Daybook) => AsyncIterable<unknown>][] = [
  ["recordBatches", (daybook) => daybook.recordBatches()],
  ["exportEvents", (daybook) => daybook.exportEvents()],
  ["exportArrow", (daybook) => daybook.exportArrow()],
];

/** An erasure that waits for what was read already. */
async function erasing({ privacyRequests }: Daybook): Promise<{ readonly done: Promise<unknown> }> {
  const { id } = await privacyRequests.create({ type: "erasure", subject: { userId: "u1" } });
  await privacyRequests.verify(id);
  await privacyRequests.acknowledge(id);
  const done = privacyRequests.resolve(id, "completed");
  done.catch(() => undefined);
  while ((await privacyRequests.list())[0]?.status !== "resolved") await new Promise((resolve) => setTimeout(resolve, 5));
  return { done };
}

describe("an export that nobody ends", () => {
  afterEach(() => void vi.useRealTimers());

  test.each(READERS)("%s throws closed once its store was closed, and so does an erasure that waited for it", async (_, read) => {
    const { daybook } = await daybookOf(events, 60);
    const iterator = read(daybook)[Symbol.asyncIterator]();
    await iterator.next();
    const { done } = await erasing(daybook);
    await daybook.close();
    await expect(done).rejects.toMatchObject({ code: "closed" });
    await expect(iterator.next()).rejects.toMatchObject({ code: "closed" });
    expect(await iterator.next()).toMatchObject({ done: true });
  });

  test.each(READERS)("%s keeps an erasure waiting no longer than nothing is asked of it", async (_, read) => {
    const { daybook } = await daybookOf(events, 60);
    const iterator = read(daybook)[Symbol.asyncIterator]();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    await iterator.next();
    const { done } = await erasing(daybook);
    vi.advanceTimersByTime(LIMITS.idleExportMs / 2);
    await iterator.next();
    vi.advanceTimersByTime(LIMITS.idleExportMs * 0.75);
    let isErased = false;
    void done.then(() => (isErased = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isErased).toBe(false);
    vi.advanceTimersByTime(LIMITS.idleExportMs);
    await expect(done).resolves.toMatchObject({ status: "resolved" });
    await expect(iterator.next()).rejects.toMatchObject({ code: "query_timeout" });
    expect(await daybook.countEvents()).toBe(40);
  });
});
