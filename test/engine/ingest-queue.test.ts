import { DaybookError, memoryStorage, openDaybook, type IdentityInput, type Storage } from "daybook";
import { expect, test } from "vitest";
import { useLimits } from "../limits.js";
import { lastingMemory } from "../store/objects.js";
import { RecordingStorage, wholeObjectsOnly } from "../store/recording-storage.js";
import { storedText } from "../store/stored-text.js";

useLimits({ headRowCount: 1_000, frameValueChars: 40 });

const event = (id: string, more: object = {}) => ({ id, name: "view", createdAt: new Date(5), ...more });
const codeOf = (error: unknown) => (error instanceof DaybookError ? error.code : error);

function failing(pattern: RegExp, code: "storage_full" | "overloaded"): (operation: string) => void {
  return (operation) => {
    if (pattern.test(operation)) throw new DaybookError(code, operation);
  };
}

test("An act between commits gets its turn, however many ingests keep coming.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  let isDone = false;
  let count = 0;
  const client = async () => {
    while (!isDone && count < 5_000) await daybook.ingest([event(`e${(count += 1)}`)]);
  };
  const clients = [client(), client(), client()];
  await daybook.createProject("p");
  isDone = true;
  await Promise.all(clients);
  expect(count).toBeLessThan(100);
});

test("Of many ingests that wait together each hears of its own events alone.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest([event("known")]);
  const outcomes = await Promise.all([
    daybook.ingest([event("a")]),
    daybook.ingest([]),
    daybook.ingest([event("b"), event("known"), event("c", { name: "" })]),
    daybook.ingest([event("a")]),
    daybook.ingest([event("d"), event("e", { project: "q" })], { project: "p" }),
    daybook.ingest([event("f", { createdAt: "never" }), event("g")]),
    daybook.ingest(Array.from({ length: 300 }, (_, at) => event(at === 270 ? "g" : `many${at}`))),
    daybook.ingest([event("h", { nonsense: 1 })]),
  ]);
  expect(outcomes.map(({ accepted, duplicates, rejected }) => [accepted, duplicates, rejected.map(({ index, code }) => `${index} ${code}`)])).toEqual([
    [1, 0, []],
    [0, 0, []],
    [1, 1, ["2 invalid_event"]],
    [0, 1, []],
    [1, 0, ["1 project_not_allowed"]],
    [1, 0, ["0 invalid_event"]],
    [299, 1, []],
    [0, 0, ["0 invalid_event"]],
  ]);
  expect(await daybook.countEvents()).toBe(1 + 1 + 1 + 1 + 1 + 299);
});

test("Many small ingests that wait together are encoded as one.", async () => {
  let encodedCount = 0;
  // Asked for the time of what comes in, once for all that is encoded together.
  const clock = { now: () => (encodedCount += 1) };
  await using daybook = await openDaybook({ storage: memoryStorage(), clock });
  await daybook.ingest([event("first", { createdAt: new Date(0) })]);
  encodedCount = 0;
  await Promise.all(Array.from({ length: 100 }, (_, at) => daybook.ingest([event(`later${at}`, { createdAt: new Date(0) })])));
  expect(encodedCount).toBeLessThan(10);
  expect(await daybook.countEvents()).toBe(101);
});

