/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their list */
import { Visits } from "../../answer/visits/visits.js";
import { inPieces } from "../../../core/base/yield.js";
import { LIMITS } from "../../../core/base/limits.js";
import type { Scratch } from "../../../core/base/scratch.js";
import { select, selectedRows } from "../../filter/select.js";
import type { Range, QueryScope, SessionRule } from "../../plan/plan.js";
import { mergedByStart } from "../../tables/sessions/latest-sessions.js";
import type { SessionView } from "../../tables/sessions/session-view.js";
import type { Pass, RowContext } from "../form/report.js";
import { emptyBitmap, rowsOfBits } from "../../../storage/column/bitmap.js";
import { type Rows, whilePinned } from "../../../storage/segment/rows.js";
import type { RowKeys } from "../insights/row-keys.js";

/** One bit per session. */
export type SessionMarks = Uint32Array;

type VisitScope = QueryScope & { readonly session: SessionRule };

/** Whether sessions need a matching event; without filters each has one. */
export function isFiltered({ eventName, where }: QueryScope): boolean {
  return eventName !== null || where.length > 0;
}

/** Marks the sessions that have a matching event. Cost: about 5 ns per matching row. */
export function marksOf(plan: VisitScope, range: Range, view: SessionView): Pass<SessionMarks> {
  // Events lie at most `maxMs` after the start of their session.
  const toMs = Math.min(range.toMs + plan.session.maxMs, LIMITS.instantMaxMs);
  return {
    scopes: [{ ...plan, range: { fromMs: range.fromMs, toMs } }],
    columns: [],
    begin: () => new Uint32Array((view.count + 31) >>> 5),
    scan: (marks, rows, [selector]) => {
      const sessions = view.rowSessions(rows);
      const selected = selectedRows(select(rows, selector));
      for (let at = 0; at < selected.length; at += 1) {
        const session = sessions.of(selected[at]!);
        if (session >= 0) marks[session >>> 5]! |= 1 << (session & 31);
      }
    },
  };
}

/** Null for all projects. */
export function projectCodeOf({ project }: QueryScope, { dictionaries }: Pick<RowContext, "dictionaries">): number | null {
  return project === null ? null : dictionaries.named("project").codeOf(project);
}

/** Tests whether a session exists, belongs to the project and is marked. */
export function testOf(projectCode: number | null, marks: SessionMarks | null, view: SessionView): (session: number) => boolean {
  const { projects } = view.facts;
  return (session) =>
    view.isAlive(session) &&
    (projectCode === null || projects[session] === projectCode) &&
    (marks === null || (marks[session >>> 5]! & (1 << (session & 31))) !== 0);
}

/**
 * The sessions of a project that start in a range and are marked. Cost: one read per session that starts there.
 * @param marks null: all
 * @param scratch holds the result
 */
export async function visitsOf(
  scope: QueryScope,
  { fromMs, toMs }: Range,
  marks: SessionMarks | null,
  view: SessionView,
  context: RowContext,
  scratch: Scratch,
  pause: () => Promise<void>,
): Promise<Visits<SessionView>> {
  const { facts, others } = view;
  const isRequested = testOf(projectCodeOf(scope, context), marks, view);
  const [first, end] = [view.firstAt(fromMs), view.firstAt(toMs)];
  const found = scratch.take(end - first);
  let count = 0;
  await inPieces(found.length, pause, (from, to) => {
    for (let session = first + from; session < first + to; session += 1) {
      found[count] = session;
      if (isRequested(session)) count += 1;
    }
  });
  const foundOthers = others.subarray(view.firstOtherAt(fromMs), view.firstOtherAt(toMs)).filter(isRequested);
  await pause();
  return new Visits(view, mergedByStart(found.subarray(0, count), foundOthers, facts.starts, (length) => scratch.take(length)));
}

/** Codes of the urls at which visits begin or end, 0 for none; these are the keys of `path`. Cost: about 2 ns per visit. */
export async function urlsOfVisits(
  { view, sessions }: Visits<SessionView>,
  end: "entry" | "exit",
  scratch: Scratch,
  pause: () => Promise<void>,
): Promise<Uint32Array> {
  const { entryUrls, exitUrls } = view.facts;
  const urls = end === "entry" ? entryUrls : exitUrls;
  const own = scratch.take(sessions.length);
  await inPieces(own.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) own[at] = urls[sessions[at]!]!;
  });
  return own;
}

