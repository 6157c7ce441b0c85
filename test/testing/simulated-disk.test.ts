import { SimulatedDisk, SimulatedFileSystem, type DiskState, failFrom, failOnce, isSettled, powerLoss, seededRandom } from "daybook/testing";
import { describe, expect, test } from "vitest";
import type { Faults } from "daybook/testing";

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** What is read under a path after a crash; null where there is no such file. */
async function contentOf(state: DiskState, path: string): Promise<string | null> {
  const fileSystem = new SimulatedFileSystem(new SimulatedDisk(state));
  try {
    const file = await fileSystem.open(path, "read");
    const bytes = new Uint8Array(await file.byteLength());
    await file.read(bytes, 0);
    return new TextDecoder().decode(bytes);
  } catch (error) {
    expect(error).toMatchObject({ code: "ENOENT" });
    return null;
  }
}

/** What paths may hold after a loss of power, each outcome once, in order of the texts. */
async function outcomes(disk: SimulatedDisk, ...paths: string[]): Promise<string[]> {
  const random = seededRandom(1);
  const found = new Set<string>();
  for (let image = 0; image < 400; image += 1) {
    const state = powerLoss(disk.state(), random);
    expect(isSettled(state)).toBe(true);
    const contents = [];
    for (const path of paths) contents.push((await contentOf(state, path)) ?? "none");
    found.add(contents.join(", "));
  }
  return [...found].sort();
}

/** A disk with the file `/f` of the content `old`, all of it durable. */
async function diskWithFile(faults: Faults = () => null) {
  const disk = new SimulatedDisk();
  const fileSystem = new SimulatedFileSystem(disk, { faults });
  const file = await fileSystem.open("/f", "create");
  await file.write(bytesOf("old"), 0);
  await file.sync();
  await fileSystem.syncDirectory("/");
  return { disk, fileSystem, file };
}

describe("a loss of power", () => {
  test("leaves what was synced", async () => {
    const { disk } = await diskWithFile();
    expect(isSettled(disk.state())).toBe(true);
    expect(await outcomes(disk, "/f")).toEqual(["old"]);
  });

  test("leaves any part of what was not: writes, cuts, and the length for itself", async () => {
    const { disk, file } = await diskWithFile();
    await file.write(bytesOf("er"), 3);
    await file.truncate(1);
    expect(await outcomes(disk, "/f")).toEqual(["o", "o\0\0", "o\0\0\0\0", "old", "old\0\0", "older"].sort());
  });

  test("tears a write at 512 bytes, in any order", async () => {
    const { disk, file } = await diskWithFile();
    await file.sync();
    await file.write(bytesOf("x".repeat(1_300)), 0);
    const texts = await outcomes(disk, "/f");
    const sectors = texts.flatMap((text) => [text.slice(3, 512), text.slice(512, 1_024), text.slice(1_024)]);
    expect(new Set(sectors.map((sector) => new Set(sector).size))).toEqual(new Set([0, 1]));
    const patterns = new Set(texts.map((text) => [0, 512, 1_024].map((at) => text[at] ?? "-").join("")));
    expect([...patterns].sort()).toEqual(["o--", "o\0\0", "o\0x", "ox\0", "oxx", "ox-", "x--", "x\0\0", "x\0x", "xx-", "xx\0", "xxx"].sort());
  });

  test("leaves names as of the last sync of their directory, and any of the changes since", async () => {
    const { disk, fileSystem } = await diskWithFile();
    for (const name of ["/a", "/b"]) {
      const file = await fileSystem.open(name, "create");
      await file.write(bytesOf("new"), 0);
      await file.sync();
    }
    await fileSystem.unlink("/f");
    const expected = ["none", "new"].flatMap((a) => ["none", "new"].flatMap((b) => ["none", "old"].map((f) => `${a}, ${b}, ${f}`)));
    expect(await outcomes(disk, "/a", "/b", "/f")).toEqual(expected.sort());
  });

  test("never splits a rename, and takes a directory with all that is in it", async () => {
    const { disk, fileSystem } = await diskWithFile();
    const next = await fileSystem.open("/next", "create");
    await next.write(bytesOf("new"), 0);
    await next.sync();
    await fileSystem.syncDirectory("/");
    await fileSystem.rename("/next", "/f");
    expect(await outcomes(disk, "/f", "/next")).toEqual(["new, none", "old, new"]);
    await fileSystem.makeDirectory("/d");
    await (await fileSystem.open("/d/g", "create")).sync();
    await fileSystem.syncDirectory("/d");
    expect(new Set(await outcomes(disk, "/d/g"))).toEqual(new Set(["none", ""]));
  });

  test("may take what a killed process left to the kernel", async () => {
    const { disk, file } = await diskWithFile();
    await file.write(bytesOf("er"), 3);
    const afterKill = disk.state();
    expect(await contentOf(afterKill, "/f")).toBe("older");
    expect(await outcomes(new SimulatedDisk(afterKill), "/f")).toContain("old");
    await file.write(bytesOf("!"), 5);
    expect(await contentOf(afterKill, "/f")).toBe("older");
  });
});

