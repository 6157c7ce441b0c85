import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Daybook } from "daybook";
import { Profile, startWorker } from "./opfs/profile.js";
import type { Lab } from "./opfs/worker.js";

declare const lab: Lab;
/** Of a worker in which `openWriter` ran. */
declare const daybook: Daybook;

let profile: Profile;
beforeAll(async () => {
  profile = await Profile.open();
});
afterAll(() => profile.close());

/** Opens a store for writing, with an event in it, and keeps it open. */
const openWriter = async (store: string) => {
  const opened = await lab.openDaybook({ storage: lab.opfsStorage(store) });
  await opened.ingest([{ id: "first", name: "page_view", createdAt: Date.UTC(2026, 2, 2) }]);
  Object.assign(globalThis, { daybook: opened });
};

/** How many events somebody finds who only reads. */
const countBeside = async (store: string) => {
  const reader = await lab.openDaybook({ storage: lab.opfsStorage(store), readOnly: true });
  const count = await reader.countEvents({ startDate: "2026-01-01" });
  await reader.close();
  return count;
};

/** Why a store does not open for writing; null where it does. */
const refusal = async (store: string) => {
  try {
    await (await lab.openDaybook({ storage: lab.opfsStorage(store) })).close();
    return null;
  } catch (error) {
    return error instanceof Error && "code" in error ? `${String(error.code)}: ${error.message}` : String(error);
  }
};

describe("of two tabs", () => {
  test("one writes, and the other hears so; it may once the first is gone, closed or killed", async () => {
    const [first, second] = [await profile.tab(), await profile.tab()];
    await first.worker.evaluate(openWriter, "two");
    expect(await second.worker.evaluate(refusal, "two")).toMatch(/^store_locked: the store two is already open in this or another tab/);
    await first.page.close();
    await expect.poll(() => second.worker.evaluate(refusal, "two")).toBe(null);
    await second.worker.evaluate(openWriter, "two");
    await profile.killTabs();
    const third = await profile.tab();
    await expect.poll(() => third.worker.evaluate(refusal, "two")).toBe(null);
    expect(await third.worker.evaluate(countBeside, "two")).toBe(1);
  });

  test("the one that reads sees what is sealed and what is not, in its worker and in its page", async () => {
    const [writer, reader] = [await profile.tab(), await profile.tab()];
    await writer.worker.evaluate(openWriter, "read");
    expect(await reader.worker.evaluate(countBeside, "read")).toBe(1);
    await reader.equipPage();
    expect(await reader.page.evaluate(countBeside, "read")).toBe(1);
    expect(await reader.page.evaluate(refusal, "read")).toMatch(/^not_supported: .*can write only in a dedicated worker/);
  });

  test("the one that reads again and again finds all that was acknowledged before, however fast the other writes and seals", async () => {
    const [writer, reader] = [await profile.tab(), await profile.tab()];
    await writer.worker.evaluate(openWriter, "busy");
    await writer.worker.evaluate(() => {
      const state = { acknowledged: 1, error: "", stop: false };
      const write = async () => {
        for (let at = 0; !state.stop; at += 1) {
          await daybook.ingest([{ id: `${at}`, name: "page_view", createdAt: Date.UTC(2026, 2, 2) + at }]);
          state.acknowledged += 1;
          if (at % 300 === 299) await daybook.seal();
        }
      };
      Object.assign(globalThis, { state });
      void write().catch((error: unknown) => (state.error = String(error)));
    });
    await reader.equipPage();
    for (let round = 0; round < 10; round += 1) {
      const before = await writer.worker.evaluate("state.acknowledged");
      const found = round % 2 === 0 ? await reader.worker.evaluate(countBeside, "busy") : await reader.page.evaluate(countBeside, "busy");
      expect(found).toBeGreaterThanOrEqual(Number(before));
    }
    expect(await writer.worker.evaluate("state.stop = true, state.error")).toBe("");
  });

  test("the one whose lock was stolen acknowledges nothing any more once the browser has told it", async () => {
    const [first, second] = [await profile.tab(), await profile.tab()];
    await first.worker.evaluate(openWriter, "stolen");
    await second.worker.evaluate(() => navigator.locks.request("daybook:stolen", { steal: true }, () => undefined));
    const ingest = () => daybook.ingest([{ id: "late", name: "page_view", createdAt: new Date(0) }]).then(() => "stored", String);
    // The browser tells another process of it in a message of its own.
    await expect.poll(() => first.worker.evaluate(ingest)).toMatch(/another process has taken over the store/);
    expect(await first.worker.evaluate(ingest)).toMatch(/another process has taken over the store/);
  });
});

test("a tab that is reloaded has its store again at once, with its events", async () => {
  const { page, worker } = await profile.tab();
  await worker.evaluate(openWriter, "reloaded");
  for (let round = 0; round < 5; round += 1) {
    await page.reload();
    const next = await startWorker(page);
    await next.evaluate(openWriter, "reloaded");
    expect(await next.evaluate(() => daybook.countEvents({ startDate: "2026-01-01" }))).toBe(1);
  }
});

test("events survive the end of the browser, and a store that nobody made is not made by reading", async () => {
  await (await profile.tab()).worker.evaluate(openWriter, "restarted");
  await profile.restart();
  const { worker } = await profile.tab();
  expect(await worker.evaluate(countBeside, "restarted")).toBe(1);
  const code = await worker.evaluate(() => lab.openDaybook({ storage: lab.opfsStorage("nobody"), readOnly: true }).catch((error: { code: string }) => error.code));
  const names = await worker.evaluate(async () => {
    const found: string[] = [];
    for await (const name of (await navigator.storage.getDirectory()).keys()) found.push(name);
    return found;
  });
  expect([code, names.includes("restarted"), names.includes("nobody")]).toEqual(["manifest_missing", true, false]);
});
