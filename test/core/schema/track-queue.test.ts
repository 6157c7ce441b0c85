import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DaybookError } from "../../../src/core/base/errors.js";
import type { EventInput, IngestResult } from "../../../src/core/schema/event.js";
import { readTrackQueueOptions, TrackQueue, type TrackIngest, type TrackQueueOptions } from "../../../src/core/schema/track-queue.js";
import { VirtualMachine } from "../../client/kit.js";
import { NOW_MS } from "../../http/kit.js";

type Reply = DaybookError | Partial<IngestResult> | "never";

const STORED: IngestResult = { accepted: 0, duplicates: 0, rejected: [], adjusted: [] };
const late = (code: "overloaded" | "unreachable" = "overloaded", details: object = {}) => new DaybookError(code, "later", { ...details });

/** A queue over an ingest that answers in this order, the last answer again and again. */
function scripted(replies: readonly Reply[] = [{}], options: TrackQueueOptions = {}) {
  const environment = new VirtualMachine();
  const batches: { readonly names: readonly string[]; readonly project: string | undefined; readonly afterMs: number }[] = [];
  const ids: unknown[][] = [];
  const faults: { readonly code: string; readonly message: string; readonly names: readonly string[] }[] = [];
  const ingest: TrackIngest = async (events, { project }) => {
    const reply = replies[Math.min(batches.length, replies.length - 1)];
    batches.push({ names: events.map(({ name }) => name), project, afterMs: environment.nowMs() - NOW_MS });
    ids.push(events.map(({ id }) => id));
    if (reply === "never") return await new Promise<never>(() => undefined);
    if (reply instanceof DaybookError) throw reply;
    return { ...STORED, ...reply };
  };
  const onError = ({ code, message }: DaybookError, events: readonly EventInput[]) => faults.push({ code, message, names: events.map(({ name }) => name) });
  const queue = new TrackQueue(readTrackQueueOptions({ onError, ...options }), { random: (bytes) => bytes.fill(7), environment, delays: { baseMs: 200, maxMs: 10_000 } });
  const add = (event: unknown, project: string | null = null) => queue.add({ event: event as EventInput, project, ingest, nowMs: NOW_MS });
  const addMany = (count: number) => Array.from({ length: count }, (_, at) => add({ name: `${at}` }));
  const times = () => batches.map(({ afterMs }) => afterMs);
  return { queue, add, addMany, batches, ids, faults, environment, times };
}

const sizes = (batches: readonly { readonly names: readonly string[] }[]) => batches.map(({ names }) => names.length);

describe("a batch", () => {
  it("is stored when its first event has waited 200 ms, or at once when 500 events wait", async () => {
    const { queue, add, addMany, batches, environment } = scripted();
    add({ name: "first" });
    await environment.sleep(150, new AbortController().signal);
    add({ name: "second" });
    await environment.sleep(100, new AbortController().signal);
    expect(batches).toEqual([{ names: ["first", "second"], project: undefined, afterMs: 200 }]);
    addMany(1_001);
    await environment.sleep(1, new AbortController().signal);
    expect(sizes(batches)).toEqual([2, 500, 500]);
    await queue.flush();
    expect([sizes(batches), queue.isEmpty]).toEqual([[2, 500, 500, 1], true]);
  });

  it("is stored at once when it takes half of the room, or at a flush", async () => {
    const { queue, add, batches, times } = scripted([{}], { queuedBytes: 1_000 });
    for (let at = 0; at < 5; at += 1) add({ name: "x", metadata: { text: "a".repeat(60) } });
    await new Promise((resolve) => setImmediate(resolve));
    add({ name: "last" });
    await queue.flush();
    expect([sizes(batches).reduce((sum, size) => sum + size), times().every((ms) => ms === 0)]).toEqual([6, true]);
  });

  it("has events of one project, in the order of their calls", async () => {
    const { queue, add, batches } = scripted();
    for (const [name, project] of [["a", null], ["b", "shop"], ["c", "shop"], ["d", null]] as const) add({ name }, project);
    await queue.flush();
    expect(batches.map(({ names, project }) => [names.join(""), project])).toEqual([["a", undefined], ["bc", "shop"], ["d", undefined]]);
  });

  it("has events as they were at the call, each with an id and a time", async () => {
    const stored: EventInput[] = [];
    const { queue, add } = scripted();
    const event = { name: "a" };
    const ingest: TrackIngest = async (events) => (stored.push(...events), STORED);
    queue.add({ event, project: null, ingest, nowMs: NOW_MS });
    event.name = "b";
    for (const given of [{ name: "c", id: "mine", timestamp: 5 }, { name: "d", id: "", createdAt: null }]) queue.add({ event: given, project: null, ingest, nowMs: NOW_MS });
    await queue.flush();
    const id = expect.stringMatching(/^[0-9a-f-]{14}7[0-9a-f-]{21}$/) as string;
    const createdAt = new Date(NOW_MS).toISOString();
    expect(stored).toEqual([{ name: "a", id, createdAt }, { name: "c", id: "mine", timestamp: 5 }, { name: "d", id, createdAt }]);
    add(null);
  });
});

