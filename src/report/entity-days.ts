/* eslint-disable @typescript-eslint/no-non-null-assertion -- places and codes are bounded by the arrays */
import { ID_COLUMN } from "../schema/fields.js";
import type { Rows } from "../segment/rows.js";
import { ACTOR_COLUMNS } from "./actors.js";
import { COMPANY_READER_COLUMNS, CompanyReader } from "./company-rows-reader.js";
import { ProjectMembers, type Entity } from "./entity-members.js";
import { PROJECT_SPAN, type EntityTriples } from "./entity-triples.js";
import { FirstDays } from "./first-days.js";
import type { ReportContext } from "./report.js";
import { mayHold, rowsOfLoaded } from "./rows-by-actor.js";

/** In which project, and when first, entities were seen: what triples of actors fold onto. 4 bytes a triple and an identity. */
export class EntityDays {
  readonly days = new FirstDays();
  /** Entity of each triple; 0 for those that are listed one by one. */
  readonly #entities: Int32Array;
  /** Entities and projects, in one number, of identities that changed their company. */
  readonly #listed = new Set<number>();

  #members: ProjectMembers | null = null;

  private constructor(readonly triples: EntityTriples) {
    this.#entities = new Int32Array(triples.count);
  }

  /**
   * @param parts the rows that the triples were made of
   * @param context with companies where these are entities
   * Cost: the triples, and the rows of those who changed their company.
   */
  static async of(triples: EntityTriples, parts: readonly Rows[], context: ReportContext): Promise<EntityDays> {
    const entities = new EntityDays(triples);
    const changing = entities.#fold(context);
    if (changing.length > 0) await entities.#list(changing, parts, context);
    return entities;
  }

  /** Visits every entity with each of its projects, some of the pairs more than once. */
  each(visit: (entity: Entity, project: number) => void): void {
    const { projects } = this.triples;
    for (let place = 0; place < this.#entities.length; place += 1)
      if (this.#entities[place] !== 0) visit(this.#entities[place]!, projects[place]!);
    for (const pair of this.#listed) {
      const entity = Math.floor(pair / PROJECT_SPAN);
      visit(entity, pair - entity * PROJECT_SPAN);
    }
  }

  /** The members of a project; those of the last one asked for are kept. Cost: the triples. */
  membersOf(project: number): ProjectMembers {
    if (this.#members?.project !== project) this.#members = new ProjectMembers(project, this);
    return this.#members;
  }

  /** Answers the actors whose rows are to be looked at one by one, ascending. */
  #fold({ identities, companies: view }: ReportContext): number[] {
    const { actors, companies, days } = this.triples;
    const hasLinks = identities.linkCount > 0;
    const changing = new Set<number>();
    for (let place = 0; place < this.#entities.length; place += 1) {
      const identity = hasLinks ? identities.identityOf(actors[place]!) : actors[place]!;
      const company = view === null ? 0 : companies[place]! || view.onlyCompany(identity);
      if (company === -1) {
        changing.add(actors[place]!);
        continue;
      }
      const entity = company > 0 ? -company : identity;
      this.#entities[place] = entity;
      this.days.add(entity, days[place]!);
    }
    return [...changing].sort((a, b) => a - b);
  }

  async #list(changing: readonly number[], parts: readonly Rows[], context: ReportContext): Promise<void> {
    for (const rows of parts) {
      if (!mayHold(rows, changing)) continue;
      await rows.load(ACTOR_COLUMNS);
      const list = rowsOfLoaded(rows, changing);
      if (list.length === 0) continue;
      await rows.load([...COMPANY_READER_COLUMNS, ID_COLUMN, "project"]);
      const reader = new CompanyReader(rows, context);
      for (const row of list) {
        if (reader.ownCompanyOf(row) !== 0) continue;
        const identity = reader.identityOf(row);
        const entity = -reader.companyOf(row, identity) || identity;
        this.days.add(entity, rows.day);
        this.#listed.add(entity * PROJECT_SPAN + reader.projectOf(row));
      }
    }
  }
}
