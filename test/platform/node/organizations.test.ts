import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fixedClock, openDaybook } from "daybook";
import { keepingTimer } from "../../../src/core/base/time.js";
import { seededRandom } from "../../../src/testing/random.js";
import { encodeScopeToken } from "../../../src/engine/tokens/scope-token.js";
import { fileStorage, openOrganizations, type Organizations, type OrganizationsOptions } from "../../../src/platform/node/index.js";
import { OpenedOrganizations } from "../../../src/platform/node/open-organizations.js";
import { emptyDirectory } from "../../cli/run.js";
import { FakeTime } from "./fake-time.js";

const HOUR_MS = 3_600_000;

async function opened(options?: OrganizationsOptions): Promise<{ directory: string; organizations: Organizations }> {
  const directory = await emptyDirectory();
  const organizations = openOrganizations(directory, options);
  onTestFinished(() => organizations.close());
  return { directory, organizations };
}

const add = (organizations: Organizations, name: string, count = 1) =>
  organizations.use(name, (daybook) => daybook.ingest(Array.from({ length: count }, () => ({ name: "view", userId: "u" }))));
const countOf = (organizations: Organizations, name: string) => organizations.use(name, (daybook) => daybook.countEvents({}));

describe("openOrganizations", () => {
  it("creates organizations, opens them when they are used, and lists them", async () => {
    const { directory, organizations } = await opened();
    expect([await organizations.names(), await organizations.has("acme"), organizations.opened().length]).toEqual([[], false, 0]);
    await organizations.create("globex");
    await organizations.create("acme");
    await organizations.create("acme");
    await add(organizations, "acme", 3);
    expect([await organizations.names(), await readdir(directory)]).toEqual([["acme", "globex"], ["acme", "globex"]]);
    expect([await countOf(organizations, "acme"), await countOf(organizations, "globex"), organizations.opened().length]).toEqual([3, 0, 2]);
    await organizations.close();
    const again = openOrganizations(directory);
    expect([await again.has("acme"), await countOf(again, "acme")]).toEqual([true, 3]);
    await again.close();
  });

  it("releases an organization by using", async () => {
    const { organizations } = await opened({ maxOpen: 1, waitMs: 1_000 });
    await organizations.create("acme");
    await organizations.create("globex");
    {
      using lease = await organizations.acquire("acme");
      expect(await lease.daybook.countEvents({})).toBe(0);
      await expect(organizations.acquire("globex")).rejects.toMatchObject({ code: "overloaded" });
    }
    expect(await countOf(organizations, "globex")).toBe(0);
  });

  it("opens none that does not exist, and makes no directory for it", async () => {
    const { directory, organizations } = await opened();
    await expect(organizations.acquire("acme")).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "name" } });
    expect(await readdir(directory)).toEqual([]);
  });

  it.each(["../acme", "..", ".", "", "a/b", "a\\b", "/etc", "Acme", "acme ", "-acme", "a\0", "a".repeat(64)])("refuses %j, which is no name", async (name) => {
    const { directory, organizations } = await opened();
    const refused = { code: "invalid_parameter", details: { param: "name" } };
    for (const call of [() => organizations.acquire(name), () => organizations.create(name), () => organizations.delete(name), () => add(organizations, name)])
      await expect(call()).rejects.toMatchObject(refused);
    expect([await organizations.has(name), await readdir(directory)]).toEqual([false, []]);
  });

  it("opens a single store as default, and nothing beside it", async () => {
    const directory = await emptyDirectory();
    const daybook = await openDaybook({ storage: fileStorage(directory) });
    await daybook.ingest([{ name: "view", userId: "u" }]);
    await daybook.close();
    const organizations = openOrganizations(directory);
    onTestFinished(() => organizations.close());
    expect([await organizations.names(), await countOf(organizations, "default"), await organizations.has("acme")]).toEqual([["default"], 1, false]);
    await expect(organizations.create("acme")).rejects.toMatchObject({ code: "invalid_parameter" });
    await expect(organizations.delete("default")).rejects.toMatchObject({ code: "invalid_parameter" });
    expect(await countOf(organizations, "default")).toBe(1);
  });

  it("creates nothing in a directory with other files", async () => {
    const { directory, organizations } = await opened();
    await mkdir(join(directory, "acme"));
    await writeFile(join(directory, "acme", "notes.txt"), "mine");
    await expect(organizations.create("acme")).rejects.toThrow("is not a store and contains other files");
    expect(await readdir(join(directory, "acme"))).toEqual(["notes.txt"]);
  });

  it("fails for a damaged organization alone, until it is repaired", async () => {
    const { directory, organizations } = await opened({ maxOpen: 1 });
    for (const name of ["acme", "globex"]) {
      await organizations.create(name);
      await add(organizations, name);
    }
    const manifest = join(directory, "acme", "MANIFEST");
    const bytes = await readFile(manifest);
    await writeFile(manifest, bytes.subarray(0, bytes.length - 5));
    await expect(countOf(organizations, "acme")).rejects.toMatchObject({ code: "corruption" });
    expect(await countOf(organizations, "globex")).toBe(1);
    await expect(countOf(organizations, "acme")).rejects.toMatchObject({ code: "corruption" });
    await writeFile(manifest, bytes);
    expect(await countOf(organizations, "acme")).toBe(1);
  });

  it("fails for a locked organization alone, until its lock is released", async () => {
    const { directory, organizations } = await opened();
    const other = await openDaybook({ storage: fileStorage(join(directory, "acme")) });
    await organizations.create("globex");
    await expect(organizations.acquire("acme")).rejects.toMatchObject({ code: "store_locked" });
    await expect(organizations.delete("acme")).rejects.toMatchObject({ code: "store_locked" });
    await add(organizations, "globex");
    await other.close();
    await add(organizations, "acme");
    expect([await countOf(organizations, "acme"), await countOf(organizations, "globex")]).toEqual([1, 1]);
  });

  it("deletes an organization with its directory, and can create it again", async () => {
    const { directory, organizations } = await opened();
    await organizations.create("acme");
    await add(organizations, "acme");
    await organizations.delete("acme");
    expect([await readdir(directory), await organizations.has("acme"), await organizations.names()]).toEqual([[], false, []]);
    await expect(organizations.acquire("acme")).rejects.toMatchObject({ code: "invalid_parameter" });
    await expect(organizations.delete("acme")).rejects.toMatchObject({ code: "invalid_parameter" });
    await organizations.create("acme");
    expect(await countOf(organizations, "acme")).toBe(0);
  });

  it("stores tracked events before an organization is closed for another one", async () => {
    const { organizations } = await opened({ maxOpen: 1 });
    await organizations.create("acme");
    await organizations.create("globex");
    await organizations.use("acme", (daybook) => daybook.track({ name: "view", userId: "u" }));
    expect([await countOf(organizations, "globex"), await countOf(organizations, "acme")]).toEqual([0, 1]);
  });

  it("verifies a signed token without opening its organization", async () => {
    const { organizations } = await opened({ maxOpen: 1 });
    await organizations.create("acme");
    const token = await organizations.use("acme", (daybook) => daybook.signScope({ lastDays: 7 }, { expiresIn: "1h", organization: "acme" }));
    await organizations.create("globex");
    const [globex] = organizations.opened();
    expect(await organizations.verifyScopeToken("acme", token)).toMatchObject({ scope: { lastDays: 7 }, organization: "acme" });
    for (const name of ["globex", "nowhere", "../acme"])
      await expect(organizations.verifyScopeToken(name, token)).rejects.toMatchObject({ code: "invalid_token" });
    expect(organizations.opened()).toEqual([globex]);
  });

  it("verifies a token that was signed just now, open or closed, after a rotation and after a forged one", async () => {
    const time = new FakeTime();
    const directory = await emptyDirectory();
    const clock = fixedClock(Date.parse("2026-03-10T12:00:00Z"));
    const organizations = new OpenedOrganizations(directory, { maxOpen: 1, open: { clock } }, { nowMs: () => time.nowMs, wait: time.wait, waitForPlace: keepingTimer });
    onTestFinished(() => organizations.close());
    await organizations.create("acme");
    await organizations.create("globex");
    const signed = (rotates = false) =>
      organizations.use("acme", async (daybook) => {
        if (rotates) await daybook.rotateSigningKey();
        return await daybook.signScope({}, { expiresIn: "1h", organization: "acme" });
      });
    const verified = (token: string) => organizations.verifyScopeToken("acme", token).then(({ organization }) => organization, ({ code }: { code: string }) => code);
    // Closed: globex has the only place. Anybody may send a forged token, so that keys are read before there are any.
    const forged = encodeScopeToken({ organization: "acme", issuedMs: 0, expiresMs: 0, payloadByteLength: 0, deflatedPayload: new Uint8Array() }, () => new Uint8Array(32));
    expect(await verified(forged)).toBe("invalid_token");
    const [first, second] = [await signed(), await signed(true)];
    expect([await verified(first), await verified(second)]).toEqual(["acme", "acme"]);
    const third = await signed(true);
    await organizations.use("globex", () => undefined);
    expect([await verified(first), await verified(second), await verified(third), await verified(forged)]).toEqual(["invalid_token", "acme", "acme", "invalid_token"]);
  });

  it("reads the directory once a second for names that do not exist, and sees at once what it creates itself", async () => {
    const time = new FakeTime();
    const directory = await emptyDirectory();
    const organizations = new OpenedOrganizations(directory, { maxOpen: 1 }, { nowMs: () => time.nowMs, wait: time.wait, waitForPlace: keepingTimer });
    const other = openOrganizations(directory);
    onTestFinished(async () => void (await Promise.all([organizations.close(), other.close()])));
    expect([await organizations.has("acme"), await organizations.has("globex")]).toEqual([false, false]);
    await other.create("acme");
    expect(await organizations.has("acme")).toBe(false);
    await organizations.create("globex");
    expect([await organizations.has("globex"), await organizations.has("acme")]).toEqual([true, true]);
    await other.create("initech");
    await time.pass(999);
    expect(await organizations.has("initech")).toBe(false);
    await time.pass(1);
    expect(await organizations.has("initech")).toBe(true);
  });

  it("does not report an organization that is deleted while the times to live of closed ones are looked at", async () => {
    const time = new FakeTime();
    const directory = await emptyDirectory();
    const errors: unknown[] = [];
    let meanwhile: () => Promise<void> = () => Promise.resolve();
    const storage = (path: string) => {
      const files = fileStorage(path);
      const readFiles = files.read.bind(files);
      const read: typeof files.read = async (key, range) => {
        if (path.endsWith("acme")) await meanwhile();
        return await readFiles(key, range);
      };
      return Object.assign(files, { read });
    };
    const times = { nowMs: () => time.nowMs, wait: time.wait, waitForPlace: keepingTimer };
    const earlier = openOrganizations(directory);
    for (const name of ["acme", "globex"]) await earlier.create(name);
    await earlier.close();
    const organizations = new OpenedOrganizations(directory, { storage, onError: (error) => errors.push(error) }, times);
    onTestFinished(() => organizations.close());
    let isDeleted = false;
    meanwhile = async () => {
      meanwhile = () => Promise.resolve();
      await organizations.delete("globex");
      isDeleted = true;
    };
    await time.pass(HOUR_MS);
    await expect.poll(() => isDeleted).toBe(true);
    // The look goes on with globex once it has read the manifest of acme.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(errors).toEqual([]);
  });

  it("shares one memory budget: what one organization used longest ago gives way to another", async () => {
    const loads: number[] = [];
    const loadsOf = async (memoryBudgetBytes: number) => {
      const { organizations } = await opened({ memoryBudgetBytes, open: { onWork: (_, { loadCount }) => loads.push(loadCount) } });
      for (const name of ["a", "b"]) {
        await organizations.create(name);
        await organizations.use(name, async (daybook) => {
          await daybook.ingest(Array.from({ length: 5_000 }, (_, at) => ({ name: "view", userId: `u${at}` })));
          await daybook.seal();
        });
      }
      loads.length = 0;
      for (const name of ["a", "a", "b", "a"]) await organizations.use(name, (daybook) => daybook.aggregate({ field: "user_id", limit: 1 }));
      return loads.map((count) => count > 0);
    };
    expect(await loadsOf(10_000_000)).toEqual([true, false, true, false]);
    expect(await loadsOf(16_000)).toEqual([true, false, true, true]);
  });

  it("throws what a closing in the background failed with, unless it is reported", async () => {
    const errors: unknown[] = [];
    for (const onError of [undefined, (error: unknown, name: string) => errors.push([name, (error as Error).message])]) {
      const directory = await emptyDirectory();
      const organizations = openOrganizations(directory, {
        maxOpen: 1,
        ...(onError === undefined ? {} : { onError }),
        storage: (path) => {
          const storage = fileStorage(path);
          const lock = storage.lock.bind(storage);
          const failing = async () => {
            const held = await lock();
            return { isHeld: () => Promise.resolve(true), release: () => held.release().then(() => Promise.reject(new Error("disk gone"))) };
          };
          return Object.assign(storage, { lock: failing });
        },
      });
      await organizations.create("acme");
      await organizations.create("globex").catch(() => undefined);
      const closed = organizations.close();
      await expect(closed).rejects.toThrow("disk gone");
    }
    expect(errors).toEqual([["acme", "disk gone"]]);
  });

  it("deletes expired events of an organization that nobody uses", async () => {
    const time = new FakeTime();
    const directory = await emptyDirectory();
    const clock = fixedClock(Date.parse("2026-03-10T12:00:00Z"));
    const organizations = new OpenedOrganizations(directory, { minOpen: 0, open: { clock } }, { nowMs: () => time.nowMs, wait: time.wait, waitForPlace: keepingTimer });
    onTestFinished(() => organizations.close());
    await organizations.create("acme");
    await organizations.use("acme", async (daybook) => {
      await daybook.ingest([{ name: "old", userId: "u", createdAt: "2026-03-09T12:00:00Z" }, { name: "new", userId: "u", createdAt: "2026-03-10T12:00:00Z" }]);
      await daybook.timeToLive.set(null, { days: 1 });
    });
    const stored = async () => {
      const reader = await openDaybook({ storage: fileStorage(join(directory, "acme")), readOnly: true });
      const count = await reader.countEvents({});
      await reader.close();
      return count;
    };
    await time.pass(300_000);
    await expect.poll(() => organizations.opened().length).toBe(0);
    expect(await stored()).toBe(2);
    clock.set(Date.parse("2026-03-11T01:00:00Z"));
    for (let hour = 0; hour < 15; hour += 1) {
      await time.pass(HOUR_MS);
      // Each look reads files, which takes real time.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await expect.poll(stored, { timeout: 10_000 }).toBe(1);
  });

  it("counts every event that it accepted, whatever is open", async () => {
    const { organizations } = await opened({ maxOpen: 3, idleMs: 5, minOpen: 0, waitMs: 60_000 });
    const random = seededRandom(7);
    const names = Array.from({ length: 10 }, (_, at) => `tenant-${at}`);
    await Promise.all(names.map((name) => organizations.create(name)));
    const expected = new Map(names.map((name) => [name, 0]));
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          const name = random.pick(names);
          const count = random.between(1, 5);
          await add(organizations, name, count);
          expected.set(name, (expected.get(name) ?? 0) + count);
        }),
      );
      if (random.chance(0.4)) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(organizations.opened().length).toBeLessThanOrEqual(3);
    for (const [name, count] of expected) expect([name, await countOf(organizations, name)]).toEqual([name, count]);
  });

  it.each([
    [{ maxOpen: 0 }, "maxOpen"], [{ maxOpen: 1.5 }, "maxOpen"], [{ minOpen: -1 }, "minOpen"], [{ idleMs: -1 }, "idleMs"], [{ idleMs: "1" }, "idleMs"],
    [{ waitMs: Infinity }, "waitMs"], [{ memoryBudgetBytes: NaN }, "memoryBudgetBytes"], [{ storage: 1 }, "storage"], [{ onError: 1 }, "onError"],
    [{ open: { currency: "euro" } }, "currency"], [{ open: null }, "open"],
  ])("refuses the options %j", (options, param) => {
    expect(() => openOrganizations("data", options as never)).toThrow(expect.objectContaining({ code: "invalid_parameter", details: expect.objectContaining({ param }) as unknown }) as Error);
  });

  it("refuses storage and memory of single stores, and no directory", () => {
    expect(() => openOrganizations("data", { open: { storage: 1 } as never })).toThrow(expect.objectContaining({ code: "unknown_parameter" }) as Error);
    expect(() => openOrganizations("data", { open: { memoryBudgetBytes: 1 } as never })).toThrow(expect.objectContaining({ code: "unknown_parameter" }) as Error);
    expect(() => openOrganizations("")).toThrow(expect.objectContaining({ code: "invalid_parameter" }) as Error);
  });
});
