/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows, parts and sessions are bounded by their columns */
import { LIMITS } from "../../base/limits.js";
import { dayStartMs } from "../../base/time.js";
import { SEQUENCE_COLUMN } from "../../schema/fields.js";
import { LoadsAhead } from "../../segment/loads-ahead.js";
import type { Rows } from "../../segment/rows.js";
import { actorAt, type EventColumns } from "./event-columns.js";
import type { EventReader } from "./event-reader.js";
import { MovedFirsts } from "./moved-firsts.js";
import { NONE, Part, type PartKey } from "./part.js";
import type { Stitching } from "./restitch.js";
import type { Exchange } from "./session-changes.js";
import { SessionFinder } from "./session-finder.js";
import { SessionView, type UntakenEvent } from "./session-view.js";

/** What an event costs, in values. */
const VALUES_PER_EVENT = 16;

/**
 * The same sessions where their rows lie in other segments now: a seal or a compaction changes no fact. Events of these segments that came since are
 * left for the next moment. Null where events are gone, and where ids decide with which of two parts a session begins: then all are to be made anew.
 * Cost: the rows of the segments that came, some 100 ns each; the sessions of their days; a copy of two columns of sessions.
 */
export async function exchanged(view: SessionView, exchange: Exchange, { columns, rule }: Stitching, reader: EventReader): Promise<SessionView | null> {
  const { numbers, stayingCount, added } = exchange;
  const stays = (_: unknown, number: number) => numbers[number] !== NONE;
  const parts = [...view.parts.filter(stays), ...added.map((rows) => new Part(rows))];
  const rowsOf = [...view.rowsOf.filter(stays), ...added];
  const untaken = view.taken.untaken.filter(({ part }) => numbers[part] !== NONE).map((event) => ({ ...event, part: numbers[event.part]! }));
  const missing = missingByDay(view, exchange);
  const firsts = await MovedFirsts.of(columns, numbers, stayingCount, reader.turns);
  const loads = new LoadsAhead(added, (rows) => rows.load([...reader.source.columnsOf(rows), SEQUENCE_COLUMN]));
  let number = stayingCount;
  let areSure = true;
  try {
    await reader.readEach(added, async (rows, events) => {
      reader.looked(rows.rowCount);
      const taking = new Taking(view, rows, events, parts[number]!, number, firsts, rule.maxMs);
      await taking.take(reader.turns, untaken);
      missing.set(rows.day, (missing.get(rows.day) ?? 0) - taking.takenCount);
      areSure &&= taking.areSure;
      number += 1;
    }, loads);
  } finally {
    loads.release();
  }
  areSure &&= firsts.areSure && [...missing.values()].every((count) => count === 0);
  if (!areSure) return null;
  columns.moveFirsts(firsts.parts, firsts.rows);
  const { count, orderedCount, others, identityEnd, days, kept, continuations, taken } = view;
  const partNumbers = new Map<PartKey, number>(parts.map(({ key }, at) => [key, at]));
  // What is of no moment as yet: the next one takes what came since.
  const { identities, sequence } = taken;
  return new SessionView(columns.facts(), count, orderedCount, others, identityEnd, rowsOf, parts, partNumbers, days, { rows: [], identities, sequence, untaken }, kept, continuations);
}

/** By day: how many events were taken of parts that are gone. */
function missingByDay({ rowsOf, taken }: SessionView, { numbers }: Exchange): Map<number, number> {
  const missing = new Map<number, number>();
  const add = (part: number, count: number) => {
    const { day } = rowsOf[part]!;
    if (numbers[part] === NONE) missing.set(day, (missing.get(day) ?? 0) + count);
  };
  for (const [part, { rowCount }] of rowsOf.entries()) add(part, rowCount);
  for (const { part } of taken.untaken) add(part, -1);
  return missing;
}

/** Tells of each row of a segment in which session it is. */
class Taking {
  takenCount = 0;
  /** Whether each has a session that is to have one. */
  areSure = true;
  readonly #finder: SessionFinder;
  readonly #dayMs: number;

  constructor(
    readonly view: SessionView,
    readonly rows: Rows,
    readonly events: EventColumns,
    readonly part: Part,
    readonly number: number,
    readonly firsts: MovedFirsts,
    maxMs: number,
  ) {
    this.#dayMs = dayStartMs(rows.day);
    this.#finder = new SessionFinder(view, this.#dayMs + rows.minMs - maxMs);
  }

  /** @param untaken is given the events that came since: where they are too many for one turn, only one more than that, and all are made anew then */
  async take(turns: EventReader["turns"], untaken: UntakenEvent[]): Promise<void> {
    await this.#finder.begin(this.#dayMs + this.rows.minMs, turns);
    await turns.inPieces(this.rows.rowCount, (from, to) => this.#takeRows(from, to, untaken), VALUES_PER_EVENT);
  }

  #takeRows(from: number, to: number, untaken: UntakenEvent[]): void {
    const { events, firsts, part, number, view: { days, facts: { starts }, taken: { identities, sequence } } } = this;
    const { projects, onlyProject, times, urls, slugs, isPageview } = events;
    const sequences = this.rows.sequences();
    for (let row = from; row < to; row += 1) {
      const isTaken = sequences[row]! <= sequence;
      if (isTaken) this.takenCount += 1;
      const actor = actorAt(events, row);
      if (actor === 0) continue;
      const [project, ms] = [projects === null ? onlyProject : projects[row]!, this.#dayMs + times[row]!];
      if (!isTaken) {
        if (untaken.length <= LIMITS.restitchedCount)
          untaken.push({ dayMs: this.#dayMs, actor, project, part: number, row, ms, url: urls[row]!, isPageview: isPageview[slugs[row]!] === 1 });
        continue;
      }
      const session = this.#finder.find(identities.identityOf(actor), project, ms);
      if (session < 0) {
        // Of earlier days there are only the events of those who go on over midnight.
        if (this.rows.day >= days.whole.firstDay) this.areSure = false;
        continue;
      }
      part.sessions[row] = session;
      if (ms === starts[session]) firsts.found(session, number, row);
    }
  }
}