/** Storage whose next write to a journal waits for `act`, and fails if that does. */
function delayable(): { storage: Storage; delayNext: (act: () => Promise<void>) => void } {
  const inner = lastingMemory();
  const { openAppend } = inner;
  let next: (() => Promise<void>) | null = null;
  const open = async (key: string) => {
    const file = await openAppend?.call(inner, key);
    if (file === undefined) throw new Error("memory storage appends");
    return new Proxy(file, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        const bound = typeof member === "function" ? (member.bind(target) as (...given: unknown[]) => unknown) : member;
        if (name !== "write" || next === null || typeof bound !== "function") return bound;
        const delay = next;
        next = null;
        return async (...given: unknown[]) => {
          await delay();
          await bound(...given);
        };
      },
    });
  };
  const storage = new Proxy(inner, {
    get: (target, name) => {
      if (name === "openAppend") return open;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  return { storage, delayNext: (act) => (next = act) };
}

/** Storage whose next write to a journal takes its time and then fails. */
function failingLate(): { storage: Storage; failNext: () => void } {
  const { storage, delayNext } = delayable();
  const fail = async () => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    throw new DaybookError("storage_full", "the disk is full");
  };
  return { storage, failNext: () => delayNext(fail) };
}

test("A group takes 20,000 rows at the most, however long the one before it is committed.", async () => {
  const { storage, delayNext } = delayable();
  let takenCount = 0;
  const clock = { now: () => (takenCount += 1) };
  await using daybook = await openDaybook({ storage, clock });
  let release = () => undefined as void;
  delayNext(() => new Promise((resolve) => (release = resolve)));
  takenCount = 0;
  const many = (at: number) => Array.from({ length: 1_000 }, (_, row) => event(`e${at}.${row}`, { createdAt: new Date(0) }));
  const ingests = Promise.all(Array.from({ length: 30 }, (_, at) => daybook.ingest(many(at))));
  for (let before = -1; before < takenCount; await new Promise((resolve) => setTimeout(resolve, 100))) before = takenCount;
  // Each ingest and each commit takes its time: the first ingest is in the group that is being committed, and the others are in the next.
  expect(takenCount).toBe(1 + 1 + 20);
  release();
  await ingests;
  expect(await daybook.countEvents()).toBe(30_000);
});

test("A failure between commits is told to its own caller alone, and a close that waited gives the lock back.", async () => {
  const storage = new RecordingStorage();
  const daybook = await openDaybook({ storage });
  let failCount = 1;
  storage.before = (operation) => {
    if (operation.startsWith("append") && (failCount -= 1) >= 0) throw new DaybookError("storage_full", operation);
  };
  const outcomes = await Promise.allSettled([daybook.createProject("a"), daybook.createProject("b"), daybook.close()]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  const again = await openDaybook({ storage });
  expect(again.projects()).toContain("b");
});

test("What an ingest resolved with does not depend on what the caller does to its array meanwhile.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const batch = [event("a"), event("b")];
  const ingested = daybook.ingest(batch);
  batch.length = 0;
  expect(await ingested).toMatchObject({ accepted: 2 });
  expect(await daybook.countEvents()).toBe(2);
});

test("An ingest that is durable is not rejected because the seal behind it cannot begin.", async () => {
  const storage = new RecordingStorage();
  await using daybook = await openDaybook({ storage });
  storage.before = failing(/^open journal/, "overloaded");
  const events = Array.from({ length: 1_000 }, (_, at) => event(`e${at}`));
  expect(await daybook.ingest(events)).toMatchObject({ accepted: 1_000 });
  expect(await daybook.countEvents()).toBe(1_000);
  storage.before = () => undefined;
});

test("A hook that rejects harms nothing.", async () => {
  const heard: string[] = [];
  const onNotify = async ({ name }: { name: string }) => {
    heard.push(name);
    await Promise.reject(new Error("the hook's own fault"));
  };
  await using daybook = await openDaybook({ storage: memoryStorage(), onNotify });
  expect(await daybook.ingest([event("a", { notify: true })])).toMatchObject({ accepted: 1 });
  expect(heard).toEqual(["view"]);
});

test("While the disk is full, refused events leave nothing behind.", async () => {
  const storage = new RecordingStorage();
  const daybook = await openDaybook({ storage });
  await daybook.ingest([event("e")]);
  const { memoryByteLength } = await daybook.stats();
  storage.before = failing(/^append/, "storage_full");
  for (let at = 0; at < 3; at += 1) {
    const refused = event(`e${at}`, { url: `/${at}`, metadata: { [`key ${at}`]: at } });
    await expect(daybook.ingest([refused])).rejects.toMatchObject({ code: "storage_full" });
    expect((await daybook.stats()).memoryByteLength).toBe(memoryByteLength);
  }
  storage.before = () => undefined;
  expect(await daybook.ingest([event("e1", { url: "/1", metadata: { "key 1": 1 } })])).toMatchObject({ accepted: 1 });
  expect((await daybook.searchEvents()).events.map(({ url, metadata }) => [url, metadata])).toEqual([["/1", { "key 1": 1 }], ["", {}]]);
  const again = await openDaybook({ storage: new RecordingStorage(storage.objects) });
  expect((await again.searchEvents()).events).toEqual((await daybook.searchEvents()).events);
});

test("What was encoded while the group before it failed is encoded anew: nothing is lost, nothing taken for known.", async () => {
  const { storage, failNext } = failingLate();
  const daybook = await openDaybook({ storage });
  const some = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => event(`e${from + at}`, { url: `/${from + at}`, metadata: { [`k${(from + at) % 7}`]: from + at } }));
  await daybook.ingest(some(0, 10));
  failNext();
  const outcomes = await Promise.allSettled([daybook.ingest(some(5, 700)), daybook.ingest(some(650, 900)), daybook.ingest(some(890, 1_000))]);
  expect(outcomes).toMatchObject([
    { status: "rejected", reason: { code: "storage_full" } },
    { status: "fulfilled", value: { accepted: 250, duplicates: 0, rejected: [], adjusted: [] } },
    { status: "fulfilled", value: { accepted: 100, duplicates: 10, rejected: [], adjusted: [] } },
  ]);
  const fresh = await openDaybook({ storage: memoryStorage() });
  for (const part of [some(0, 10), some(650, 1_000)]) await fresh.ingest(part);
  const urlContains = { filterGroups: [{ filters: [{ fieldName: "url", operator: "contains", value: "7" }] }] };
  const answers = async (asked: typeof daybook) => [
    await asked.aggregate({ field: "url" }),
    (await asked.searchEvents({ limit: 1_000 })).events,
    (await asked.explain("countEvents", urlContains)).dictionaryValueCount,
  ];
  expect(await answers(daybook)).toEqual(await answers(fresh));
  await daybook.close();
  await using again = await openDaybook({ storage });
  expect(await answers(again)).toEqual(await answers(fresh));
  expect(await again.ingest(some(0, 1_000))).toMatchObject({ accepted: 640, duplicates: 360 });
});