describe("a batch that fails for a passing reason", () => {
  it("is stored again under the same ids, after random delays under a bound that doubles up to a highest", async () => {
    const { queue, add, ids, times, environment, faults } = scripted([...Array.from({ length: 8 }, () => late()), {}]);
    environment.randomValue = 1;
    add({ name: "a" });
    await queue.flush();
    const delays = times().slice(1).map((ms, at) => ms - (times()[at] ?? 0));
    expect(delays).toEqual([200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
    expect([new Set(ids.map(String)).size, faults]).toEqual([1, []]);
    const other = scripted([late(), late(), {}]);
    other.environment.randomValue = 0.25;
    other.add({ name: "a" });
    await other.queue.flush();
    expect(other.times()).toEqual([0, 50, 150]);
  });

  it("waits as long as the server asks, and so do the events behind it", async () => {
    const { queue, add, addMany, batches, times } = scripted([late("overloaded", { retryAfterMs: 7_000 }), {}]);
    add({ name: "a" });
    const flushed = queue.flush();
    addMany(600);
    await flushed;
    await queue.flush();
    expect([times(), sizes(batches)]).toEqual([[0, 7_000, 7_000], [500, 500, 101]]);
  });

  it("starts with the shortest delay again once something was stored", async () => {
    const { queue, add, times, environment } = scripted([late(), late(), {}, late(), {}]);
    environment.randomValue = 1;
    add({ name: "a" });
    await queue.flush();
    add({ name: "b" });
    await queue.flush();
    expect(times()).toEqual([0, 200, 600, 600, 800]);
  });

  it("is given up after five minutes with all events of that age, and younger ones are not", async () => {
    const { add, addMany, batches, faults, environment } = scripted([late("unreachable")], { batchEventCount: 2 });
    environment.randomValue = 1;
    addMany(5);
    await environment.sleep(285_000, new AbortController().signal);
    expect(faults).toEqual([]);
    add({ name: "young" });
    await environment.sleep(30_000, new AbortController().signal);
    const message = "given up after 300000 ms: later";
    expect(faults).toEqual([["0", "1"], ["2", "3"], ["4"]].map((names) => ({ code: "unreachable", message, names })));
    expect(batches.at(-1)?.names).toEqual(["young"]);
  });

  it("is not waited for where the server asks for longer", async () => {
    const { queue, addMany, batches, faults } = scripted([late("overloaded", { retryAfterMs: 3_600_000 })]);
    addMany(1_200);
    await queue.flush();
    // The first batch asked; the others cannot be stored in time either.
    expect([sizes(batches), faults.map(({ names }) => names.length)]).toEqual([[500], [500, 500, 200]]);
  });
});

describe("events that are not stored are passed to onError", () => {
  it("where the batch fails for good", async () => {
    const { queue, addMany, batches, faults } = scripted([new DaybookError("read_only", "no writes"), {}]);
    addMany(501);
    await queue.flush();
    expect([faults.map(({ code, names }) => [code, names.length]), sizes(batches)]).toEqual([[["read_only", 500]], [500, 1]]);
  });

  it("where they are rejected, by one error for a batch", async () => {
    const rejected = [{ index: 1, code: "invalid_event", message: "name: expected 1 to 200 characters" }, { index: 3, code: "suppressed", message: "erased" }] as const;
    const { queue, addMany, faults } = scripted([{ rejected }]);
    addMany(5);
    await queue.flush();
    expect(faults).toEqual([{ code: "invalid_event", message: "events[0].name (and 1 more): expected 1 to 200 characters", names: ["1", "3"] }]);
  });

  it("where the server lists only the first rejected ones, by sending the rest again", async () => {
    const wrong = (...indexes: number[]) => indexes.map((index) => ({ index, code: "invalid_event" as const, message: "no" }));
    const { queue, addMany, batches, faults } = scripted([{ rejected: wrong(0, 2), rejectedCount: 3 }, { rejected: wrong(2) }]);
    addMany(5);
    await queue.flush();
    expect([batches.map(({ names }) => names.join("")), faults.map(({ names }) => names.join(""))]).toEqual([["01234", "134"], ["02", "4"]]);
  });

  it("where the queue has no room for them, by number or by bytes", async () => {
    const { queue, addMany, add, faults } = scripted(["never"]);
    addMany(10_001);
    expect(faults).toEqual([{ code: "overloaded", message: "the queue of track is full: 10000 events are waiting", names: ["10000"] }]);
    const small = scripted([{}], { queuedBytes: 250 });
    for (const name of ["a", "é".repeat(60), "b"]) small.add({ name });
    expect(small.faults.map(({ names }) => names)).toEqual([["é".repeat(60)]]);
    expect(small.faults[0]?.message).toMatch(/^the queue of track is full: \d+ of 250 bytes are taken, and the event has 2\d\d$/);
    await small.queue.flush();
    small.add({ name: "c" });
    await small.queue.flush();
    expect(small.batches.map(({ names }) => names)).toEqual([["a", "b"], ["c"]]);
    expect(queue.isEmpty).toBe(false);
    add({ name: "more" });
    expect(faults).toHaveLength(2);
  });

  it("where the check of a schema throws", async () => {
    const { queue, faults } = scripted();
    queue.add({ event: { name: "a" }, project: null, ingest: () => Promise.reject(new TypeError("mine")), nowMs: NOW_MS });
    await queue.flush();
    expect(faults).toEqual([{ code: "invalid_event", message: 'an event could not be checked: "TypeError: mine"', names: ["a"] }]);
  });

  it("and what it throws is ignored", async () => {
    const { queue, add, batches } = scripted([new DaybookError("read_only", "no"), {}], { onError: () => { throw new Error("mine"); } });
    add({ name: "a" });
    await queue.flush();
    add({ name: "b" });
    await queue.flush();
    expect(batches).toHaveLength(2);
  });
});

describe("without onError", () => {
  const warn = vi.fn();
  beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(warn));
  afterEach(() => {
    vi.restoreAllMocks();
    warn.mockReset();
  });

  it("a flush rejects with the first error since the last one, and a line in ten seconds counts the events", async () => {
    const { queue, add, environment } = scripted([new DaybookError("read_only", "no writes"), new DaybookError("closed", "closed"), {}], { onError: undefined as never });
    add({ name: "a" });
    await environment.sleep(300, new AbortController().signal);
    add({ name: "b" });
    await expect(queue.flush()).rejects.toMatchObject({ code: "read_only" });
    const line = "daybook: tracked events not stored: 1; read_only: no writes";
    // At once, and at the flush what was not counted yet.
    expect(warn.mock.calls).toEqual([[line], [line]]);
    add({ name: "c" });
    await queue.flush();
    expect(warn).toHaveBeenCalledTimes(2);
  });
});

it("A clock that is set back delays no batch, and no attempt, for longer than it was to wait.", async () => {
  const { queue, add, batches, environment } = scripted([late(), {}]);
  const nowMs = vi.spyOn(environment, "nowMs");
  add({ name: "a" });
  nowMs.mockReturnValue(NOW_MS - 3_600_000);
  await vi.waitFor(() => expect(queue.isEmpty).toBe(true));
  expect([sizes(batches), Math.max(...environment.sleeps)]).toEqual([[1, 1], 200]);
});

it("A clock that is set back between events gives up none but those that it reports.", async () => {
  const { queue, add, batches, faults, environment } = scripted([late("overloaded", { retryAfterMs: 3_500 }), {}], { giveUpAfterMs: 3_000 });
  const nowMs = vi.spyOn(environment, "nowMs");
  for (const [name, takenMs] of [["old", 1_000], ["young", 5_000], ["after", 1_100]] as const) {
    nowMs.mockReturnValue(NOW_MS + takenMs);
    add({ name });
  }
  await vi.waitFor(() => expect(queue.isEmpty).toBe(true));
  expect(faults.map(({ names }) => names)).toEqual([["old"]]);
  expect(batches.map(({ names }) => names)).toEqual([["old", "young", "after"], ["young", "after"]]);
});

describe("a flush", () => {
  it("waits for the events before it, and not for those after", async () => {
    const { queue, add, batches } = scripted(["never"]);
    await queue.flush();
    add({ name: "a" });
    let isDone = false;
    void queue.flush().then(() => (isDone = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([batches.length, isDone]).toEqual([1, false]);
  });

  it("is stopped by its signal, and its events stay", async () => {
    const { queue, add, environment } = scripted([late("overloaded", { retryAfterMs: 60_000 }), {}]);
    add({ name: "a" });
    const signal = { aborted: false };
    const stopped = expect(queue.flush({ signal })).rejects.toMatchObject({ code: "aborted" });
    await environment.sleep(1_000, new AbortController().signal);
    signal.aborted = true;
    await stopped;
    expect(queue.isEmpty).toBe(false);
    await queue.flush();
    expect(queue.isEmpty).toBe(true);
  });
});
