/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the lists */
import { inOrder } from "../../../core/base/ahead.js";
import { areSameParts } from "../../../core/base/same-parts.js";
import { firstAtLeast } from "../../../storage/column/search.js";
import { SEQUENCE_COLUMN } from "../../../core/schema/fields.js";
import { type Rows, whilePinned } from "../../../storage/segment/rows.js";
import type { Droppable, MemoryBudget } from "../../../storage/segment/memory-budget.js";
import { ACTOR_COLUMNS } from "../../../storage/segment/summaries.js";
import { mergeLists, rowsOfLoaded } from "./rows-by-actor.js";
import { timelineOf, type Hit, type Timeline } from "./timeline.js";

/** An identity and its actors, ascending; the first is never 0. */
interface IdentityActors {
  readonly identity: number;
  readonly actors: readonly number[];
}

/** Callbacks that yield and that count rows read. */
interface TimelineWork {
  readonly pause: () => Promise<void>;
  readonly looked: (rowCount: number) => void;
}

/** The rows of one identity's events in sealed segments. */
interface IdentityRows {
  readonly actors: readonly number[];
  /** An empty list for a segment without any. */
  readonly lists: ReadonlyMap<Rows, Uint32Array>;
  readonly segments: readonly Rows[];
  readonly eventCount: number;
  /** Built on first use; unused when heads have rows of the identity. */
  timeline: Timeline | null;
}

interface SnapshotRows {
  readonly segments: readonly Rows[];
  readonly heads: readonly Rows[];
}

/** Number of cached identities. */
const IDENTITY_COUNT = 64;
const BYTES_PER_EVENT = 16;
const BYTES_PER_SEGMENT = 120;
const NO_ROWS = new Uint32Array(0);

/** The rows of the identities queried last: a person's page runs several queries over the same events. 16 bytes an event, and 120 a segment. */
export class Timelines implements Droppable {
  readonly #known = new Map<number, IdentityRows>();
  readonly #parts = new WeakMap<readonly Rows[], SnapshotRows>();
  byteLength = 0;
  lastUsed = 0;
  readonly pinned = false;

  constructor(readonly budget: MemoryBudget) {}

  /** The events of an identity in all rows of a snapshot, in order. @param upTo greatest sequence of the rows that count; null: all */
  async of(subject: IdentityActors, rows: readonly Rows[], upTo: number | null, look: TimelineWork): Promise<Timeline> {
    const { segments, heads } = this.#partsOf(rows);
    const known = await this.#knownOf(subject, segments, look);
    const hits: Hit[] = [];
    const isLate = upTo !== null && rows.some((part) => part.lastSequence > upTo);
    for (const part of heads) {
      const list = rowsOfLoaded(part, subject.actors);
      look.looked(part.rowCount);
      if (list.length > 0) hits.push({ rows: part, list });
    }
    const isKnown = hits.length === 0 && !isLate;
    if (isKnown && known.timeline !== null) return known.timeline;
    for (const [segment, list] of known.lists) if (list.length > 0) hits.push({ rows: segment, list });
    const timeline = await timelineOf(isLate ? await upToSequence(hits, upTo) : hits, look.pause);
    if (isKnown) known.timeline = timeline;
    return timeline;
  }

  /** Cached by list, as a store without new rows returns the same list of rows. */
  #partsOf(rows: readonly Rows[]): SnapshotRows {
    let parts = this.#parts.get(rows);
    if (parts === undefined) {
      parts = { segments: rows.filter((part) => part.sealed), heads: rows.filter((part) => !part.sealed) };
      this.#parts.set(rows, parts);
    }
    return parts;
  }

  drop(): void {
    this.#known.clear();
    this.byteLength = 0;
  }

  async #knownOf({ identity, actors }: IdentityActors, segments: readonly Rows[], { pause, looked }: TimelineWork): Promise<IdentityRows> {
    const known = this.#known.get(identity);
    const [asked, former] = [new Set(actors), new Set(known?.actors)];
    const isPart = known !== undefined && known.actors.every((actor) => asked.has(actor));
    const added = isPart ? actors.filter((actor) => !former.has(actor)) : actors;
    if (isPart && added.length === 0 && areSameParts(known.segments, segments)) {
      this.#remember(identity, known);
      return known;
    }
    const lists = new Map<Rows, Uint32Array>();
    const load = async (segment: Rows) => {
      await pause();
      const list = isPart ? known.lists.get(segment) : undefined;
      if (list === undefined) return await rowsOf(segment, actors, looked);
      return added.length === 0 ? list : mergeLists(list, await rowsOf(segment, added, looked));
    };
    await inOrder(segments, load, (list, segment) => {
      lists.set(segment, list);
      return true;
    });
    let eventCount = 0;
    for (const list of lists.values()) eventCount += list.length;
    const made = { actors, lists, segments, eventCount, timeline: null };
    this.#remember(identity, made);
    return made;
  }

  /** Keeps the newest entry last. */
  #remember(identity: number, known: IdentityRows): void {
    this.#known.delete(identity);
    this.#known.set(identity, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= IDENTITY_COUNT) break;
      this.#known.delete(oldest);
    }
    let byteLength = 0;
    for (const { eventCount, segments } of this.#known.values()) byteLength += eventCount * BYTES_PER_EVENT + segments.length * BYTES_PER_SEGMENT;
    this.budget.remove(this);
    this.byteLength = byteLength;
    this.budget.add(this);
  }
}

/** Rows of some actors in a segment, ascending. Cost: a search when they have none, otherwise that of `rowsOfLoaded`. */
async function rowsOf(segment: Rows, actors: readonly number[], looked: (rowCount: number) => void): Promise<Uint32Array> {
  segment.pin();
  try {
    const who = await segment.who();
    if (!haveCommon(Uint32Array.from(actors), who.actors)) return NO_ROWS;
    await segment.load(ACTOR_COLUMNS);
    looked(segment.rowCount);
    return rowsOfLoaded(segment, actors);
  } finally {
    segment.unpin();
  }
}

/** Whether two ascending lists have a common value. Cost: a search in the longer one for each value of the shorter, up to the first match. */
function haveCommon(a: Uint32Array, b: Uint32Array): boolean {
  const [few, many] = a.length < b.length ? [a, b] : [b, a];
  let from = 0;
  for (let at = 0; at < few.length && from < many.length; at += 1) {
    from = firstAtLeast(many, few[at]!, from);
    if (many[from] === few[at]) return true;
  }
  return false;
}

async function upToSequence(hits: readonly Hit[], sequence: number): Promise<Hit[]> {
  const visible: Hit[] = [];
  for (const { rows, list } of hits) {
    const kept = rows.lastSequence <= sequence ? list : await whilePinned([rows], async () => {
      await rows.load([SEQUENCE_COLUMN]);
      const sequences = rows.sequences();
      return list.filter((row) => sequences[row]! <= sequence);
    });
    if (kept.length > 0) visible.push({ rows, list: kept });
  }
  return visible;
}