/** Provides a key for each of some ascending rows. */
export interface VisitKeys extends Pick<RowKeys, "columns" | "keysOf"> {
  /** Whether the keys of all rows are cached, so that no column has to be loaded. */
  areCached?(rows: Rows): boolean;
}

/** The visits whose first events lie in one segment or head: indexes of the visits, and rows of the events. */
interface OfPart {
  readonly rows: Rows;
  readonly places: Uint32Array;
  readonly rowNumbers: Uint32Array;
}

/**
 * Keys of visits by the values of their first events. Several kinds of keys are read from the same rows.
 * Cost: about 10 ns per visit, and columns that are not in memory.
 */
export async function keysOfVisits(visits: Visits<SessionView>, kinds: readonly VisitKeys[], scratch: Scratch, pause: () => Promise<void>): Promise<Uint32Array[]> {
  const keys: Uint32Array[] = [];
  while (keys.length < kinds.length) keys.push(await scratch.takeTouched(visits.count, pause));
  for (const part of await partsOf(visits, scratch, pause)) {
    await pause();
    const { rows, places, rowNumbers } = ascending(part);
    await whilePinned([rows], async () => {
      await rows.load(kinds.flatMap((kind) => (kind.areCached?.(rows) === true ? [] : kind.columns)));
      for (const [kind, { keysOf }] of kinds.entries()) {
        const own = keysOf(rows, rowNumbers);
        const into = keys[kind]!;
        for (let at = 0; at < places.length; at += 1) into[places[at]!] = own[at]!;
      }
    });
  }
  return keys;
}

async function partsOf({ view, sessions }: Visits<SessionView>, scratch: Scratch, pause: () => Promise<void>): Promise<OfPart[]> {
  const { facts, rowsOf } = view;
  const { firstParts, firstRows } = facts;
  const starts = new Uint32Array(rowsOf.length + 1);
  await inPieces(sessions.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) starts[firstParts[sessions[at]!]! + 1]! += 1;
  });
  for (let part = 0; part < rowsOf.length; part += 1) starts[part + 1]! += starts[part]!;
  const next = starts.slice();
  const [places, rows] = [scratch.take(sessions.length), scratch.take(sessions.length)];
  await inPieces(sessions.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const session = sessions[at]!;
      const part = firstParts[session]!;
      const into = next[part]!;
      next[part] = into + 1;
      places[into] = at;
      rows[into] = firstRows[session]!;
    }
  });
  return rowsOf.flatMap((own, part) => {
    const [from, to] = [starts[part]!, starts[part + 1]!];
    return from === to ? [] : [{ rows: own, places: places.subarray(from, to), rowNumbers: rows.subarray(from, to) }];
  });
}

// One shared scratch: sorting is synchronous and reads only entries that it has just written.
let placeOfRow = new Uint32Array(4_096);

/** The same visits by ascending row. Each row occurs once. */
function ascending({ rows, places, rowNumbers }: OfPart): OfPart {
  let isInOrder = true;
  for (let at = 1; at < rowNumbers.length && isInOrder; at += 1) isInOrder = rowNumbers[at]! > rowNumbers[at - 1]!;
  if (isInOrder) return { rows, places, rowNumbers };
  const { rowCount } = rows;
  if (placeOfRow.length < rowCount) placeOfRow = new Uint32Array(2 ** Math.ceil(Math.log2(rowCount)));
  const found = emptyBitmap(rowCount);
  for (let at = 0; at < rowNumbers.length; at += 1) {
    const row = rowNumbers[at]!;
    placeOfRow[row] = places[at]!;
    found[row >>> 5]! |= 1 << (row & 31);
  }
  const sorted = new Uint32Array(rowNumbers.length);
  rowsOfBits(found, sorted);
  return { rows, places: sorted.map((row) => placeOfRow[row]!), rowNumbers: sorted };
}
