import { memoryStorage, openDaybook, type Daybook, type ExportInput } from "daybook";
import { describe, expect, test } from "vitest";
import { load } from "../../src/cli/load.js";
import { readArrow } from "../../src/cli/read/arrow.js";
import { readCsvEvents } from "../../src/cli/read/csv-events.js";
import { readNdjson } from "../../src/cli/read/ndjson.js";
import type { Rows } from "../../src/cli/read/row.js";
import { csvBlocks, ndjsonBlocks } from "../../src/cli/write/blocks.js";
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
      records: 5,
      rejections: [
        { line: 1, reason: 'type: expected one of identify, group, alias, unlink, project, got "person"' },
        { line: 2, reason: 'name: expected 1 to 200 characters, got ""' },
        { line: 5, reason: "to: expected at least one character, got undefined" },
        { line: 6, reason: "type: expected one of identify, group, alias, unlink, project, got null" },
        { line: 7, reason: "linkId: expected at least one character, got undefined" },
        { line: 8, reason: "identityId: cannot be told, it follows from userId, anonymousId and records" },
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

const formats: [format: string, write: (daybook: Daybook, input: ExportInput) => AsyncIterable<string | Uint8Array>, read: (bytes: AsyncIterable<Uint8Array>) => Rows][] = [
  ["NDJSON", (daybook, input) => ndjsonBlocks(daybook, input, false, () => undefined), (bytes) => readNdjson(bytes, "set")],
  ["CSV", (daybook, input) => csvBlocks(daybook, input, () => undefined), (bytes) => readCsvEvents(bytes, "set")],
  ["Arrow", (daybook, input) => daybook.exportArrow(input), (bytes) => readArrow(bytes, "set")],
];

describe.each(formats)("An export with identity ids as %s", (format, write, read) => {
  test("says whose each event is, and is imported as if it had none.", async () => {
    const daybook = await openDaybook({ storage: memoryStorage() });
    await daybook.ingest([
      { id: "1", name: "visit", anonymousId: "phone", createdAt: 1 },
      { id: "2", name: "visit", userId: "ann", createdAt: 2 },
      { id: "3", name: "visit", userId: "bob", createdAt: 3 },
      { id: "4", name: "visit", createdAt: 4 },
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

test("A column identityId that no export wrote is not passed over: it cannot be told.", async () => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  const { accepted, rejections } = await load(daybook, readCsvEvents(chunksOf("name,identityId\nvisit,ann\nvisit,\n", 100), "set"));
  expect([accepted, rejections]).toEqual([1, [{ line: 2, reason: "identityId: cannot be told, it follows from userId, anonymousId and records" }]]);
});
