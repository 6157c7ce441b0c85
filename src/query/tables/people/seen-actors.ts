/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { grown } from "../../../core/base/arrays.js";
import { Scratch, type NumberMemory } from "../../../core/base/scratch.js";
import { denseCodes, codeAt } from "../../../storage/column/column.js";
import { joinLists, postingsByteLength, postingsOf, type Postings } from "../../../storage/column/postings.js";
import { firstAtLeast } from "../../../core/base/search.js";
import { onceOfColumn, type ColumnOnce } from "../../../storage/segment/column-once.js";
import { whilePinned, type Rows } from "../../../storage/segment/rows.js";
import { actorOf, ACTOR_COLUMNS, ACTOR_LISTS, type ActorTriples } from "../../../storage/segment/summaries.js";
import { dayStartMs } from "../../../core/base/time.js";
import { Yielder } from "../../../core/base/yield.js";
import { FollowedActors } from "../../../storage/derived/followed-actors.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import { StoreTable, type RowsOfSnapshot } from "../../../storage/derived/store-table.js";
import { companyOfEvent, type CompanySnapshot } from "../../../identity/company-view.js";
import { ChangeLog } from "../../../identity/links.js";
import type { Range } from "../../plan/plan.js";
import { SEQUENCE_COLUMN, TIME_COLUMN } from "../../../core/schema/fields.js";

/**
 * Scans of a part that together take as long as building its lists: 1 to 4 ns a row against 100. Parts build theirs after different numbers of scans,
 * from this minimum on, so that no query waits for the lists of all of them.
 */
const LOOK_COUNT_MIN = 4;
const LOOK_COUNT_SPAN = 32;

/** Rows by actor, built once for a settled part that was scanned often. Rows without an actor are left out. */
function rowsByActor(rows: Rows): Postings | null {
  const known = rows.cached("rowsByActor", []) as Postings | null;
  if (known !== null) return known;
  const looks = rows.derive("looks for actors", () => ({ count: 0 }), () => 16);
  looks.count += 1;
  if (looks.count <= LOOK_COUNT_MIN + (rows.day % LOOK_COUNT_SPAN)) return null;
  return rows.derive("rowsByActor", () => postingsOf(actorsOf(rows)), postingsByteLength);
}

function actorsOf(rows: Rows): Uint32Array {
  const users = denseCodes(rows.column("userId"));
  const anonymous = denseCodes(rows.column("anonymousId"));
  const actors = new Uint32Array(rows.rowCount);
  for (let row = 0; row < actors.length; row += 1) actors[row] = actorOf(users[row]!, anonymous[row]!);
  return actors;
}

/** By the zone maps alone: codes are given in order of arrival, so later actors have greater codes than any in an old segment. */
function heldBy(rows: Rows): (actor: number) => boolean {
  const zones = [rows.zone("userId"), rows.zone("anonymousId")];
  return (actor) => {
    const zone = zones[actor & 1]!;
    return zone !== null && actor >>> 1 >= zone.min && actor >>> 1 <= zone.max;
  };
}

/** As `rowsOfLoaded`, for a sealed part whose actor columns may have to be read. @throws corruption */
export async function readRowsOf(rows: Rows, actors: readonly number[], scratch: Scratch): Promise<Uint32Array> {
  const held = actors.filter(heldBy(rows));
  if (held.length === 0) return NO_ROWS;
  const readings = ACTOR_COLUMNS.map((name) => rows.readOnce(name, scratch));
  // What is in memory may have lists of rows by now.
  if (!readings.some((reading) => reading instanceof Promise)) return rowsOfLoaded(rows, actors);
  const [users, anonymous] = await Promise.all(readings);
  return rowsOfActors(users!, anonymous!, held);
}

/** Actor columns must be loaded. Cost: a read of each row, or a search per actor in settled rows scanned often. @param actors ascending */
export function rowsOfLoaded(rows: Rows, actors: readonly number[]): Uint32Array {
  const lists = rows.immutable ? rowsByActor(rows) : null;
  return lists === null ? scannedRows(rows, actors) : indexedRows(lists, actors);
}

function indexedRows({ codes: actors, starts, rows }: Postings, wanted: readonly number[]): Uint32Array {
  const lists: Uint32Array[] = [];
  let from = 0;
  for (const actor of wanted) {
    from = firstAtLeast(actors, actor, from);
    if (actors[from] === actor) lists.push(rows.subarray(starts[from]!, starts[from + 1]!));
  }
  return lists.length > FEW_LISTS ? joinLists(lists) : lists.reduce(mergeLists, NO_ROWS);
}

/** Up to this many lists are merged one by one, each at the cost of all rows. */
const FEW_LISTS = 8;

const NO_ROWS = new Uint32Array(0);