test("More new values than fit one frame go into several, and the batch is read back whole.", async () => {
  const storage = new RecordingStorage();
  const daybook = await openDaybook({ storage });
  const before = storage.operations.filter((operation) => operation.startsWith("append")).length;
  const events = Array.from({ length: 9 }, (_, at) => event(`e${at}`, { url: `/${at}/${"x".repeat(at * 7)}`, metadata: { at } }));
  expect(await daybook.ingest(events)).toMatchObject({ accepted: 9 });
  expect(storage.operations.filter((operation) => operation.startsWith("append")).length - before).toBeGreaterThan(3);
  const again = await openDaybook({ storage: new RecordingStorage(storage.objects) });
  expect((await again.searchEvents()).events).toEqual((await daybook.searchEvents()).events);
  expect(await again.ingest(events)).toMatchObject({ duplicates: 9 });
});

test.each([1, 2, 3, 4])("A commit of several frames of which number %i could not be written is taken back whole, and comes whole when repeated.", async (failingNumber) => {
  const storage = new RecordingStorage();
  const daybook = await openDaybook({ storage });
  const events = [event("x", { metadata: { first: "x".repeat(30), second: "y".repeat(30), third: "z".repeat(30) } })];
  let appendCount = 0;
  storage.before = (operation) => {
    if (!operation.startsWith("append")) return;
    appendCount += 1;
    if (appendCount === failingNumber) throw new DaybookError("storage_full", operation);
  };
  await expect(daybook.ingest(events)).rejects.toMatchObject({ code: "storage_full" });
  expect(await storedText(storage)).not.toContain("xxx");
  expect(await daybook.ingest(events)).toMatchObject({ accepted: 1 });
  await daybook.close();
  await using again = await openDaybook({ storage: new RecordingStorage(storage.objects) });
  expect((await again.searchEvents()).events.map(({ metadata }) => metadata)).toEqual(events.map((one) => "metadata" in one && one.metadata));
});

test("A project that could not be stored does not appear later.", async () => {
  const storage = new RecordingStorage();
  await using daybook = await openDaybook({ storage });
  storage.before = failing(/^append/, "storage_full");
  await expect(daybook.createProject("a")).rejects.toMatchObject({ code: "storage_full" });
  storage.before = () => undefined;
  await daybook.ingest([event("x")]);
  expect(daybook.projects()).toEqual(["default"]);
});

test("A seal that waits behind a sync that fails is refused, so that nothing is acknowledged that recovery would drop.", async () => {
  const storage = new RecordingStorage();
  const daybook = await openDaybook({ storage });
  await daybook.ingest([event("a")]);
  storage.before = (operation) => {
    if (/^(sync journal|write segments)/.test(operation)) throw new Error("EIO");
  };
  const outcomes = [daybook.ingest([event("b")]), daybook.seal()].map((outcome) => outcome.then(() => "done", codeOf));
  expect(await Promise.all(outcomes)).toEqual(["read_only", "read_only"]);
  storage.before = () => undefined;
  expect(await daybook.ingest([event("c"), event("d")]).then(() => "done", codeOf)).toBe("read_only");
});

