/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import { seededRandom, type Random } from "daybook/testing";
import { expect, test } from "vitest";
import { Scratch } from "../../../src/core/base/scratch.js";
import { Yielder } from "../../../src/core/base/yield.js";
import { Prefetch } from "../../../src/storage/segment/prefetch.js";
import type { Rows } from "../../../src/storage/segment/rows.js";
import type { EventColumns } from "../../../src/query/tables/sessions/event-source.js";
import { eachInOrder, type EventReader, type PartSource, type ReadEvents } from "../../../src/query/tables/sessions/events-in-order.js";
import { baseSeed, caseCount } from "../../oracle/settings.js";

const DAY_MS = 86_400_000;

/** Columns of which only the times tell something. */
function columnsOf(times: readonly number[]): EventColumns {
  const codes = new Uint32Array(times.length);
  return { users: codes, anonymous: codes, projects: null, onlyProject: 1, slugs: codes, urls: codes, times: Int32Array.from(times), isPageview: new Uint8Array(1), leftOut: null };
}

/** Segments whose rows have these times, and a reader of them that notes which are pinned. */
function sourcesOf(timesOf: readonly { readonly day: number; readonly times: readonly number[]; readonly isPicked: boolean }[]) {
  const pins = timesOf.map(() => 0);
  let mostPinnedCount = 0;
  const sources = timesOf.map(({ day, times, isPicked }, part): PartSource => {
    const pin = (by: number) => {
      pins[part]! += by;
      mostPinnedCount = Math.max(mostPinnedCount, pins.filter((count) => count > 0).length);
    };
    const rows = { day, rowCount: times.length, minMs: times[0] ?? Infinity, sealed: true, pin: () => pin(1), unpin: () => pin(-1) };
    const rowNumbers = Uint32Array.from(times.keys(), (row) => row * 2);
    // What else a segment has, nobody here asks.
    return { part, rows: rows as unknown as Rows, picked: isPicked ? { events: columnsOf(times), rowNumbers } : null };
  });
  const damaged = new Set<Rows>();
  const readOf = (rows: Rows) => ({ decode: () => columnsOf(timesOf[sources.findIndex((source) => source.rows === rows)]!.times), sequences: null, scratch: new Scratch() });
  const reader = {
    yielder: new Yielder(),
    onRowsRead: () => undefined,
    readsOf: (all: readonly Rows[]) => new Prefetch<ReadEvents>(all, (rows) => (damaged.has(rows) ? Promise.reject(new Error("damaged")) : Promise.resolve(readOf(rows)))),
  };
  return { sources, damaged, pins, reader: reader as unknown as EventReader, mostPinnedCount: () => mostPinnedCount };
}

/** All events as they are told of: their instants, parts and rows. */
async function told(sources: readonly PartSource[], reader: EventReader): Promise<(readonly [ms: number, part: number, row: number])[]> {
  const events: (readonly [number, number, number])[] = [];
  await eachInOrder(sources, reader, ({ part, dayMs, events: { times }, order, rowNumbers }, from, to) => {
    for (let at = from; at < to; at += 1) {
      const place = order === null ? at : order[at]!;
      events.push([dayMs + times[place]!, part, rowNumbers === null ? place : rowNumbers[place]! / 2]);
    }
  });
  return events;
}

function randomTimes(random: Random) {
  const times = Array.from({ length: random.between(0, random.pick([3, 40])) }, () => random.between(0, random.pick([5, DAY_MS - 1])));
  return { day: random.between(0, 2), times: times.sort((a, b) => a - b), isPicked: random.chance(0.2) };
}

test("Events of random segments come in the order of their times, each once, and nothing stays pinned.", async () => {
  for (let seed = baseSeed; seed < baseSeed + caseCount(200, 5_000); seed += 1) {
    const random = seededRandom(seed);
    const timesOf = Array.from({ length: random.between(0, 6) }, () => randomTimes(random));
    const { sources, reader, pins } = sourcesOf(timesOf);
    const events = await told(sources, reader);
    const all = timesOf.flatMap(({ day, times }, part) => times.map((ms, row) => [day * DAY_MS + ms, part, row] as const));
    expect(events.map(([ms]) => ms), `seed ${seed}`).toEqual(all.map(([ms]) => ms).sort((a, b) => a - b));
    for (const part of timesOf.keys()) expect(events.filter((event) => event[1] === part), `seed ${seed}`).toEqual(all.filter((event) => event[1] === part));
    expect(pins.every((count) => count === 0)).toBe(true);
  }
});

test("A segment is read when its first event comes: of many that do not overlap one is in memory, and what is loaded ahead.", async () => {
  const days = Array.from({ length: 40 }, (_, day) => ({ day, times: [1, 2, 3], isPicked: false }));
  const { sources, reader, mostPinnedCount } = sourcesOf(days);
  expect(await told(sources.toReversed(), reader)).toHaveLength(120);
  expect(mostPinnedCount()).toBeLessThanOrEqual(5);
});

test("What cannot be read is told to who asked, and nothing stays pinned.", async () => {
  const { sources, damaged, reader, pins } = sourcesOf(Array.from({ length: 8 }, (_, day) => ({ day, times: [0, DAY_MS - 1], isPicked: false })));
  damaged.add(sources[5]!.rows);
  await expect(told(sources, reader)).rejects.toThrow("damaged");
  expect(pins.every((count) => count === 0)).toBe(true);
});
