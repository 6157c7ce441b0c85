import pl from "nodejs-polars";
import { generateTraffic } from "daybook/testing";
import { tableFromIPC } from "apache-arrow";
import { expect, test } from "vitest";
import { eventsFromIpc } from "../../../src/formats/arrow/events-from-ipc.js";
import { daybookOf } from "./stored-rows.js";

const events = [...generateTraffic({ seed: 9, eventCount: 500, dayCount: 2, startMs: Date.UTC(2026, 1, 1) })];
const { daybook } = await daybookOf(events, 300);

async function arrowOf(jsonMark: boolean): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of daybook.exportArrow({ jsonMark }, "stream")) pieces.push(piece);
  return Buffer.concat(pieces);
}

test("Polars counts the same events, users and metadata in an Arrow stream", async () => {
  const frame = pl.readIPCStream(await arrowOf(false));
  expect(frame.height).toBe(events.length);
  expect(frame.getColumn("userId").cast(pl.Utf8).dropNulls().nUnique()).toBe(new Set(events.flatMap(({ userId }) => userId ?? [])).size);
  const texts = frame.getColumn("metadata").toArray() as (string | null)[];
  expect(texts.filter((text) => text !== null).length).toBe(events.filter(({ metadata }) => Object.keys(metadata ?? {}).length > 0).length);
});

test("metadata is marked as JSON where asked, and comes in again either way", async () => {
  const marks = new Map<boolean, string | undefined>();
  for (const jsonMark of [true, false]) {
    const bytes = await arrowOf(jsonMark);
    marks.set(jsonMark, tableFromIPC(bytes).schema.fields.find(({ name }) => name === "metadata")?.metadata.get("ARROW:extension:name"));
    expect([...eventsFromIpc(bytes)].filter(({ metadata }) => typeof metadata === "object").length).toBeGreaterThan(100);
  }
  expect(marks).toEqual(new Map([[true, "arrow.json"], [false, undefined]]));
});
