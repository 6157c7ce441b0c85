/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { allocateCodes, type Codes } from "../../column/codes.js";
import { denseCodes } from "../../column/column.js";
import { SEQUENCE_COLUMN, TIME_COLUMN } from "../../schema/fields.js";
import type { Rows } from "../../segment/rows.js";
import { actorOf } from "../../segment/who.js";
import type { TouchLabels } from "./touch-labels.js";
import type { TouchMaker, TouchReader } from "./touch-maker.js";

/** Touches of one segment or head, in the order of its rows: for the making of an index, not to be kept. */
export interface TouchFacts {
  readonly sequences: Uint32Array;
  /** Ms of the day. */
  readonly times: Uint32Array;
  /** Numbers of their labels. */
  readonly labels: Uint32Array;
  /** 0 for nobody. */
  readonly actors: Uint32Array;
  /** The company that the event names itself; 0 for none. */
  readonly companies: Uint32Array;
}

/** The touches of a segment, which is pinned. Their labels are kept, 1 or 2 bytes a row. Cost: some 10 ns a row; once, some 20 ns more. */
export async function loadTouchFacts(rows: Rows, maker: TouchMaker): Promise<TouchFacts> {
  if (rows.kept(maker.labels.name, []) === null) await rows.load(maker.reader().columns);
  const numbers = labelNumbers(rows, maker);
  await rows.load([TIME_COLUMN, SEQUENCE_COLUMN, "userId", "anonymousId", "companyId"]);
  return factsOf(rows, numbers);
}

/** The same of rows in memory. */
export function touchFactsOf(rows: Rows, maker: TouchMaker): TouchFacts {
  return factsOf(rows, labelNumbers(rows, maker));
}

/** The label of each row, 0 for no touch: kept for rows that stay. */
export function labelNumbers(rows: Rows, maker: TouchMaker): Codes {
  return rows.derive(maker.labels.name, () => labelsOfRows(rows, maker.reader(), maker.labels), ({ byteLength }) => byteLength);
}

function factsOf(part: Rows, numbers: Codes): TouchFacts {
  let count = 0;
  for (let row = 0; row < numbers.length; row += 1) if (numbers[row] !== 0) count += 1;
  const list = () => new Uint32Array(count);
  const [sequences, times, labels, actors, companies] = [list(), list(), list(), list(), list()];
  const [users, anonymous] = [denseCodes(part.column("userId")), denseCodes(part.column("anonymousId"))];
  const named = denseCodes(part.column("companyId"));
  const [ms, sequenceOf] = [part.times(), part.sequences()];
  for (let row = 0, at = 0; row < numbers.length; row += 1) {
    if (numbers[row] === 0) continue;
    sequences[at] = sequenceOf[row]!;
    times[at] = ms[row]!;
    labels[at] = numbers[row]!;
    actors[at] = actorOf(users[row]!, anonymous[row]!);
    companies[at] = named[row]!;
    at += 1;
  }
  return { sequences, times, labels, actors, companies };
}

/** Most rows have neither campaign metadata nor a telling url nor a referrer. */
function labelsOfRows(rows: Rows, reader: TouchReader, labels: TouchLabels): Codes {
  const { campaigns, referrers, hosts } = reader.texts;
  const [urls, froms, hostnames] = ["url", "referrer", "hostname"].map((name) => denseCodes(rows.column(name))) as [Codes, Codes, Codes];
  const metadata = metadataOfRows(rows, reader);
  const numbers = new Uint32Array(rows.rowCount);
  const numberOfReferrer = new Map<number, number>();
  const numberOfMetadata = new Map<number, number>();
  const campaignNumber = (row: number) => {
    const touch = reader.campaign(rows, row);
    return touch === null ? 0 : labels.numberOf(touch);
  };
  const referrerNumber = (row: number) => {
    const from = froms[row]!;
    if (from === 0) return 0;
    const touch = referrers.of(from);
    return touch === null || touch.source === hosts.of(hostnames[row]!) ? 0 : known(numberOfReferrer, from, () => labels.numberOf(touch));
  };
  for (let row = 0; row < numbers.length; row += 1) {
    let number = 0;
    if (campaigns.of(urls[row]!) !== null) number = campaignNumber(row);
    else if (metadata[row] !== 0) number = known(numberOfMetadata, metadata[row]!, () => campaignNumber(row));
    numbers[row] = number === 0 ? referrerNumber(row) : number;
  }
  return narrow(numbers, labels.count);
}

function known(numbers: Map<number, number>, key: number, make: () => number): number {
  let number = numbers.get(key);
  if (number === undefined) numbers.set(key, (number = make()));
  return number;
}

function narrow(numbers: Uint32Array, count: number): Codes {
  const codes = allocateCodes(numbers.length, count - 1);
  codes.set(numbers);
  return codes;
}

/** Codes are below this. */
const CODE_SPAN = 2 ** 24;

/** A number for each row, the same for the same campaign metadata; 0 for none. Key by key: a number for each pair of the one so far and a code. */
function metadataOfRows(rows: Rows, { metadataColumns }: TouchReader): Uint32Array {
  const numbers = new Uint32Array(rows.rowCount);
  let count = 0;
  for (const column of metadataColumns.map((name) => rows.column(name))) {
    const numberOfPair = new Map<number, number>();
    for (let at = 0; at < column.codes.length; at += 1) {
      const code = column.codes[at]!;
      if (code === 0) continue;
      const row = column.kind === "sparse" ? column.rows[at]! : at;
      numbers[row] = known(numberOfPair, numbers[row]! * CODE_SPAN + code, () => (count += 1));
    }
  }
  return numbers;
}
