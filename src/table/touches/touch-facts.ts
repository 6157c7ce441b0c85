/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import type { Codes } from "../../column/codes.js";
import { denseCodes } from "../../column/column.js";
import { SEQUENCE_COLUMN, TIME_COLUMN } from "../../schema/fields.js";
import type { Rows } from "../../segment/rows.js";
import { actorOf } from "../../segment/who.js";
import type { TouchMaker } from "./touch-maker.js";

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
  return rows.derive(maker.labels.name, () => maker.numbers.ofRows(rows, maker.reader()), ({ byteLength }) => byteLength);
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