/** Merges two ascending lists without common rows. The longer one is copied in stretches. */
export function mergeLists(a: Uint32Array, b: Uint32Array): Uint32Array {
  if (a.length === 0) return b;
  const [long, short] = a.length >= b.length ? [a, b] : [b, a];
  const merged = new Uint32Array(a.length + b.length);
  let from = 0;
  let at = 0;
  for (const row of short) {
    for (; from < long.length && long[from]! < row; from += 1, at += 1) merged[at] = long[from]!;
    merged[at] = row;
    at += 1;
  }
  merged.set(long.subarray(from), at);
  return merged;
}

function scannedRows(rows: Rows, wanted: readonly number[]): Uint32Array {
  const held = wanted.filter(heldBy(rows));
  if (held.length === 0) return NO_ROWS;
  return Scratch.atOnce((scratch) => {
    const [users, anonymous] = ACTOR_COLUMNS.map((name) => onceOfColumn(rows.column(name), scratch));
    return rowsOfActors(users!, anonymous!, held);
  });
}

/** @param wanted ascending */
function rowsOfActors(users: ColumnOnce, anonymous: ColumnOnce, wanted: readonly number[]): Uint32Array {
  const codesOf = (role: 0 | 1) => Uint32Array.from(wanted.filter((actor) => actor > 1 && (actor & 1) === role), (actor) => actor >>> 1);
  const ofUsers = users.among(codesOf(0));
  const ofAnonymous = anonymous.among(codesOf(1));
  if (ofAnonymous.length === 0) return ofUsers;
  const userCodes = new Uint32Array(ofAnonymous.length);
  users.pick(ofAnonymous, userCodes);
  return mergeLists(ofUsers, ofAnonymous.filter((_, at) => userCodes[at] === 0));
}

/** Triples of one actor that are found by following a chain; the others are in a map. */
const CHAIN_LENGTH = 8;

/** Codes of projects are below it. */
const PROJECT_SPAN = 2 ** 24;

/** The first day of each distinct (actor, company of the event or 0, project). 20 bytes each, and 4 for every actor below the greatest. */
class EntityTriples {
  actors = new Uint32Array(1024);
  companies = new Uint32Array(1024);
  projects = new Uint32Array(1024);
  days = new Int32Array(1024);
  #count = 0;
  /** Position + 1 of the first triple of each actor, and of the next one of the same actor; 0 for none. */
  #firsts = new Uint32Array(1024);
  #nexts = new Uint32Array(1024);
  /** Positions by company and project, for the triples that a chain has no room for. */
  readonly #far = new Map<number, Map<number, number>>();

  get count(): number {
    return this.#count;
  }

  /** True if the triple is new, or its day earlier. Cost: the triples of the actor, at most `CHAIN_LENGTH`. */
  add(actor: number, company: number, project: number, day: number): boolean {
    if (actor >= this.#firsts.length) this.#firsts = grown(this.#firsts, 2 ** Math.ceil(Math.log2(actor + 1)));
    let last = 0;
    let length = 0;
    for (let next = this.#firsts[actor]!; next !== 0; next = this.#nexts[next - 1]!) {
      last = next;
      if (this.companies[next - 1] === company && this.projects[next - 1] === project) return this.#sawAt(next - 1, day);
      length += 1;
    }
    if (length === CHAIN_LENGTH) return this.#addFar(actor, company, project, day);
    const place = this.#append(actor, company, project, day);
    if (last === 0) this.#firsts[actor] = place + 1;
    else this.#nexts[last - 1] = place + 1;
    return true;
  }

  placesOf(actor: number): number[] {
    const places: number[] = [];
    for (let next = this.#firsts[actor] ?? 0; next !== 0; next = this.#nexts[next - 1]!) places.push(next - 1);
    return [...places, ...(this.#far.get(actor)?.values() ?? [])];
  }

  /** For an actor with many triples, such as the one user under which a server reports all events. */
  #addFar(actor: number, company: number, project: number, day: number): boolean {
    let places = this.#far.get(actor);
    if (places === undefined) this.#far.set(actor, (places = new Map()));
    const key = company * PROJECT_SPAN + project;
    const place = places.get(key);
    if (place !== undefined) return this.#sawAt(place, day);
    places.set(key, this.#append(actor, company, project, day));
    return true;
  }

  #sawAt(place: number, day: number): boolean {
    const isEarlier = day < this.days[place]!;
    if (isEarlier) this.days[place] = day;
    return isEarlier;
  }

  #append(actor: number, company: number, project: number, day: number): number {
    const place = this.#count;
    if (place === this.actors.length) this.#grow(place * 2);
    this.actors[place] = actor;
    this.companies[place] = company;
    this.projects[place] = project;
    this.days[place] = day;
    this.#count = place + 1;
    return place;
  }

  #grow(length: number): void {
    this.actors = grown(this.actors, length);
    this.companies = grown(this.companies, length);
    this.projects = grown(this.projects, length);
    this.days = grown(this.days, length);
    this.#nexts = grown(this.#nexts, length);
  }
}

interface PlainEvent {
  readonly ms: number;
  readonly sequence: number;
  readonly day: number;
  readonly project: number;
}

const BYTES_PER_TRIPLE = 24;
const BYTES_PER_PLAIN_EVENT = 64;
const VALUES_PER_ROW = 4;

/** The all-time first days of actors by company of the event and by project. Idempotent, so a row may be consumed twice. */
export class SeenActors extends StoreTable<ActorTriples> {
  triples = new EntityTriples();
  /** Actors with a new fact. */
  readonly changes = new ChangeLog();
  /** Events of actors whose company depends on the time. */
  readonly plainEvents = new FollowedActors<PlainEvent>(plainEventsOf);

