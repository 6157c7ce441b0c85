import { describe, expect, it } from "vitest";
import { DaybookError } from "../../../src/core/base/errors.js";
import { seededRandom } from "../../../src/testing/random.js";
import { StorePool, type PoolServices, type StoreLease } from "../../../src/platform/node/store-pool.js";
import { FakeTime, settled } from "./fake-time.js";

/** What is stored, by name. */
type Disk = Map<string, number>;

/** A store that writes what it has only when it is closed, so that a second one of the same name, or a missing close, loses something. */
class FakeStore {
  #count: number;
  isClosed = false;

  constructor(
    readonly name: string,
    readonly disk: Disk,
  ) {
    this.#count = disk.get(name) ?? 0;
  }

  add(): void {
    if (this.isClosed) throw new Error(`${this.name}: used after it was closed`);
    this.#count += 1;
  }

  close(): void {
    this.isClosed = true;
    this.disk.set(this.name, this.#count);
  }
}

/** A pool of such stores, whose opening and closing take time, and what it did. */
class World {
  readonly time = new FakeTime();
  readonly disk: Disk = new Map();
  readonly log: string[] = [];
  readonly errors: unknown[] = [];
  readonly present = new Set<string>();
  /** Called before a store is opened, and closed; may throw. */
  beforeOpen: (name: string) => void = () => undefined;
  beforeClose: (name: string) => void = () => undefined;
  openMs = 0;
  closeMs = 0;
  presentMax = 0;
  readonly pool: StorePool<FakeStore>;

  constructor(options: Partial<PoolServices<FakeStore>> = {}) {
    this.pool = new StorePool<FakeStore>({
      maxOpen: 2,
      minOpen: 0,
      idleMs: 1_000,
      waitMs: 500,
      nowMs: () => this.time.nowMs,
      wait: this.time.wait,
      waitForPlace: this.time.wait,
      onError: (error) => void this.errors.push(error),
      open: async (name) => {
        if (this.present.has(name)) throw new Error(`${name}: opened twice`);
        this.present.add(name);
        this.presentMax = Math.max(this.presentMax, this.present.size);
        try {
          if (this.openMs > 0) await this.time.wait(this.openMs, new AbortController().signal);
          this.beforeOpen(name);
          this.log.push(`open ${name}`);
          return new FakeStore(name, this.disk);
        } catch (error) {
          this.present.delete(name);
          throw error;
        }
      },
      close: async (name, store) => {
        store.isClosed = true;
        if (this.closeMs > 0) await this.time.wait(this.closeMs, new AbortController().signal);
        this.log.push(`close ${name}`);
        store.close();
        this.present.delete(name);
        this.beforeClose(name);
      },
      ...options,
    });
  }

  async used(name: string): Promise<void> {
    const lease = await this.pool.acquire(name);
    lease.store.add();
    lease.release();
  }