test("An id is found in segments that are compacted away while it is looked for.", async () => {
  const inner = new RecordingStorage();
  const gate = { key: "", opened: Promise.resolve() };
  const storage = {
    ...wholeObjectsOnly(inner),
    read: async (...[key, range]: Parameters<RecordingStorage["read"]>) => {
      if (key === gate.key) await gate.opened;
      return await inner.read(key, range);
    },
  };
  await using daybook = await openDaybook({ storage, memoryBudgetBytes: 0 });
  const laterMs = 5 * 86_400_000;
  await daybook.ingest([event("later", { createdAt: new Date(laterMs) })]);
  await daybook.seal();
  gate.key = (await inner.list("segments/"))[0] ?? "";
  for (let round = 0; round < 4; round += 1) {
    await daybook.ingest([event(`e${round}`)]);
    await daybook.seal();
  }
  await daybook.ingest([event("e4")]);
  let open = () => undefined as void;
  gate.opened = new Promise((resolve) => (open = resolve));
  const sealed = daybook.seal();
  const ingested = daybook.ingest([event("e0", { createdAt: new Date(laterMs) })]);
  await sealed;
  expect(await daybook.stats()).toMatchObject({ segmentCount: 2 });
  open();
  expect(await ingested).toMatchObject({ duplicates: 1 });
});

test("Whom a failed ingest named is nobody, then and when somebody else is given the code.", async () => {
  const { storage, failNext } = failingLate();
  await using daybook = await openDaybook({ storage });
  const profileOf = async (subject: IdentityInput) => (await daybook.identityProfile(subject).catch((error: unknown) => error)) as { code?: string; events?: number };
  await daybook.ingest([event("e1", { userId: "ann" })]);
  failNext();
  const ingest = daybook.ingest([event("e2", { userId: "bob@shop.example" })]).catch(codeOf);
  await Promise.resolve();
  for (const subject of [{ email: "bob@shop.example" }, { userId: "bob@shop.example" }]) expect(await profileOf(subject)).toMatchObject({ code: "identity_not_found" });
  expect(await ingest).toBe("storage_full");
  await daybook.ingest([event("e3", { userId: "alice", createdAt: undefined }), event("e4", { userId: "carol@shop.example", createdAt: undefined })]);
  expect(await profileOf({ email: "bob@shop.example" })).toMatchObject({ code: "identity_not_found" });
  expect(await profileOf({ email: "carol@shop.example" })).toMatchObject({ events: 1 });
  expect(await profileOf({ userId: "alice" })).toMatchObject({ events: 1 });
});

test("A query sees links and events of one moment, with a signal and without.", async () => {
  for (const options of [{}, { signal: new AbortController().signal }]) {
    const seen = new Set<number>();
    for (let turnCount = 0; turnCount < 60; turnCount += 1) {
      await using daybook = await openDaybook({ storage: memoryStorage() });
      await daybook.ingest([event("e1", { anonymousId: "device" }), event("e2", { userId: "ann" })]);
      const ingest = daybook.ingest([event("e3", { anonymousId: "device", userId: "ann" }), event("e4", { userId: "bob" }), event("e5", { userId: "carl" })]);
      for (let turn = 0; turn < turnCount; turn += 1) await null;
      seen.add(await daybook.countUniqueUsers({}, options));
      await ingest;
    }
    // Two before, three after; one would be the link without the events that came with it.
    expect(seen).toEqual(new Set([2, 3]));
  }
});

test("Somebody, or a company, whose first event comes in meanwhile is unknown or there with it, never there without.", async () => {
  const seen = new Set<string>();
  for (let turnCount = 0; turnCount < 60; turnCount += 1) {
    await using daybook = await openDaybook({ storage: memoryStorage() });
    await daybook.ingest([event("e1", { userId: "ann", companyId: "old", createdAt: Date.now() })]);
    // Who is of which company is found in turns at first, and the event would always be there before.
    await daybook.companyTopUsers({ companyId: "old" });
    const ingest = daybook.ingest([event("e2", { userId: "bob", companyId: "new", createdAt: Date.now() })]);
    for (let turn = 0; turn < turnCount; turn += 1) await null;
    const [profile, top] = await Promise.all([
      daybook.identityProfile({ userId: "bob" }).then(({ events }) => events, codeOf),
      daybook.companyTopUsers({ companyId: "new" }).then(({ users }) => users.length, codeOf),
    ]);
    seen.add(`profile ${String(profile)}`).add(`company ${String(top)}`);
    await ingest;
  }
  expect(seen).toEqual(new Set(["profile identity_not_found", "profile 1", "company company_not_found", "company 1"]));
});
