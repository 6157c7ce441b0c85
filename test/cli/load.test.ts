import { fixedClock, memoryStorage, openDaybook, type Daybook, type ExportInput } from "daybook";
import { describe, expect, test } from "vitest";
import { load } from "../../src/cli/load.js";
import { readArrow } from "../../src/cli/read/columnar.js";
import { readCsvEvents, checkCsvMap } from "../../src/cli/read/csv.js";
import { readNdjson } from "../../src/cli/read/lines.js";
import type { ImportRows } from "../../src/cli/read/row.js";
import { csvBlocks, ndjsonBlocks } from "../../src/cli/commands/export.js";
import { chunksOf } from "./read/source.js";

async function bytesOf(chunks: AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(parts);
}

describe("load", () => {
  test("takes records between events, counts them apart, and names what it rejects by line.", async () => {
    const daybook = await openDaybook({ storage: memoryStorage() });
    const text = [
      '{"type":"person","userId":"x"}', '{"name":""}', '{"type":"identify","userId":"ann"}', '{"name":"visit","userId":"ann"}', '{"type":"alias","from":"a"}', '{"type":null}', '{"type":"unlink"}',
      '{"name":"visit","identityId":"ann"}', '{"name":"visit","identityId":"idn_00000000000000000000000000000000"}',
    ].join("\n");
    const outcome = await load(daybook, readNdjson(chunksOf(text, 7), "set"), { project: "web" });
    expect(outcome).toEqual({
      accepted: 3,
      duplicates: 0,
      rejected: 6,
      adjusted: 0,
      adjustments: [],
      records: 5,
      rejections: [
        { line: 1, reason: 'type: expected one of identify, group, alias, unlink, project, got "person"' },
        { line: 2, reason: 'name: expected 1 to 200 characters, got ""' },
        { line: 5, reason: "to: expected at least one character, got undefined" },
        { line: 6, reason: "type: expected one of identify, group, alias, unlink, project, got null" },
        { line: 7, reason: "linkId: expected at least one character, got undefined" },
        { line: 8, reason: "identityId: cannot be set, as it is derived from userId, anonymousId and records" },
      ],
    });
    expect(await load(daybook, readNdjson(chunksOf(text, 1_000), "set"), { project: "web" })).toMatchObject({ accepted: 0, duplicates: 3, rejected: 6, records: 5 });
  });

  test("shows the first ten rejections by line, whichever kind of row was answered first.", async () => {
    const daybook = await openDaybook({ storage: memoryStorage() });
    const text = Array.from({ length: 6_000 }, (_, at) => (at % 2 === 0 ? '{"type":"alias"}' : '{"name":""}')).join("\n");
    const { rejected, rejections } = await load(daybook, readNdjson(chunksOf(text, 65_536), "set"));
    expect(rejected).toBe(6_000);
    expect(rejections.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
});

const formats: [format: string, write: (daybook: Daybook, input: ExportInput) => AsyncIterable<string | Uint8Array>, read: (bytes: AsyncIterable<Uint8Array>) => ImportRows][] = [
  ["NDJSON", (daybook, input) => ndjsonBlocks(daybook, input, false, () => undefined), (bytes) => readNdjson(bytes, "set")],
  ["CSV", (daybook, input) => csvBlocks(daybook, input, true, () => undefined), (bytes) => readCsvEvents(bytes, "set")],
  ["Arrow", (daybook, input) => daybook.exportArrow(input), (bytes) => readArrow(bytes, "set")],
];

describe("times of rows", () => {
  const NOW = "2026-03-10T12:00:00.000Z";
  const opened = (futureEvents: "adjust" | "keep" = "adjust") => openDaybook({ storage: memoryStorage(), clock: fixedClock(Date.parse(NOW)), futureEvents });

  test("that are ahead of the clock are counted, and the first ten shown by line, of events and records", async () => {
    await using daybook = await opened();
    const later = "2027-01-01T00:00:00Z";
    const text = [
      `{"name":"visit","createdAt":"${NOW}"}`, `{"type":"identify","userId":"ann","createdAt":"${later}"}`,
      ...Array.from({ length: 3_000 }, () => `{"name":"visit","createdAt":"${later}"}`),
    ].join("\n");
    const outcome = await load(daybook, readNdjson(chunksOf(text, 65_536), "set"));
    expect(outcome).toMatchObject({ accepted: 3_002, rejected: 0, adjusted: 3_001 });
    expect(outcome.adjustments).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((line) => ({ line, createdAt: NOW })));
  });

  test("that are seconds are rejected by line, and the message names the ms; text of such years is not", async () => {
    await using daybook = await opened();
    const csv = "name,createdAt\nvisit,1740823200\nvisit,1971-05-01T00:00:00Z\nvisit,1740823200000\n";
    const { accepted, rejections } = await load(daybook, readCsvEvents(chunksOf(csv, 100), "set"));
    const reason =
      "createdAt: expected epoch milliseconds, these look like seconds (for 2025-03-01T10:00:00.000Z send 1740823200000, for a time before 1973 send RFC 3339 text), got 1740823200";
    expect([accepted, rejections]).toEqual([2, [{ line: 2, reason }]]);
    const times = (await daybook.searchEvents()).events.map(({ createdAt }) => createdAt);
    expect(times).toEqual(["2025-03-01T10:00:00.000Z", "1971-05-01T00:00:00.000Z"]);
  });

  test("by a map's format may lie before 1973; in metadata they are ms, whenever that is", async () => {
    await using daybook = await opened();
    const time = { column: "day", as: "time", format: "DD.MM.YYYY" };
    const map = checkCsvMap({ event: { name: { constant: "visit" }, createdAt: time }, metadata: { day: time } });
    expect(await load(daybook, readCsvEvents(chunksOf("day\n02.01.1970\n", 100), "set", map))).toMatchObject({ accepted: 1, rejected: 0 });
    expect((await daybook.searchEvents()).events[0]).toMatchObject({ createdAt: "1970-01-02T00:00:00.000Z", metadata: { day: 86_400_000 } });
  });
});

describe.each(formats)("A copy as %s", (_, write, read) => {
  test("has the times of the store, those before 1973 and, where they are kept, those ahead of the clock", async () => {
    const opened = (futureEvents: "adjust" | "keep") => openDaybook({ storage: memoryStorage(), clock: fixedClock(Date.UTC(2026, 2, 10, 12)), futureEvents });
    await using daybook = await opened("keep");
    const times = ["1970-01-01T00:00:00.000Z", "1972-12-31T23:59:59.999Z", "2026-03-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"];
    await daybook.ingest(times.map((createdAt) => ({ name: "visit", userId: "ann", createdAt })));
    const bytes = await bytesOf(write(daybook, {}));
    await using copy = await opened("keep");
    expect(await load(copy, read(chunksOf(bytes, 100)))).toMatchObject({ accepted: 4, rejected: 0, adjusted: 0 });
    expect((await bytesOf(write(copy, {}))).equals(bytes)).toBe(true);
    await using other = await opened("adjust");
    expect(await load(other, read(chunksOf(bytes, 100)))).toMatchObject({ accepted: 4, adjusted: 1, adjustments: [{ createdAt: "2026-03-10T12:00:00.000Z" }] });
  });
});

describe.each(formats)("An export with identity ids as %s", (format, write, read) => {
  test("says whose each event is, and is imported as if it had none.", async () => {
    const daybook = await openDaybook({ storage: memoryStorage() });
    await daybook.ingest([
      { id: "1", name: "visit", anonymousId: "phone", createdAt: new Date(1) },
      { id: "2", name: "visit", userId: "ann", createdAt: new Date(2) },
      { id: "3", name: "visit", userId: "bob", createdAt: new Date(3) },
      { id: "4", name: "visit", createdAt: new Date(4) },
    ]);
    await daybook.identify({ userId: "ann", anonymousId: "phone" });
    const [ann, bob] = [await daybook.identityProfile({ userId: "ann" }), await daybook.identityProfile({ userId: "bob" })];
    const bytes = await bytesOf(write(daybook, { identityIds: true }));
    expect(bytes.toString("latin1").match(/idn_[0-9a-f]{32}/g)).toEqual([ann.identityId, ann.identityId, bob.identityId]);
    const plain = await bytesOf(write(daybook, {}));
    expect(plain.includes("identityId")).toBe(false);
    const copy = await openDaybook({ storage: memoryStorage() });
    expect(await load(copy, read(chunksOf(bytes, 100)))).toMatchObject({ accepted: 4, rejected: 0 });
    expect((await bytesOf(write(copy, {}))).equals(plain), format).toBe(true);
  });
});

describe.each(formats)("Integers beyond 2^53 in an export as %s", (format, write, read) => {
  test("keep their digits, and numbers stay numbers, when it is imported.", async () => {
    const daybook = await openDaybook({ storage: memoryStorage() });
    const metadata = { text: "9007199254740993", numbers: [2 ** 53, 1234567890123456800, 1e20, 1e22, -1e20], deep: { list: ["18446744073709551615", 7] } };
    await daybook.ingest([{ id: "9007199254740993", name: "paid", userId: "9007199254740993", companyId: "9007199254740995", externalId: "10000000000000000000001", createdAt: Date.UTC(2026, 0, 1), value: 1e20, metadata }]);
    const bytes = await bytesOf(write(daybook, {}));
    const copy = await openDaybook({ storage: memoryStorage() });
    expect(await load(copy, read(chunksOf(bytes, 100)))).toMatchObject({ accepted: 1, rejected: 0 });
    expect((await bytesOf(write(copy, {}))).equals(bytes), format).toBe(true);
    expect((await copy.searchEvents({ allFields: true })).events).toMatchObject([{ userId: "9007199254740993", companyId: "9007199254740995", externalId: "10000000000000000000001", value: 1e20, metadata }]);
  });
});

test("Lines with integers beyond 2^53 keep their digits in events and records, and an export of them is imported alike.", async () => {
  const text = [9007199254740991n, 9007199254740992n, 9007199254740993n, 9007199254740995n].map((id) => [
    `{"name":"e","id":${id < 2n ** 53n ? `"${id}"` : id},"user_id":${id},"createdAt":"2026-01-01T00:00:00.000Z","metadata":{"n":${id}}}`,
    `{"type":"identify","id":"i${id}","createdAt":"2026-01-01T00:00:00.000Z","userId":${id},"traits":{"n":${id}}}`,
    `{"type":"group","id":"g${id}","createdAt":"2026-01-01T00:00:00.000Z","companyId":${id},"userId":${id}}`,
    `{"type":"alias","id":"a${id}","createdAt":"2026-01-01T00:00:00.000Z","from":${id},"to":"to ${id}"}`,
  ].join("\n")).join("\n");
  const daybook = await openDaybook({ storage: memoryStorage() });
  expect(await load(daybook, readNdjson(chunksOf(text, 100), "set"))).toMatchObject({ accepted: 16, records: 12, rejected: 0 });
  const bytes = await bytesOf(ndjsonBlocks(daybook, {}, true, () => undefined));
  for (const id of ["9007199254740991", "9007199254740992", "9007199254740993", "9007199254740995"])
    expect(bytes.toString().split(`"${id}"`), id).toHaveLength(1 + 5 + (id === "9007199254740993" || id === "9007199254740995" ? 2 : 0));
  const copy = await openDaybook({ storage: memoryStorage() });
  await load(copy, readNdjson(chunksOf(bytes, 100), "set"));
  expect((await bytesOf(ndjsonBlocks(copy, {}, true, () => undefined))).equals(bytes)).toBe(true);
});

test("A column identityId that no export wrote is not passed over: it cannot be told.", async () => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  const { accepted, rejections } = await load(daybook, readCsvEvents(chunksOf("name,time,identityId\nvisit,2026-03-01T00:00:00Z,ann\nvisit,2026-03-01T00:00:00Z,\n", 100), "set"));
  expect([accepted, rejections]).toEqual([1, [{ line: 2, reason: "identityId: cannot be set, as it is derived from userId, anonymousId and records" }]]);
});
