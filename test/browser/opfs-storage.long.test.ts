import { setTimeout as later } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Daybook } from "daybook";
import { opfsStorage } from "daybook/browser";
import { Profile, type Tab } from "./opfs/profile.js";
import type { Lab } from "./opfs/worker.js";

declare const lab: Lab;
declare const daybook: Daybook;

let profile: Profile;
let tab: Tab;
beforeAll(async () => {
  profile = await Profile.open();
  tab = await profile.tab();
});
afterAll(() => profile.close());

test("a name that is no directory's is refused", () => {
  for (const name of ["", ".", "..", "a/b", "a b", "x".repeat(129)]) expect(() => opfsStorage(name)).toThrow(expect.objectContaining({ code: "invalid_parameter" }));
});

test("where there is no private file system, the first operation says what was expected", async () => {
  const code = "not_supported";
  await expect(opfsStorage("here").read("k")).rejects.toMatchObject({ code, message: expect.stringContaining("private file system") as string });
  await expect(opfsStorage("here").lock()).rejects.toMatchObject({ code });
});

test("what is acknowledged was flushed, and what gets a name was flushed before", async () => {
  const { page, worker } = await profile.tab();
  const log = await worker.evaluate(async () => {
    const calls: string[] = [];
    const watch = (of: object, name: string) => {
      const act: unknown = Reflect.get(of, name);
      if (typeof act !== "function") throw new Error(`no ${name}`);
      Reflect.set(of, name, function watched(this: unknown, ...args: unknown[]): unknown {
        calls.push(name);
        return Reflect.apply(act, this, args);
      });
    };
    for (const name of ["write", "flush", "close"]) watch(Reflect.get(globalThis, "FileSystemSyncAccessHandle").prototype as object, name);
    watch(FileSystemFileHandle.prototype, "move");
    const storage = lab.opfsStorage("watched");
    await storage.write("k", new Uint8Array(10));
    calls.push("|");
    await storage.write("later", new Uint8Array(10), { durable: false });
    calls.push("|");
    await storage.sync(["later"]);
    calls.push("|");
    const daybook = await lab.openDaybook({ storage: lab.opfsStorage("watched-events") });
    calls.length = calls.lastIndexOf("|") + 1;
    await daybook.ingest([{ name: "page_view" }]);
    return calls.join(" ");
  });
  expect(log).toBe("write flush close move | write close move | flush close | write flush");
  await page.close();
});

test("an object that is replaced when its tab is killed is the old one or the new one, and nothing else is left", async () => {
  for (let round = 0; round < 3; round += 1) {
    const { page, worker, onLine } = await profile.tab();
    const crashed = page.waitForEvent("crash");
    const begun = new Promise<void>((resolve) => onLine((line) => void (line === "written" && resolve())));
    const replaceForEver = async () => {
      for (let value = 0; ; value = (value + 1) % 256) {
        await lab.opfsStorage("replaced").write("k", new Uint8Array(4_000_000).fill(value));
        console.log("written");
      }
    };
    worker.evaluate(replaceForEver).catch(() => undefined);
    await begun;
    await later(20 + 7 * round);
    await profile.killTabs();
    await crashed;
    const next = await profile.tab();
    const found = await next.worker.evaluate(async () => {
      const storage = lab.opfsStorage("replaced");
      await (await storage.lock()).release();
      const bytes = await storage.read("k");
      const directory = await (await navigator.storage.getDirectory()).getDirectoryHandle("replaced");
      const left: string[] = [];
      for await (const name of (await directory.getDirectoryHandle("~")).keys()) left.push(name);
      return { byteLength: bytes?.length, isOne: bytes?.every((byte) => byte === bytes[0]), left };
    });
    expect(found).toEqual({ byteLength: 4_000_000, isOne: true, left: [] });
  }
  tab = await profile.tab();
});

test("more files than stay open are read, replaced and removed by whoever has the lock", async () => {
  const wrong = await tab.worker.evaluate(async () => {
    const storage = lab.opfsStorage("many");
    const lock = await storage.lock();
    const keys = Array.from({ length: 140 }, (_, at) => `files/${at}`);
    const textOf = async (key: string) => new TextDecoder().decode((await storage.read(key)) ?? undefined);
    await Promise.all(keys.map((key) => storage.write(key, new TextEncoder().encode(key), { durable: false })));
    await storage.sync(keys);
    const read = await Promise.all([...keys, ...keys].map(textOf));
    const replaced = await Promise.all(keys.map((key) => storage.write(key, new TextEncoder().encode(`${key}!`)).then(() => textOf(key))));
    await lock.release();
    const unlocked = await Promise.all(keys.map(textOf));
    const again = await storage.lock();
    await Promise.all(keys.map(textOf));
    for (const key of keys) await storage.remove(key);
    const left = await storage.list("");
    await again.release();
    const isWrong = (texts: string[], suffix: string) => texts.some((text, at) => text !== `${keys[at % keys.length]}${suffix}`);
    return [isWrong(read, ""), isWrong(replaced, "!"), isWrong(unlocked, "!"), left.length];
  });
  expect(wrong).toEqual([false, false, false, 0]);
});

test("out of room, ingests fail with storage_full and queries go on; with room again so do ingests", async () => {
  const session = await tab.page.context().newCDPSession(tab.page);
  const giveRoom = (quotaSize?: number) => session.send("Storage.overrideQuotaForOrigin", { origin: new URL(profile.url).origin, ...(quotaSize !== undefined && { quotaSize }) });
  await tab.worker.evaluate(async () => void Object.assign(globalThis, { daybook: await lab.openDaybook({ storage: lab.opfsStorage("full") }) }));
  /** Batches until one fails. Answers why, and whether those that did not are there. */
  const ingest = (batchCount: number) =>
    tab.worker.evaluate(async (most) => {
      const before = await daybook.countEvents();
      const batch = () => Array.from({ length: 1_000 }, () => ({ name: "page_view", metadata: { text: crypto.randomUUID().repeat(20) } }));
      let code = "";
      let accepted = 0;
      while (code === "" && accepted < most * 1_000) await daybook.ingest(batch()).then((result) => (accepted += result.accepted), (error: { code: string }) => (code = error.code));
      return { code, isRight: (await daybook.countEvents()) === before + accepted };
    }, batchCount);
  expect(await ingest(2)).toEqual({ code: "", isRight: true });
  const used = await tab.worker.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0);
  await giveRoom(used + 4_000_000);
  expect(await ingest(100)).toEqual({ code: "storage_full", isRight: true });
  await giveRoom();
  expect(await ingest(2)).toEqual({ code: "", isRight: true });
  await tab.worker.evaluate(() => daybook.close());
});
