import type * as Writing from "hyparquet-writer";
import type { ParquetWriter } from "hyparquet-writer";
import { generateTraffic } from "daybook/testing";
import { expect, test, vi } from "vitest";
import { daybookOf } from "../arrow/stored-rows.js";
import { parquetOf } from "./files.js";

const writers: ParquetWriter[] = [];

vi.mock("hyparquet-writer", async (load) => {
  const real = await load<typeof Writing>();
  class Watched extends real.ParquetWriter {
    constructor(...options: ConstructorParameters<typeof ParquetWriter>) {
      super(...options);
      writers.push(this);
    }
  }
  return { ...real, ParquetWriter: Watched };
});

test("Of a row group that is written, nothing is kept but its bounds.", async () => {
  const traffic = generateTraffic({ seed: 5, eventCount: 600, dayCount: 4, startMs: Date.UTC(2026, 1, 1) });
  const { daybook } = await daybookOf([...traffic], 300);
  await parquetOf(daybook);
  const bounds = writers.flatMap(({ row_groups: groups }) =>
    groups.flatMap(({ columns }) => columns.flatMap(({ meta_data: chunk }) => [chunk?.statistics?.min_value, chunk?.statistics?.max_value])),
  );
  const bytes = bounds.filter((bound) => bound instanceof Uint8Array);
  // The smallest and largest id of each day.
  expect(bytes.map(({ buffer }) => buffer.byteLength)).toEqual(Array.from({ length: 8 }, () => 36));
});
