import { expect, test } from "vitest";
import { LIMITS } from "../../src/core/base/limits.js";
import { Changes } from "../../src/engine/follow/changes.js";
import type { Change } from "../../src/engine/follow/changes.js";
import { memoryStorage, openDaybook } from "../../src/index.js";
import type { Daybook } from "../../src/index.js";

async function open(): Promise<Daybook> {
  return await openDaybook({ storage: memoryStorage() });
}

/** The next change, or `nothing` within so many ms. */
async function next(changes: AsyncIterator<Change>, ms: number): Promise<Change | "nothing" | "end"> {
  const came = changes.next().then(({ done, value }) => (done === true ? ("end" as const) : (value as Change)));
  return await Promise.race([came, new Promise<"nothing">((resolve) => setTimeout(() => resolve("nothing"), ms))]);
}

const WAIT_MS = 5_000;

test.concurrent("a listener hears of events with the newest sequence and their projects, each once", async () => {
  const daybook = await open();
  await daybook.ingest([{ name: "before" }]);
  const changes = daybook.changes()[Symbol.asyncIterator]();
  const first = next(changes, WAIT_MS);
  await daybook.ingest([{ name: "a", project: "shop" }, { name: "b", project: "blog" }, { name: "c", project: "shop" }]);
  expect(await first).toEqual({ sequence: 4, projects: ["blog", "shop"] });
  expect(await next(changes, 400)).toBe("nothing");
  await daybook.close();
});

test.concurrent("what comes within 250 ms is told together, with the newest sequence", async () => {
  const daybook = await open();
  const changes = daybook.changes()[Symbol.asyncIterator]();
  const first = next(changes, WAIT_MS);
  await daybook.ingest([{ name: "a" }]);
  expect(await first).toEqual({ sequence: 1, projects: ["default"] });
  const startedMs = performance.now();
  for (let at = 0; at < 10; at += 1) await daybook.ingest([{ name: "a", project: `p${at % 2}` }]);
  const told: Change[] = [];
  while (told.at(-1)?.sequence !== 11) told.push((await next(changes, WAIT_MS)) as Change);
  expect(new Set(told.flatMap(({ projects }) => projects))).toEqual(new Set(["p0", "p1"]));
  const tookMs = performance.now() - startedMs;
  expect(tookMs).toBeGreaterThan(told.length * LIMITS.changeMs - 20);
  await daybook.close();
});

test.concurrent("a listener that is slow hears of the newest only, and holds up nobody", async () => {
  const daybook = await open();
  const [slow, quick] = [daybook.changes()[Symbol.asyncIterator](), daybook.changes()[Symbol.asyncIterator]()];
  const [slowFirst, quickFirst] = [next(slow, WAIT_MS), next(quick, WAIT_MS)];
  await daybook.ingest([{ name: "a" }]);
  expect(await slowFirst).toMatchObject({ sequence: 1 });
  expect(await quickFirst).toMatchObject({ sequence: 1 });
  await daybook.ingest([{ name: "b" }]);
  expect(await next(quick, WAIT_MS)).toMatchObject({ sequence: 2 });
  await daybook.ingest([{ name: "c", project: "shop" }]);
  expect(await next(quick, WAIT_MS)).toMatchObject({ sequence: 3 });
  expect(await next(slow, WAIT_MS)).toEqual({ sequence: 3, projects: ["default", "shop"] });
  await daybook.close();
});

test.concurrent("what tells who is who concerns every project: records, events with two ids, and records taken back", async () => {
  const daybook = await open();
  await daybook.ingest([{ name: "a", project: "blog" }, { name: "a", project: "shop" }]);
  const changes = daybook.changes()[Symbol.asyncIterator]();
  const told = async (act: () => Promise<unknown>) => {
    const change = next(changes, WAIT_MS);
    await act();
    return await change;
  };
  const all = ["blog", "default", "shop"];
  let linkId = "";
  expect(await told(async () => ({ linkId } = await daybook.identify({ userId: "u", anonymousId: "b" })))).toMatchObject({ projects: all });
  expect(await told(() => daybook.ingest([{ name: "a", project: "shop", userId: "u", anonymousId: "c" }]))).toMatchObject({ projects: all });
  expect(await told(() => daybook.unlink(linkId))).toMatchObject({ projects: all });
  expect(await told(() => daybook.createProject("new"))).toMatchObject({ projects: [...all.slice(0, 2), "new", "shop"] });
  await daybook.close();
});

