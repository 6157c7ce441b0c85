/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and places are bounded by their columns */
import { denseCodes } from "../column/column.js";
import type { Head, HeadView } from "../segment/head.js";
import type { Rows } from "../segment/rows.js";
import { actorOf } from "../segment/who.js";
import { CompanyReader } from "./company-rows-reader.js";
import type { EntityDays } from "./entity-days.js";
import { EntitySet, addTo, type Entity } from "./entity-members.js";
import { EntityTriples } from "./entity-triples.js";
import type { FirstDays } from "./first-days.js";
import type { ReportContext } from "./report.js";

/** The members of a project, and their number by the day on which each was first seen anywhere. */
interface ProjectCount {
  readonly project: number;
  /** As segments alone tell. */
  readonly members: EntitySet;
  readonly newMembers: EntitySet;
  readonly byDay: Map<number, number>;
}

/**
 * Who was seen in heads, upon who was seen in segments. Grows with the heads: each row is looked at once, and changes what it
 * changes. 20 bytes for who was seen, by company and project, and 8 for every identity below the greatest.
 */
export class NewerEntities {
  readonly #rowCounts = new WeakMap<Head, number>();
  #rowCount = 0;
  readonly #triples = new EntityTriples();
  /** Of all that were seen anywhere. */
  readonly #days: FirstDays;
  #count: ProjectCount | null = null;

  constructor(readonly base: EntityDays) {
    this.#days = base.days.copy();
  }

  /** Whether it has looked at no other rows than those of these heads. */
  isWithin(heads: readonly HeadView[]): boolean {
    let rowCount = 0;
    for (const { head, rowCount: shown } of heads) {
      const known = this.#rowCounts.get(head) ?? 0;
      if (known > shown) return false;
      rowCount += known;
    }
    return rowCount === this.#rowCount;
  }

  /** Looks at the rows that came since. @param context always the same people */
  add(heads: readonly HeadView[], context: ReportContext): void {
    for (const view of heads) {
      const known = this.#rowCounts.get(view.head) ?? 0;
      if (view.rowCount === known) continue;
      this.#addRows(view.since(known), context);
      this.#rowCounts.set(view.head, view.rowCount);
      this.#rowCount += view.rowCount - known;
    }
  }

  /** NEVER for an entity that was not seen. */
  dayOf(entity: Entity): number {
    return this.#days.of(entity);
  }

  /**
   * Number of entities seen in a project, by the day on which they were first seen anywhere.
   * Cost: nothing; all that were seen in heads, and in segments, when another project was asked for before.
   */
  countByDay(project: number): ReadonlyMap<number, number> {
    if (this.#count?.project !== project) this.#count = this.#countAll(project);
    return this.#count.byDay;
  }

  #addRows(rows: Rows, context: ReportContext): void {
    const { identities, companies: view } = context;
    const [users, anonymous, companies, projects] = ["userId", "anonymousId", "companyId", "project"].map((name) => denseCodes(rows.column(name)));
    const hasLinks = identities.linkCount > 0;
    const reader = view === null ? null : new CompanyReader(rows, context);
    for (let row = 0; row < rows.rowCount; row += 1) {
      const actor = actorOf(users![row]!, anonymous![row]!);
      if (actor === 0) continue;
      const identity = hasLinks ? identities.identityOf(actor) : actor;
      const company = reader === null ? 0 : companies![row]! || reader.companyOf(row, identity);
      const project = projects![row]!;
      if (this.#triples.add(identity, company, project, rows.day)) this.#see(company > 0 ? -company : identity, project, rows.day);
    }
  }

  #see(entity: Entity, project: number, day: number): void {
    const before = this.dayOf(entity);
    this.#days.add(entity, day);
    const now = Math.min(before, day);
    const count = this.#count;
    if (count === null) return;
    if (count.members.has(entity) || count.newMembers.has(entity)) {
      if (now === before) return;
      addTo(count.byDay, before, -1);
      addTo(count.byDay, now, 1);
    } else if (project === count.project) {
      count.newMembers.add(entity);
      addTo(count.byDay, now, 1);
    }
  }

  #countAll(project: number): ProjectCount {
    const { base } = this;
    const { set: members, countByDay } = base.membersOf(project);
    const newMembers = new EntitySet();
    const { companies, actors, projects, count } = this.#triples;
    const entityAt = (place: number): Entity => (companies[place]! > 0 ? -companies[place]! : actors[place]!);
    for (let place = 0; place < count; place += 1) if (projects[place] === project && !members.has(entityAt(place))) newMembers.add(entityAt(place));
    const byDay = new Map(countByDay);
    const seen = new EntitySet();
    for (let place = 0; place < count; place += 1) {
      const entity = entityAt(place);
      if (!seen.add(entity)) continue;
      const wasMember = members.has(entity);
      if (wasMember) addTo(byDay, base.days.of(entity), -1);
      if (wasMember || newMembers.has(entity)) addTo(byDay, this.dayOf(entity), 1);
    }
    return { project, members, newMembers, byDay };
  }
}
