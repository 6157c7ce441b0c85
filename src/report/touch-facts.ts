/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { dayStartMs } from "../base/time.js";
import { denseCodes } from "../column/column.js";
import { TIME_COLUMN } from "../schema/fields.js";
import type { Rows } from "../segment/rows.js";
import { actorOf } from "./rows-by-actor.js";
import type { TouchLabels } from "./touch-labels.js";
import type { TouchReader } from "./touch.js";

/** Touches of one segment or head, in the order of its rows: 24 bytes each. */
export interface TouchFacts {
  readonly rows: Uint32Array;
  /** Epoch ms. */
  readonly times: Float64Array;
  /** Numbers of their labels. */
  readonly labels: Uint32Array;
  /** 0 for nobody. */
  readonly actors: Uint32Array;
  /** The company that the event names itself; 0 for none. */
  readonly companies: Uint32Array;
}

/** The touches of a segment, found once. Cost: some 10 ns a row and 0.3 µs one with campaign metadata, once. */
export async function loadTouchFacts(rows: Rows, reader: TouchReader, labels: TouchLabels): Promise<TouchFacts> {
  const loading = rows.load([TIME_COLUMN, "userId", "anonymousId", "companyId", ...reader.columns]);
  if (loading !== null) await loading;
  return rows.derive(labels.name, () => find(rows, reader, labels), (made) => made.rows.length * 24);
}

function find(rows: Rows, reader: TouchReader, labels: TouchLabels): TouchFacts {
  const numbers = labelsOfRows(rows, reader, labels);
  let count = 0;
  for (let row = 0; row < numbers.length; row += 1) if (numbers[row] !== 0) count += 1;
  const found = new Uint32Array(count);
  for (let row = 0, at = 0; row < numbers.length; row += 1) {
    if (numbers[row] === 0) continue;
    found[at] = row;
    at += 1;
  }
  const [users, anonymous, companies] = ["userId", "anonymousId", "companyId"].map((name) => denseCodes(rows.column(name)));
  const start = dayStartMs(rows.day);
  const times = rows.times();
  return {
    rows: found,
    times: Float64Array.from(found, (row) => start + times[row]!),
    labels: found.map((row) => numbers[row]!),
    actors: found.map((row) => actorOf(users![row]!, anonymous![row]!)),
    companies: found.map((row) => companies![row]!),
  };
}

/** The label of each row, 0 for no touch. Most rows have neither campaign metadata nor a telling url nor a referrer. */
function labelsOfRows(rows: Rows, reader: TouchReader, labels: TouchLabels): Uint32Array {
  const { campaigns, referrers, hosts } = reader.texts;
  const [urls, froms, hostnames] = ["url", "referrer", "hostname"].map((name) => denseCodes(rows.column(name)));
  const hasMetadata = marked(rows, reader.metadataColumns);
  const numbers = new Uint32Array(rows.rowCount);
  const numberOfReferrer = new Map<number, number>();
  for (let row = 0; row < numbers.length; row += 1) {
    if (hasMetadata[row] === 1 || campaigns.of(urls![row]!) !== null) {
      const touch = reader.touch(rows, row);
      numbers[row] = touch === null ? 0 : labels.numberOf(touch);
      continue;
    }
    const from = froms![row]!;
    if (from === 0) continue;
    const touch = referrers.of(from);
    if (touch === null || touch.source === hosts.of(hostnames![row]!)) continue;
    let number = numberOfReferrer.get(from);
    if (number === undefined) {
      number = labels.numberOf(touch);
      numberOfReferrer.set(from, number);
    }
    numbers[row] = number;
  }
  return numbers;
}

/** 1 for each row that has some of the columns. */
function marked(rows: Rows, columns: readonly string[]): Uint8Array {
  const marks = new Uint8Array(rows.rowCount);
  for (const column of columns.map((name) => rows.column(name)))
    for (let at = 0; at < column.codes.length; at += 1) if (column.codes[at] !== 0) marks[column.kind === "sparse" ? column.rows[at]! : at] = 1;
  return marks;
}
