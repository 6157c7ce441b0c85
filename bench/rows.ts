import { Bench } from "tinybench";
import { crc32, sha256 } from "../src/core/base/hash.js";
import { bitsOfCode, bitsOfTable, countBits, rowsOfBits } from "../src/storage/column/bitmap.js";
import { histogramOf } from "../src/storage/column/column.js";
import { DECODED_ROW_COUNT, DecodedEvents, decodeEvent } from "../src/core/schema/decode-event.js";
import { rankRows } from "../src/storage/segment/merge-rows.js";
import { defaultCodec } from "../src/store/storage/codec.js";
import { trafficBatches } from "./traffic.js";

/** What one row costs in each hot loop: `npm run bench:rows`. */
const rowCount = 1_000_000;
const codes = Uint8Array.from({ length: rowCount }, (_, row) => (row * 2_654_435_761) >>> 25);
const table = Uint8Array.from({ length: 256 }, (_, code) => code % 3 & 1);
const bits = bitsOfTable(codes, table);
const rows = new Uint32Array(rowCount);
const bytes = new Uint8Array(codes);
const times = Int32Array.from({ length: rowCount }, (_, row) => ((row * 2_654_435_761) >>> 0) % 86_400_000);
const ids = new Uint8Array(rowCount * 16);
const [events = []] = trafficBatches({ seed: 1, eventCount: 10_000, batchRowCount: 10_000 });
const decoded = new DecodedEvents();
const context = { nowMs: Date.UTC(2026, 11, 1), project: null, keepsFuture: false, random: () => undefined, knownKeys: () => null };
const deflated = await defaultCodec.deflate(bytes);

const bench = new Bench({ time: 300, warmupTime: 100 });
const unitCounts = new Map<string, [count: number, unit: string]>();

function measure(name: string, count: number, unit: string, run: () => unknown): void {
  unitCounts.set(name, [count, unit]);
  bench.add(name, run);
}

measure("equality of one code → bitmap", rowCount, "row", () => bitsOfCode(codes, 3));
measure("code set → bitmap", rowCount, "row", () => bitsOfTable(codes, table));
measure("count the bits of a bitmap", rowCount, "row", () => countBits(bits));
measure("bitmap → row numbers", countBits(bits), "row", () => rowsOfBits(bits, rows));
measure("histogram of a column", rowCount, "row", () => histogramOf({ kind: "dense", codes }));
measure("sort rows by time", rowCount, "row", () => rankRows({ times, ids, projectOf: () => "" }));
measure("decode an event", events.length, "event", () => {
  for (const [at, event] of events.entries()) decodeEvent(event, context, decoded, at % DECODED_ROW_COUNT);
});
measure("CRC-32", bytes.length, "byte", () => crc32(bytes));
measure("SHA-256", bytes.length, "byte", () => sha256(bytes));
measure("deflate (fflate, level 1)", bytes.length, "byte", () => defaultCodec.deflate(bytes));
measure("inflate (fflate)", bytes.length, "byte", () => defaultCodec.inflate(deflated, bytes.length));

await bench.run();
for (const task of bench.tasks) {
  const [count, unit] = unitCounts.get(task.name) ?? [1, "run"];
  const { result } = task;
  const ms = "latency" in result ? result.latency.p50 : Number.NaN;
  console.log(`${task.name.padEnd(34)} ${((ms * 1e6) / count).toFixed(3).padStart(9)} ns per ${unit}`);
}
