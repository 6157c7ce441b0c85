import { describe, expect, it } from "vitest";
import { fixedClock, openDaybook } from "../../src/index.js";
import type { Daybook } from "../../src/index.js";
import { diskReserve, fileStorage } from "../../src/platform/node/index.js";
import { RESERVE_NAME } from "../../src/platform/node/disk-reserve.js";
import type { DiskOperation, Faults } from "../../src/testing/index.js";
import { ROOT, SimulatedDisk } from "../../src/testing/simulated-disk.js";
import { SimulatedFileSystem } from "../../src/testing/simulated-file-system.js";

const NOW_MS = Date.parse("2026-03-10T12:00:00.000Z");
const RESERVE_BYTES = 256 * 1024;

/** Bytes of all files that have a name. */
function usedBytes(disk: SimulatedDisk, directory = ROOT): number {
  let sum = 0;
  for (const node of disk.directory(directory).current.values()) sum += disk.isDirectory(node) ? usedBytes(disk, node) : disk.file(node).current.length;
  return sum;
}

/** A disk that somebody else may fill. */
class SmallDisk {
  readonly disk = new SimulatedDisk();
  /** From here on nothing that needs room is taken; a rewritten file may reach a little over. */
  capacity = Infinity;

  readonly #faults: Faults = ({ kind }: DiskOperation) => (kind === "write" && usedBytes(this.disk) >= this.capacity ? { errno: "ENOSPC" } : null);

  async open(reserves = true): Promise<Daybook> {
    const fileSystem = new SimulatedFileSystem(this.disk, { faults: this.#faults });
    const reserve = diskReserve("/data", { byteLength: RESERVE_BYTES, fileSystem });
    return await openDaybook({ storage: fileStorage("/data", { fileSystem, ...(reserves ? { reserve } : {}) }), clock: fixedClock(NOW_MS) });
  }

  fill(): void {
    this.capacity = usedBytes(this.disk);
  }

  get reserveBytes(): number {
    const node = this.disk.nodeAt(`/data/${RESERVE_NAME}`);
    return node === undefined ? 0 : this.disk.file(node).current.length;
  }
}

async function filled(reserves = true): Promise<{ small: SmallDisk; daybook: Daybook }> {
  const small = new SmallDisk();
  const daybook = await small.open(reserves);
  await daybook.ingest(["ann", "bob", "eve"].map((userId, at) => ({ name: "a", userId, project: at === 2 ? "site" : "shop", createdAt: NOW_MS - 1_000 })));
  await daybook.seal();
  await daybook.ingest([{ name: "b", userId: "ann", createdAt: NOW_MS - 900 }]);
  small.fill();
  return { small, daybook };
}

async function erase(daybook: Daybook, userId: string): Promise<unknown> {
  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId } });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  return (await daybook.privacyRequests.resolve(id, "completed")).receipt;
}

const codeOf = (act: Promise<unknown>) => act.then(() => "ok", (error: unknown) => (error as { code: unknown }).code);

describe("on a full disk", () => {
  it("events are refused, and an erasure, a deletion of events and one of a project are carried out with the room set aside", async () => {
    const { small, daybook } = await filled();
    expect(small.reserveBytes).toBe(RESERVE_BYTES);
    expect(await codeOf(daybook.ingest([{ name: "c" }]))).toBe("storage_full");
    expect(await erase(daybook, "ann")).toMatchObject({ events: 2 });
    small.fill();
    expect(await daybook.deleteEvents({ before: new Date(NOW_MS - 950), project: "shop" })).toMatchObject({ events: 1 });
    small.fill();
    expect(await daybook.deleteProject("site")).toMatchObject({ events: 1 });
    expect([await daybook.countEvents(), daybook.health]).toEqual([0, "ok"]);
    small.capacity = Infinity;
    await daybook.ingest([{ name: "c" }]);
    await daybook.seal();
    expect([small.reserveBytes, await daybook.countEvents()]).toEqual([RESERVE_BYTES, 1]);
    await daybook.close();
  });

  it("they fail where nothing was set aside, and nothing is lost", async () => {
    const { small, daybook } = await filled(false);
    for (const act of [erase(daybook, "ann"), daybook.deleteEvents({ before: "2026-03-10" }), daybook.deleteProject("site")]) expect(await codeOf(act)).toBe("storage_full");
    small.capacity = Infinity;
    expect(await daybook.countEvents()).toBe(4);
    expect(await erase(daybook, "ann")).toMatchObject({ events: 2 });
    await daybook.close();
  });

  it("a store opens with the room set aside, and takes what takes data away", async () => {
    const { small, daybook } = await filled();
    await daybook.close().catch(() => undefined);
    small.fill();
    const again = await small.open();
    expect([again.health, await again.countEvents()]).toEqual(["ok", 4]);
    expect(await codeOf(again.ingest([{ name: "c" }, { name: "d" }]))).toBe("storage_full");
    expect(await erase(again, "ann")).toMatchObject({ events: 2 });
    small.capacity = Infinity;
    await again.close();
  });

  it("a store without it opens to read: health and stats say so, and there is room again, it opens to write", async () => {
    const { small, daybook } = await filled(false);
    await daybook.close().catch(() => undefined);
    small.fill();
    const reading = await small.open(false);
    expect([reading.health, await reading.countEvents(), await reading.countUniqueUsers()]).toEqual(["read_only", 4, 3]);
    expect((await reading.stats()).sealError).toMatch(/the disk is full \(ENOSPC\)/);
    for (const act of [reading.ingest([{ name: "c" }]), erase(reading, "ann"), reading.deleteProject("site"), reading.seal()]) expect(await codeOf(act)).toBe("read_only");
    await reading.close();
    small.capacity = Infinity;
    const writing = await small.open();
    await writing.ingest([{ name: "c" }]);
    expect([writing.health, await writing.countEvents(), small.reserveBytes]).toEqual(["ok", 5, RESERVE_BYTES]);
    await writing.close();
  });

  it("no store is made, as before", async () => {
    const small = new SmallDisk();
    small.capacity = 0;
    expect(await codeOf(small.open())).toBe("storage_full");
  });
});