test.concurrent("ids that were tied before concern no other project", async () => {
  const daybook = await open();
  const tied = { name: "a", project: "shop", userId: "u", anonymousId: "b" };
  await daybook.ingest([tied, { name: "a", project: "blog" }]);
  const changes = daybook.changes()[Symbol.asyncIterator]();
  const change = next(changes, WAIT_MS);
  await daybook.ingest([tied]);
  expect(await change).toEqual({ sequence: 3, projects: ["shop"] });
  expect(await next(daybook.changes({ after: 2 })[Symbol.asyncIterator](), WAIT_MS)).toEqual({ sequence: 3, projects: ["shop"] });
  await daybook.close();
});

test.concurrent("an erasure is told of", async () => {
  const daybook = await open();
  await daybook.ingest([{ name: "a", userId: "u" }]);
  const changes = daybook.changes()[Symbol.asyncIterator]();
  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "u" } });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  const change = next(changes, WAIT_MS);
  await daybook.privacyRequests.resolve(id, "completed");
  expect(await change).toMatchObject({ projects: ["default"] });
  expect(await daybook.countEvents()).toBe(0);
  await daybook.close();
});

test.concurrent("nothing is missed between the call and the first look, nor by one who names where they were", async () => {
  const daybook = await open();
  await daybook.ingest([{ name: "a" }]);
  const changes = daybook.changes();
  await daybook.ingest([{ name: "a", project: "shop" }]);
  expect(await next(changes[Symbol.asyncIterator](), WAIT_MS)).toEqual({ sequence: 2, projects: ["shop"] });
  expect(await next(daybook.changes({ after: 1 })[Symbol.asyncIterator](), WAIT_MS)).toEqual({ sequence: 2, projects: ["shop"] });
  expect(await next(daybook.changes({ after: 0 })[Symbol.asyncIterator](), WAIT_MS)).toEqual({ sequence: 2, projects: ["default", "shop"] });
  expect(await next(daybook.changes({ after: 9 })[Symbol.asyncIterator](), WAIT_MS)).toEqual({ sequence: 2, projects: ["default", "shop"] });
  expect(await next(daybook.changes({ after: 2 })[Symbol.asyncIterator](), 400)).toBe("nothing");
  await daybook.close();
});

test.concurrent("a batch of known events changes nothing and is not told of", async () => {
  const daybook = await open();
  await daybook.ingest([{ id: "1", name: "a" }]);
  const changes = daybook.changes()[Symbol.asyncIterator]();
  const change = next(changes, 400);
  await daybook.ingest([{ id: "1", name: "a" }]);
  expect(await change).toBe("nothing");
  await daybook.close();
});

test.concurrent("a signal ends it with aborted, a close quietly", async () => {
  const daybook = await open();
  const signal = { aborted: false };
  const stopped = daybook.changes({ signal })[Symbol.asyncIterator]().next();
  signal.aborted = true;
  await expect(stopped).rejects.toMatchObject({ code: "aborted" });
  const open_ = next(daybook.changes()[Symbol.asyncIterator](), WAIT_MS);
  await daybook.close();
  expect(await open_).toBe("end");
  await expect(daybook.changes()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "closed" });
});

test.concurrent("a listener that was busy when the store was closed hears the end", async () => {
  const daybook = await open();
  const changes = daybook.changes()[Symbol.asyncIterator]();
  const first = next(changes, WAIT_MS);
  await daybook.ingest([{ name: "a" }]);
  expect(await first).toMatchObject({ sequence: 1 });
  await daybook.close();
  expect(await next(changes, WAIT_MS)).toBe("end");
});

test.concurrent("only so many listen at once; one that ends makes room", async () => {
  const changes = new Changes({ newestSequence: 0, resolver: { moves: { count: 0 } } } as never);
  const listeners = Array.from({ length: LIMITS.changeReaderCount }, () => changes.read({}, 0));
  const waiting = listeners.map((listener) => listener.next());
  const late = changes.read({}, 0);
  await expect(late.next()).rejects.toMatchObject({ code: "overloaded" });
  changes.close();
  await Promise.all(waiting);
});

test.concurrent("options that nobody reads and sequences that are none are refused", async () => {
  const daybook = await open();
  await expect(daybook.changes({ after: -1 })[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "after" } });
  await expect(daybook.changes({ since: 1 } as object)[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "unknown_parameter" });
  await daybook.close();
});