describe("a sync", () => {
  test("covers what was written before it was called, and not what comes while it goes on", async () => {
    const disk = new SimulatedDisk();
    let proceed = () => undefined as void;
    const held = new Promise<void>((resolve) => (proceed = resolve));
    let isHeld = false;
    const fileSystem = new SimulatedFileSystem(disk, { pause: () => (isHeld ? held : undefined) });
    const file = await fileSystem.open("/f", "create");
    await fileSystem.syncDirectory("/");
    await file.write(bytesOf("a"), 0);
    isHeld = true;
    const syncing = file.sync();
    isHeld = false;
    await file.write(bytesOf("b"), 1);
    proceed();
    await syncing;
    expect(await outcomes(disk, "/f")).toEqual(["a", "a\0", "ab"]);
  });

  test.each([["dropped", "older"], ["evicted", "old"]] as const)("that follows one that failed and %s the changes succeeds and saves nothing", async (pages, shown) => {
    let isBroken = false;
    const { disk, file } = await diskWithFile(({ kind }) => (isBroken && kind === "sync" ? { errno: "EIO", pages } : null));
    await file.write(bytesOf("er"), 3);
    isBroken = true;
    await expect(file.sync()).rejects.toMatchObject({ code: "EIO" });
    isBroken = false;
    await file.sync();
    expect(await contentOf(disk.state(), "/f")).toBe(shown);
    expect(await outcomes(disk, "/f")).toEqual(["old"]);
  });
});

describe("faults", () => {
  test("hit one operation, or all of a kind from one on", async () => {
    const fileSystem = new SimulatedFileSystem(new SimulatedDisk(), { faults: failOnce(1, { errno: "ENOSPC" }) });
    const file = await fileSystem.open("/f", "create");
    await expect(file.write(bytesOf("a"), 0)).rejects.toMatchObject({ code: "ENOSPC" });
    await file.write(bytesOf("a"), 0);
    expect(fileSystem.operationCount).toBe(3);
    const broken = new SimulatedFileSystem(new SimulatedDisk(), { faults: failFrom(2, { errno: "EIO" }, ({ kind }) => kind === "write") });
    const other = await broken.open("/f", "create");
    await other.write(bytesOf("a"), 0);
    await expect(other.write(bytesOf("b"), 1)).rejects.toMatchObject({ code: "EIO" });
    expect(await other.byteLength()).toBe(1);
    await expect(other.write(bytesOf("b"), 1)).rejects.toMatchObject({ code: "EIO" });
  });

  test("may leave a part of a failed write, and take a part of one that does not fail", async () => {
    const disk = new SimulatedDisk();
    const fileSystem = new SimulatedFileSystem(disk, {
      faults: ({ kind }, index) => (kind !== "write" ? null : index === 1 ? { byteLengthMax: 2 } : { errno: "ENOSPC", takenByteLength: 1 }),
    });
    const file = await fileSystem.open("/f", "create");
    expect(await file.write(bytesOf("abcd"), 0)).toBe(2);
    await expect(file.write(bytesOf("cd"), 2)).rejects.toMatchObject({ code: "ENOSPC" });
    expect(await contentOf(disk.state(), "/f")).toBe("abc");
  });
});
