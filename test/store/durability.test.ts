import { DaybookError, fixedClock, openDaybook } from "daybook";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RecordingStorage } from "./recording-storage.js";

const clock = fixedClock(1_000_000);
const event = (id: string) => ({ id, name: id, createdAt: new Date(5) });

function journalSyncs(storage: RecordingStorage): number {
  return storage.operations.filter((operation) => operation.startsWith("sync journal/")).length;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('durability "disk"', () => {
  test("answers an ingest after one sync of the journal, and ingests of one moment after one together", async () => {
    const storage = new RecordingStorage();
    const daybook = await openDaybook({ storage, clock });
    const before = journalSyncs(storage);
    await daybook.ingest([event("a")]);
    expect(journalSyncs(storage) - before).toBe(1);
    await Promise.all(["b", "c", "d"].map((id) => daybook.ingest([event(id)])));
    expect(journalSyncs(storage) - before).toBe(2);
  });

  test("shows no event that is not durable", async () => {
    const storage = new RecordingStorage();
    const daybook = await openDaybook({ storage, clock });
    await daybook.ingest([event("a")]);
    storage.before = (operation) => {
      if (operation.startsWith("sync journal/")) throw new Error("broken disk");
    };
    await expect(daybook.ingest([event("b")])).rejects.toMatchObject({ code: "read_only" });
    expect(await daybook.countEvents()).toBe(1);
    expect([daybook.health, (await daybook.stats()).health]).toEqual(["read_only", "read_only"]);
    await expect(daybook.ingest([event("c")])).rejects.toMatchObject({ code: "read_only" });
    storage.before = () => undefined;
    await daybook.close();
    const again = await openDaybook({ storage, clock });
    const { accepted, duplicates } = await again.ingest([event("b"), event("c")]);
    expect(accepted + duplicates).toBe(2);
    expect(await again.countEvents()).toBe(3);
  });

  test("takes writes again when there is space again", async () => {
    const storage = new RecordingStorage();
    const daybook = await openDaybook({ storage, clock });
    storage.before = (operation) => {
      if (operation.startsWith("append")) throw new DaybookError("storage_full", "no space");
    };
    await expect(daybook.ingest([event("a")])).rejects.toMatchObject({ code: "storage_full" });
    expect(await daybook.countEvents()).toBe(0);
    storage.before = () => undefined;
    expect(await daybook.ingest([event("a")])).toMatchObject({ accepted: 1, duplicates: 0 });
    const again = await openDaybook({ storage: new RecordingStorage(storage.objects), clock });
    expect(await again.countEvents()).toBe(1);
  });
});

describe("what was cut off a journal", () => {
  test("is durably gone before the next journal takes rows: it would come back in their place", async () => {
    const storage = new RecordingStorage();
    const daybook = await openDaybook({ storage, clock });
    await daybook.ingest([event("a")]);
    const [journal = ""] = [...storage.objects.keys()].filter((key) => key.startsWith("journal/"));
    storage.before = (operation) => {
      if (operation.startsWith("append")) throw new Error("broken disk");
    };
    await expect(daybook.ingest([event("b")])).rejects.toThrow("broken disk");
    storage.before = () => undefined;
    await Promise.all([daybook.seal(), daybook.ingest([event("c")])]);
    const { operations } = storage;
    const cut = operations.indexOf(`truncate ${journal}`);
    const synced = operations.indexOf(`sync ${journal}`, cut);
    const nextRows = operations.findLastIndex((operation) => operation.startsWith("append journal/"));
    expect([cut, synced, nextRows].every((at) => at > 0) && cut < synced && synced < nextRows).toBe(true);
  });
});

describe('durability "os"', () => {
  test("answers after the write, and syncs within a second", async () => {
    const storage = new RecordingStorage();
    const daybook = await openDaybook({ storage, clock, durability: "os" });
    const before = journalSyncs(storage);
    await daybook.ingest([event("a")]);
    await daybook.ingest([event("b")]);
    expect(journalSyncs(storage)).toBe(before);
    expect(await (await openDaybook({ storage: new RecordingStorage(storage.objects), clock })).countEvents()).toBe(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(journalSyncs(storage)).toBe(before + 1);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(journalSyncs(storage)).toBe(before + 1);
  });

  test("syncs a journal before the next one takes rows", async () => {
    const storage = new RecordingStorage();
    const daybook = await openDaybook({ storage, clock, durability: "os" });
    await daybook.ingest([event("a")]);
    const [journal] = [...storage.objects.keys()].filter((key) => key.startsWith("journal/"));
    await daybook.seal();
    await daybook.ingest([event("b")]);
    const { operations } = storage;
    const nextRows = operations.findLastIndex((operation) => operation.startsWith("append journal/"));
    const synced = operations.lastIndexOf(`sync ${journal}`);
    expect(synced).toBeGreaterThan(operations.lastIndexOf(`append ${journal}`));
    expect(synced).toBeLessThan(nextRows);
  });

  test("tells the next ingest when the sync in the background failed", async () => {
    const storage = new RecordingStorage();
    const daybook = await openDaybook({ storage, clock, durability: "os" });
    await daybook.ingest([event("a")]);
    storage.before = (operation) => {
      if (operation.startsWith("sync journal/")) throw new Error("broken disk");
    };
    await vi.advanceTimersByTimeAsync(1_000);
    expect(daybook.health).toBe("read_only");
    await expect(daybook.ingest([event("b")])).rejects.toMatchObject({ code: "read_only" });
    expect(await daybook.countEvents()).toBe(1);
  });
});

describe("a reader beside a writer", () => {
  test("takes no lock, sees what was durable when it opened, and refuses writes", async () => {
    const storage = new RecordingStorage();
    const writer = await openDaybook({ storage, clock });
    await writer.ingest([event("a"), event("b")]);
    const reader = await openDaybook({ storage, clock, readOnly: true });
    await writer.ingest([event("c")]);
    const operationCount = storage.operations.length;
    expect([await reader.countEvents(), await writer.countEvents()]).toEqual([2, 3]);
    expect(reader.health).toBe("read_only");
    await expect(reader.ingest([event("d")])).rejects.toMatchObject({ code: "read_only" });
    await expect(reader.createProject("p")).rejects.toMatchObject({ code: "read_only" });
    await reader.close();
    expect(storage.operations.length).toBe(operationCount);
    expect(await (await openDaybook({ storage, clock, readOnly: true })).countEvents()).toBe(3);
  });
});