  taken(): string[] {
    return this.log.splice(0);
  }
}

const full = { code: "overloaded", message: expect.stringContaining("one of 2 places") as string };

describe("a pool of stores", () => {
  it("opens a store once for two calls at a time, and keeps it open for the next", async () => {
    const world = new World();
    const [one, other] = await Promise.all([world.pool.acquire("a"), world.pool.acquire("a")]);
    expect(one.store).toBe(other.store);
    one.release();
    other.release();
    await world.used("a");
    expect(world.taken()).toEqual(["open a"]);
  });

  it("closes a store after its idle time, counted from its last use, and opens it anew", async () => {
    const world = new World();
    await world.used("a");
    await world.time.pass(900);
    await world.used("a");
    await world.time.pass(900);
    expect(world.taken()).toEqual(["open a"]);
    await world.time.pass(100);
    expect(world.taken()).toEqual(["close a"]);
    await world.used("a");
    await world.pool.close();
    expect(world.taken()).toEqual(["open a", "close a"]);
    expect(world.disk.get("a")).toBe(3);
  });

  it("leaves a store open that is in use, and those used last", async () => {
    const world = new World({ minOpen: 1, maxOpen: 3 });
    const held = await world.pool.acquire("a");
    await world.used("b");
    await world.time.pass(1);
    await world.used("c");
    await world.time.pass(5_000);
    expect(world.taken()).toEqual(["open a", "open b", "open c", "close b", "close c"]);
    held.release();
    await world.time.pass(5_000);
    expect(world.taken()).toEqual([]);
  });

  it("closes the store that was used longest ago when another one needs its place", async () => {
    const world = new World();
    await world.used("a");
    await world.time.pass(1);
    await world.used("b");
    await world.time.pass(1);
    await world.used("a");
    await world.used("c");
    expect(world.taken()).toEqual(["open a", "open b", "close b", "open c"]);
  });

  it("lets a call wait for a store that is being closed, then opens it anew", async () => {
    const world = new World();
    world.closeMs = 100;
    await world.used("a");
    await world.time.pass(1_050);
    const again = world.used("a");
    await settled();
    expect(world.taken()).toEqual(["open a"]);
    await world.time.pass(50);
    await again;
    expect(world.taken()).toEqual(["close a", "open a"]);
  });

  it("lets calls wait for a place in their order, and for waitMs at most", async () => {
    const world = new World();
    const [a] = await Promise.all([world.pool.acquire("a"), world.pool.acquire("b")]);
    const c = world.pool.acquire("c").then((lease) => world.log.push("c waited") && lease);
    await world.time.pass(100);
    const late = expect(world.pool.acquire("d")).rejects.toMatchObject(full);
    await world.time.pass(399);
    a.release();
    await c;
    await world.time.pass(101);
    await late;
    expect(world.taken()).toEqual(["open a", "open b", "close a", "open c", "c waited"]);
    // A call for an open store does not wait for a place.
    (await world.pool.acquire("b")).release();
  });

  it("asks uses that can end early to end, and only as many as are needed", async () => {
    const world = new World({ maxOpen: 3 });
    const asked: string[] = [];
    const endless = async (name: string) => {
      const lease: StoreLease<FakeStore> = await world.pool.acquire(name, () => {
        asked.push(name);
        lease.release();
      });
      await world.time.pass(1);
    };
    await endless("a");
    await endless("a");
    await endless("b");
    await world.pool.acquire("c");
    await world.used("d");
    expect(asked).toEqual(["a", "a"]);
    await world.used("e");
    expect(asked).toEqual(["a", "a"]);
    expect(world.taken()).toEqual(["open a", "open b", "open c", "close a", "open d", "close d", "open e"]);
  });

  it("reports what an onWanted throws, and lets the call that waits have the place", async () => {
    const world = new World({ maxOpen: 1 });
    const fails = async () => Promise.reject(new Error("rejected"));
    const throws = () => {
      throw new Error("thrown");
    };
    const leases = [await world.pool.acquire("a", throws), await world.pool.acquire("a", fails)];
    const waiting = world.used("b");
    await settled();
    expect(world.errors).toEqual([new Error("thrown"), new Error("rejected")]);
    for (const { release } of leases) release();
    await waiting;
    await world.used("a");
    await world.pool.close();
    expect(Object.fromEntries(world.disk)).toEqual({ a: 1, b: 1 });
  });

  it("asks a use that began while its store was wanted", async () => {
    const world = new World({ maxOpen: 1 });
    const asked: string[] = [];
    const first = await world.pool.acquire("a", () => void asked.push("first"));
    const waiting = world.used("b");
    await settled();
    const second = await world.pool.acquire("a", () => void asked.push("second"));
    first.release();
    expect(asked).toEqual(["first", "second"]);
    second.release();
    await waiting;
  });

  it("fails only the calls for a store that cannot be opened, and tries again", async () => {
    const world = new World();
    world.beforeOpen = (name) => {
      if (name === "a") throw new DaybookError("store_locked", "held");
    };
    const outcomes = await Promise.allSettled([world.used("a"), world.used("a"), world.used("b")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
    await expect(world.used("a")).rejects.toMatchObject({ code: "store_locked" });
    world.beforeOpen = () => undefined;
    await world.used("a");
    expect(world.taken()).toEqual(["open b", "open a"]);
  });

  it("reports a store that cannot be closed, and gives its place to others", async () => {
    const world = new World();
    world.beforeClose = (name) => {
      if (name === "a") throw new DaybookError("storage_full", name);
    };
    await world.used("a");
    await world.time.pass(1_000);
    expect(world.errors).toMatchObject([{ code: "storage_full" }]);
    await Promise.all([world.used("b"), world.used("c"), world.used("a")]);
    await expect(world.pool.close()).rejects.toMatchObject({ code: "storage_full" });
    expect(world.present).toEqual(new Set());
  });

  it("removes a store once nobody uses it, while calls for it wait", async () => {
    const world = new World();
    const held = await world.pool.acquire("a");
    const removed = world.pool.remove("a", () => {
      world.log.push("remove a");
      return Promise.resolve();
    });
    await settled();
    const again = world.used("a");
    await world.time.pass(10);
    held.release();
    await Promise.all([removed, again]);
    expect(world.taken()).toEqual(["open a", "close a", "remove a", "open a"]);
  });

  it("does not remove a store that stays in use, and lets calls for it continue", async () => {
    const world = new World();
    await world.pool.acquire("a");
    const removed = expect(world.pool.remove("a", () => Promise.reject(new Error("not called")))).rejects.toMatchObject({ code: "overloaded" });
    await settled();
    const again = world.used("a");
    await world.time.pass(500);
    await removed;
    await again;
    expect(world.taken()).toEqual(["open a"]);
  });

  it("closes an idle store while another one, which was opened later, stays in use", async () => {
    const world = new World({ minOpen: 1 });
    await world.used("a");
    await world.time.pass(5_000);
    const lease = await world.pool.acquire("b");
    await world.time.pass(1_000);
    expect(world.taken()).toEqual(["open a", "open b", "close a"]);
    lease.release();
  });

  it("ends a removal that waits as soon as the pool is closed", async () => {
    const world = new World();
    await world.pool.acquire("a");
    let outcome = "waits";
    const removed = world.pool.remove("a", () => Promise.resolve()).catch(({ code }: { code: string }) => void (outcome = code));
    await settled();
    expect(outcome).toBe("waits");
    await world.pool.close();
    await settled();
    expect(outcome).toBe("closed");
    await removed;
  });

  it("closes everything, and fails the calls that wait", async () => {
    const world = new World();
    await Promise.all([world.pool.acquire("a"), world.used("b"), world.pool.acquire("b")]);
    const waiting = expect(world.pool.acquire("c")).rejects.toMatchObject({ code: "closed" });
    await world.pool.close();
    await waiting;
    expect(world.present).toEqual(new Set());
    await expect(world.pool.acquire("a")).rejects.toMatchObject({ code: "closed" });
  });
});

/** Uses, releases, removals and pauses in random order over a small pool; every use adds one. */
async function interleaving(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const below = (count: number) => random.below(count);
  const maxOpen = 1 + below(3);
  const world = new World({ maxOpen, minOpen: below(2), idleMs: below(300), waitMs: 50 + below(400) });
  world.openMs = below(60);
  world.closeMs = below(60);
  world.beforeOpen = () => {
    if (random.next() < 0.1) throw new DaybookError("corruption", "damaged");
  };
  const added = new Map<string, number>();
  const held = new Set<StoreLease<FakeStore>>();
  const calls: Promise<unknown>[] = [];
  const add = ({ store }: StoreLease<FakeStore>) => {
    store.add();
    added.set(store.name, (added.get(store.name) ?? 0) + 1);
  };
  const use = async (name: string) => {
    let lease: StoreLease<FakeStore> | null = null;
    const release = () => {
      if (lease !== null) held.delete(lease);
      lease?.release();
    };
    try {
      lease = await world.pool.acquire(name, random.next() < 0.4 ? release : null);
      held.add(lease);
      add(lease);
    } catch (error) {
      if (!["overloaded", "corruption"].includes((error as DaybookError).code)) throw error;
    }
  };
  for (let step = 0; step < 60; step += 1) {
    const kind = random.next();
    if (kind < 0.5) calls.push(use("abcdef".charAt(below(6))));
    else if (kind < 0.7) [...held].slice(0, 1 + below(2)).forEach((lease) => (add(lease), held.delete(lease), lease.release()));
    else if (kind < 0.73) {
      const name = "abcdef".charAt(below(6));
      const remove = () => Promise.resolve(void (world.disk.delete(name), added.delete(name)));
      calls.push(world.pool.remove(name, remove).catch((error: DaybookError) => expect(error.code).toBe("overloaded")));
    } else await world.time.pass(below(150));
    expect(world.present.size).toBeLessThanOrEqual(maxOpen);
  }
  await settled();
  held.forEach((lease) => (add(lease), lease.release()));
  held.clear();
  // Nobody waits for ever: not for a place, for an opening or for a closing.
  const over = Promise.all(calls).then(() => "over");
  for (let round = 0; round < 40; round += 1) {
    await world.time.pass(100);
    held.forEach((lease) => lease.release());
    held.clear();
  }
  expect(await Promise.race([over, settled().then(() => "waits")])).toBe("over");
  const closed = world.pool.close();
  await world.time.pass(1_000);
  await closed;
  expect(world.presentMax).toBeLessThanOrEqual(maxOpen);
  expect(Object.fromEntries(world.disk)).toEqual({ ...Object.fromEntries([...world.disk.keys()].map((name) => [name, 0])), ...Object.fromEntries(added) });
}

it("loses nothing, opens nothing twice and stays within its bound, in 200 random interleavings", async () => {
  for (let seed = 1; seed <= 200; seed += 1) await interleaving(seed);
});
