import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixedClock, openDaybook, type Daybook, type EventInput, type EventRecord } from "daybook";
import { fileStorage } from "daybook/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allPages } from "./oracle/answers.js";

const text = await readFile(new URL("./fixtures/naughty-strings.json", import.meta.url), "utf8");
const strings = JSON.parse(text) as string[];
const distinct = [...new Set(strings)].filter((string) => string !== "");
const names = distinct.filter((string) => string.length <= 200);
/** What becomes of the strings that are whole addresses, where they are an event's url. */
const pathOfAddress = new Map([["http://a/%%30%30", "/%%30%30"], ["http://www.cum.qc.ca/", "/"]]);
const storedUrl = (string: string) => pathOfAddress.get(string) ?? string;
const midnightMs = Date.UTC(2026, 2, 1);

const events: readonly EventInput[] = distinct.map((string, index) => ({
  id: `naughty ${index}`,
  name: names.includes(string) ? string : "too long",
  createdAt: midnightMs + index,
  userId: string,
  url: string,
  browser: string,
  metadata: Object.fromEntries([[string, string], ["value", string], ["nested", Object.fromEntries([[string, [string]]])]]),
}));

let directory: string;
let daybook: Daybook;
const open = () => openDaybook({ storage: fileStorage(directory), clock: fixedClock(midnightMs + 86_400_000) });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "daybook-naughty-"));
  daybook = await open();
  expect(await daybook.ingest(events)).toEqual({ accepted: events.length, duplicates: 0, rejected: [], adjusted: [] });
});

afterAll(async () => {
  await daybook.close();
  await rm(directory, { recursive: true });
});

test("The list is whole.", () => {
  expect(strings).toHaveLength(515);
  expect(distinct.length).toBeGreaterThan(480);
});

const stages: readonly [string, () => Promise<void>][] = [
  ["in the head", async () => {}],
  ["in a segment", () => daybook.seal()],
  ["after a restart", async () => {
    await daybook.close();
    daybook = await open();
  }],
];

for (const [where, reach] of stages) {
  test(`Every naughty string comes back as it was, ${where}.`, async () => {
    await reach();
    const found = (await allPages(daybook, {}, 100)).reverse();
    const shown = ({ name, userId, url, browser, metadata }: EventInput | EventRecord) => ({ name, userId, url, browser, metadata });
    expect(found.map(shown)).toEqual(events.map((event) => ({ ...shown(event), url: storedUrl(event.url ?? "") })));
  });

  test(`Every naughty string is found by equality, ${where}.`, async () => {
    for (const [index, string] of distinct.entries()) {
      const counts = await Promise.all([
        countWhere("userId", string), countWhere("url", storedUrl(string)), countWhere("browser", string),
        countWhere("metadata.value", string), countWhere(`metadata.${string}`, string),
        daybook.countEvents({ userId: string }), daybook.countEvents({ eventName: events[index]?.name ?? "" }),
      ]);
      const named = events.filter(({ name }) => name === events[index]?.name).length;
      expect([string, ...counts]).toEqual([string, 1, 1, 1, 1, 1, 1, named]);
    }
  });

  test(`Every naughty string is a row of an aggregate, ${where}.`, async () => {
    for (const input of [{ field: "user_id" }, { field: "browser" }, { metadataField: "value" }] as const) {
      expect(await daybook.aggregate(input)).toEqual(rowsOf(distinct));
    }
    expect(await daybook.aggregate({ field: "url" })).toEqual(rowsOf(distinct.map(storedUrl)));
    expect(await daybook.countUniqueUsers()).toBe(distinct.length);
  });
}

function rowsOf(properties: readonly string[]) {
  const rows = properties.map((property) => ({ property, count: 1 }));
  return rows.sort((a, b) => Buffer.compare(Buffer.from(a.property), Buffer.from(b.property)));
}

function countWhere(fieldName: string, value: string): Promise<number> {
  return daybook.countEvents({ filterGroups: [{ filters: [{ fieldName, operator: "=", value }] }] });
}
