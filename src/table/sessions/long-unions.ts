/* eslint-disable @typescript-eslint/no-non-null-assertion -- events, runs and sessions are bounded by their columns */
import { denseCodes } from "../../column/column.js";
import { TIME_COLUMN } from "../../schema/fields.js";
import type { Rows } from "../../segment/rows.js";
import { BY_ROW, type Part } from "./part.js";
import type { Need, Reading } from "./reading.js";
import { NONE, PAGEVIEW_FLAG, URL_FLAG, runOf } from "./runs.js";
import type { Stitcher } from "./stitcher.js";

/** The events of unions that are too long for one session, union by union. */
interface LongEvents {
  /** Where the events of each union begin, and the last ones end. */
  readonly starts: Uint32Array;
  readonly times: Float64Array;
  readonly parts: Uint32Array;
  readonly rows: Uint32Array;
  readonly flags: Uint8Array;
  readonly urls: Uint32Array;
  /** Places of all events, part by part, by their rows. */
  readonly byRow: Uint32Array;
  /** The session that each is in. */
  readonly sessions: Uint32Array;
}

const VALUES_PER_EVENT = 8;
/** Events of one union that are walked in one go, and rows among which they are looked for. */
const EVENTS_AT_ONCE = 8_192;
const ROWS_AT_ONCE = 16_384;

/** Divides unions that are too long, event by event: their sessions stand behind all others. */
export function* walkLong(stitcher: Stitcher, rowsOf: readonly Rows[]): Reading {
  if (stitcher.long.length === 0) return;
  const events = yield* eventsOf(stitcher, rowsOf);
  for (const [union, session] of stitcher.long.entries()) {
    const order = inOrder(events, events.starts[union]!, events.starts[union + 1]!, stitcher.parts);
    yield* walk(stitcher, session, events, order);
  }
  yield* putRows(stitcher, events);
}

function* eventsOf({ long, columns, parts, firstSession }: Stitcher, rowsOf: readonly Rows[]): Generator<Need, LongEvents> {
  const starts = new Uint32Array(long.length + 1);
  /** By session from the first one on: 1 more than its union. */
  const unions = new Uint32Array(columns.count - firstSession);
  for (const [union, session] of long.entries()) {
    starts[union + 1] = starts[union]! + columns.eventCounts[session]!;
    unions[session - firstSession] = union + 1;
  }
  const count = starts[long.length]!;
  const events: LongEvents = {
    starts, times: new Float64Array(count), parts: new Uint32Array(count), rows: new Uint32Array(count), flags: new Uint8Array(count), urls: new Uint32Array(count),
    byRow: new Uint32Array(count), sessions: new Uint32Array(count),
  };
  const next = starts.slice();
  let foundCount = 0;
  for (const [number, { runs, sessionOfRun, startMs }] of parts.entries()) {
    const unionOfRun = new Uint32Array(runs.count);
    let isConcerned = false;
    for (let run = 0; run < runs.count; run += 1) {
      const place = sessionOfRun[run]! - firstSession;
      if (place < 0 || place >= unions.length || unions[place] === 0) continue;
      unionOfRun[run] = unions[place]!;
      isConcerned = true;
      sessionOfRun[run] = BY_ROW;
    }
    if (!isConcerned) continue;
    const rows = rowsOf[number]!;
    yield { rows, columns: [TIME_COLUMN, "url"] };
    const times = rows.times();
    const urls = denseCodes(rows.column("url"));
    for (let row = 0; row < rows.rowCount; row += 1) {
      if (row % ROWS_AT_ONCE === 0) yield Math.min(ROWS_AT_ONCE, rows.rowCount - row);
      const entry = runs.ofRows[row]!;
      const union = entry === NONE ? 0 : unionOfRun[runOf(entry)]!;
      if (union === 0) continue;
      const at = next[union - 1]!;
      next[union - 1] = at + 1;
      events.byRow[foundCount] = at;
      foundCount += 1;
      events.times[at] = startMs + times[row]!;
      events.parts[at] = number;
      events.rows[at] = row;
      events.urls[at] = urls[row]!;
      events.flags[at] = entry & (PAGEVIEW_FLAG | URL_FLAG);
    }
  }
  return events;
}

/** Places of the events of one union, by time. */
function inOrder({ times, parts, rows }: LongEvents, from: number, to: number, known: readonly Part[]): Uint32Array {
  const order = Uint32Array.from({ length: to - from }, (_, at) => from + at);
  let isInOrder = known[parts[from]!]!.sealed;
  for (let at = from + 1; at < to && isInOrder; at += 1) isInOrder = times[at]! >= times[at - 1]!;
  return isInOrder ? order : order.sort((a, b) => times[a]! - times[b]! || parts[a]! - parts[b]! || rows[a]! - rows[b]!);
}

function* walk(stitcher: Stitcher, union: number, { times, parts, rows, flags, urls, sessions }: LongEvents, order: Uint32Array): Generator<Need, void> {
  const { columns, ties, rule: { gapMs, maxMs } } = stitcher;
  const [identity, project] = [columns.identities[union]!, columns.projects[union]!];
  ties.forget(union);
  let [session, startMs, lastMs] = [-1, 0, 0];
  for (const [walkedCount, at] of order.entries()) {
    if (walkedCount % EVENTS_AT_ONCE === 0) yield Math.min(EVENTS_AT_ONCE, order.length - walkedCount) * VALUES_PER_EVENT;
    const ms = times[at]!;
    const event = { part: parts[at]!, row: rows[at]!, url: urls[at]! };
    if (session === -1 || ms - lastMs > gapMs || ms - startMs > maxMs) {
      session = columns.add(identity, project, ms);
      if (columns.heirs[union] === 0) columns.heirs[union] = session;
      startMs = ms;
      ties.first(session, event, false);
    } else if (ms === startMs) ties.first(session, event, true);
    lastMs = ms;
    sessions[at] = session;
    columns.lengths[session] = ms - startMs;
    columns.eventCounts[session]! += 1;
    if ((flags[at]! & PAGEVIEW_FLAG) !== 0) columns.pageviewCounts[session]! += 1;
    if ((flags[at]! & URL_FLAG) === 0) continue;
    ties.exit(session, event, columns.exitParts[session] !== NONE && columns.exitOffsets[session] === ms - startMs);
    columns.exitOffsets[session] = ms - startMs;
  }
}

function* putRows({ parts: known }: Stitcher, { byRow, parts, rows, sessions }: LongEvents): Generator<Need, void> {
  for (let from = 0, to = 0; from < byRow.length; from = to) {
    const part = parts[byRow[from]!]!;
    while (to < byRow.length && parts[byRow[to]!] === part) to += 1;
    const own = byRow.subarray(from, to);
    known[part]!.putRows(own.map((at) => rows[at]!), own.map((at) => sessions[at]!));
    yield own.length * VALUES_PER_EVENT;
  }
}
