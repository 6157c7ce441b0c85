/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { dayStartMs } from "../../base/time.js";
import { Turns } from "../../base/turn.js";
import { codeAt } from "../../column/column.js";
import { FollowedActors } from "../../derived/followed-actors.js";
import type { Missing } from "../../derived/missing.js";
import { StoreTable, type RowsOfMoment } from "../../derived/store-table.js";
import { Moves } from "../../identity/moves.js";
import type { Rows } from "../../segment/rows.js";
import { SEQUENCE_COLUMN, TIME_COLUMN } from "../../schema/fields.js";
import { ACTOR_COLUMNS, actorOf, type Who } from "../../segment/who.js";
import { EntityTriples } from "./entity-triples.js";
import { rowsOfLoaded } from "./rows-by-actor.js";

/** An event that names no company itself. */
export interface PlainEvent {
  readonly ms: number;
  readonly sequence: number;
  readonly day: number;
  readonly project: number;
}

const BYTES_PER_TRIPLE = 24;
const BYTES_PER_PLAIN_EVENT = 64;
/** What a row costs that is looked through for somebody's events, in values. */
const VALUES_PER_ROW = 4;

/**
 * Who was seen, for which company by the event itself, in which project, and on which day first: of all time. Idempotent, so a row may be taken
 * twice.
 */
export class SeenActors extends StoreTable<Who> {
  triples = new EntityTriples();
  /** Actors of whom something was new. */
  readonly changes = new Moves();
  /** Of those whose company depends on the time. */
  readonly plainEvents = new FollowedActors<PlainEvent>(plainEventsOf);

  /** Brings it up to a moment; false where something is missing. */
  catchUp(moment: RowsOfMoment, missing: Missing): boolean {
    return this.takeRows(moment, missing);
  }

  protected known(segment: Rows): Who | null {
    return segment.knownWho();
  }

  protected load(segment: Rows): Promise<Who> {
    return segment.who();
  }

  protected ofHead(rows: Rows): Who {
    const [users, anonymous, companies, projects] = ["userId", "anonymousId", "companyId", "project"].map((name) => rows.column(name));
    const codes = (codeOf: (row: number) => number) => Uint32Array.from({ length: rows.rowCount }, (_, row) => codeOf(row));
    return {
      actors: codes((row) => actorOf(codeAt(users!, row), codeAt(anonymous!, row))),
      companies: codes((row) => codeAt(companies!, row)),
      projects: codes((row) => codeAt(projects!, row)),
    };
  }

  protected take(rows: Rows, { actors, companies, projects }: Who): void {
    for (let at = 0; at < actors.length; at += 1) {
      const actor = actors[at]!;
      if (actor === 0) continue;
      const isNew = this.triples.add(actor, companies[at]!, projects[at]!, rows.day);
      const isFollowed = companies[at] === 0 && this.plainEvents.isFollowed(actor);
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
  const turns = new Turns();
  for (const rows of parts) {
    await turns.took(rows.rowCount * VALUES_PER_ROW);
    rows.pin();
    try {
      await rows.load([...ACTOR_COLUMNS, "companyId"]);
      const list = rowsOfLoaded(rows, ascending).filter((row) => codeAt(rows.column("companyId"), row) === 0);
      if (list.length === 0) continue;
      await rows.load([...ACTOR_COLUMNS, TIME_COLUMN, SEQUENCE_COLUMN, "project"]);
      const [users, anonymous] = [rows.column("userId"), rows.column("anonymousId")];
      for (const row of list) lists.get(actorOf(codeAt(users, row), codeAt(anonymous, row)))?.push(plainEventAt(rows, row));
    } finally {
      rows.unpin();
    }
  }
  return lists;
}