  catchUp(moment: RowsOfSnapshot, pending: PendingLoads): boolean {
    return this.takeRows(moment, pending);
  }

  /** Visits events that name no company, with the company of each then (0: none); false when rows or ids must be read first. */
  eachPlainEvent(
    wanted: readonly number[],
    { fromMs, toMs }: Range,
    moment: CompanySnapshot,
    pending: PendingLoads,
    visit: (identity: number, company: number, event: PlainEvent) => void,
  ): boolean {
    const { plainEvents } = this;
    const { identities, rows } = moment;
    const unread = wanted.flatMap((identity) => identities.actorsOf(identity).filter((actor) => !plainEvents.has(actor)));
    if (unread.length > 0) pending.add(() => plainEvents.read(new Set(unread), rows));
    if (unread.length > 0) return false;
    for (const identity of wanted)
      for (const actor of identities.actorsOf(identity))
        for (const event of plainEvents.of(actor)) {
          if (event.ms < fromMs || event.ms >= toMs) continue;
          const company = companyOfEvent(0, actor, event, moment, pending);
          if (company === null) return false;
          visit(identity, company, event);
        }
    return true;
  }

  protected known(segment: Rows): ActorTriples | null {
    return segment.cachedActorLists(ACTOR_LISTS);
  }

  protected load(segment: Rows, scratch: NumberMemory): Promise<ActorTriples> {
    return segment.actorLists(ACTOR_LISTS, scratch);
  }

  /** Unlike the lists of a segment, `members` has an actor or 0 for each row, so that positions are rows; company 0 is none. */
  protected ofHead(rows: Rows): ActorTriples {
    const [users, anonymous, companies, projects] = ["userId", "anonymousId", "companyId", "project"].map((name) => rows.column(name));
    const codes = (codeOf: (row: number) => number) => Uint32Array.from({ length: rows.rowCount }, (_, row) => codeOf(row));
    return {
      plain: NO_ROWS,
      members: codes((row) => actorOf(codeAt(users!, row), codeAt(anonymous!, row))),
      companies: codes((row) => codeAt(companies!, row)),
      projects: codes((row) => codeAt(projects!, row)),
    };
  }

  protected take(rows: Rows, { plain, members, companies, projects }: ActorTriples): void {
    for (let at = 0; at < projects.length; at += 1) {
      const member = at - plain.length;
      const actor = member < 0 ? plain[at]! : members[member]!;
      const company = member < 0 ? 0 : companies[member]!;
      if (actor === 0) continue;
      const isNew = this.triples.add(actor, company, projects[at]!, rows.day);
      const isFollowed = company === 0 && this.plainEvents.isFollowed(actor);
      if (isFollowed && rows.sealed) this.plainEvents.forget(actor);
      else if (isFollowed) this.plainEvents.add(actor, plainEventAt(rows, at));
      if (isNew || isFollowed) this.changes.add(actor);
    }
  }

  protected reset(): void {
    this.triples = new EntityTriples();
    this.changes.addAll();
    this.plainEvents.clear();
  }

  protected measure(): number {
    return this.triples.count * BYTES_PER_TRIPLE + this.plainEvents.factCount * BYTES_PER_PLAIN_EVENT;
  }
}

function plainEventAt(rows: Rows, row: number): PlainEvent {
  return { ms: dayStartMs(rows.day) + rows.times()[row]!, sequence: rows.sequences()[row]!, day: rows.day, project: codeAt(rows.column("project"), row) };
}

async function plainEventsOf(actors: ReadonlySet<number>, parts: readonly Rows[]): Promise<Map<number, PlainEvent[]>> {
  const ascending = [...actors].sort((a, b) => a - b);
  const lists = new Map<number, PlainEvent[]>(ascending.map((actor) => [actor, []]));
  const yielder = new Yielder();
  for (const rows of parts) {
    await yielder.yieldAfter(rows.rowCount * VALUES_PER_ROW);
    await whilePinned([rows], async () => {
      await rows.load([...ACTOR_COLUMNS, "companyId"]);
      const list = rowsOfLoaded(rows, ascending).filter((row) => codeAt(rows.column("companyId"), row) === 0);
      if (list.length === 0) return;
      await rows.load([...ACTOR_COLUMNS, TIME_COLUMN, SEQUENCE_COLUMN, "project"]);
      const [users, anonymous] = [rows.column("userId"), rows.column("anonymousId")];
      for (const row of list) lists.get(actorOf(codeAt(users, row), codeAt(anonymous, row)))?.push(plainEventAt(rows, row));
    });
  }
  return lists;
}
