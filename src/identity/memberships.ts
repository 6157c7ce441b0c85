/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import { codeAt } from "../column/column.js";
import { PagedCodes } from "../column/paged-codes.js";
import { FollowedActors } from "../derived/followed-actors.js";
import type { Missing } from "../derived/missing.js";
import { StoreTable, type RowsOfMoment, type TableUse } from "../derived/store-table.js";
import type { MemoryBudget } from "../segment/memory-budget.js";
import type { Rows } from "../segment/rows.js";
import { actorOf } from "../segment/who.js";
import { associationAt, associationsOf } from "./associations.js";
import { Companies, MIXED, compareAssociations, type Association } from "./company-view.js";
import type { CompanyView, IdentityView } from "./identity-view.js";
import { Moves } from "./moves.js";
import type { IdentityResolver } from "./resolver.js";

/** The rows, and who is who, of one moment. */
export interface Moment extends RowsOfMoment {
  readonly identities: IdentityView;
}

/** Who was seen with which company (0: none); of a head also in which row. */
interface CompanyPairs {
  readonly actors: ArrayLike<number>;
  readonly companies: ArrayLike<number>;
  readonly rows: ArrayLike<number> | null;
}

/** Actors that are folded one by one; beyond, all are. */
const TOUCHED_COUNT = 16 * 1024;
/** Estimate of an association in a list. */
const ASSOCIATION_BYTES = 160;

/**
 * Who belongs to which company, by events and group records. Nearly everybody has one company: a code each, 8 bytes an id; the
 * others have the list of all their associations in order. Rows, links and records that come change what they concern.
 */
export class Memberships extends StoreTable<CompanyPairs> {
  /** The company of each actor's events that name one; MIXED for several. */
  #ofActors = new PagedCodes();
  /** The same of each identity, its group records included. */
  #ofIdentities = new PagedCodes();
  /** Identities by their only company; null until somebody asks. */
  #members: Map<number, Set<number>> | null = null;
  #lists: ReadonlyMap<number, readonly Association[]> = new Map();
  /** What events tell of the actors of those with lists. */
  readonly #associations = new FollowedActors<Association>(associationsOf);
  /** Actors of whom rows told something since identities were folded last; null: too many. */
  #touched: Set<number> | null = null;
  /** Identities that were folded for a moment of which something was missing: the next may have undone what changed for it. */
  readonly #folded = new Set<number>();
  /** Identities whose companies changed. */
  readonly #changes = new Moves();
  #identities: IdentityView | null = null;
  #groupMoveCount = 0;
  #view: CompanyView | null = null;

  constructor(
    budget: MemoryBudget,
    use: TableUse,
    readonly resolver: IdentityResolver,
  ) {
    super(budget, use);
  }

  /** Counts the changes so far, for `changedBetween`. */
  get changeCount(): number {
    return this.#changes.count;
  }

  /** Identities whose companies may have changed between two counts of changes; null where that is too long ago to tell. */
  changedBetween(from: number, to: number): ReadonlySet<number> | null {
    return this.#changes.between(from, to);
  }

  /**
   * What is so at a moment that is no earlier than the last one; null where something is missing. Later changes do not change the answer.
   * Cost: the pairs of ids and companies that came since, and the associations of those with several companies whom they concern.
   */
  of(moment: Moment, missing: Missing): CompanyView | null {
    if (!this.takeRows(moment, missing)) return null;
    const { identities } = moment;
    const { groupMoves } = this.resolver;
    const changed = this.#identitiesToFold(identities);
    if (changed === null) this.#foldAll(identities);
    else for (const identity of changed) this.#fold(identity, identities);
    if (!this.#list(changed, moment, missing)) {
      for (const identity of changed ?? []) this.#folded.add(identity);
      return null;
    }
    this.#folded.clear();
    if (changed === null) this.#changes.addAll();
    else for (const identity of changed) this.#changes.add(identity);
    if (this.#view === null || changed === null || changed.size > 0)
      this.#view = new Companies(this.resolver, this.#ofIdentities.freeze(), this.#lists, (company) => this.#membersOf(company), this.resolver.recordEnd);
    this.#touched = new Set();
    this.#identities = identities;
    this.#groupMoveCount = groupMoves.count;
    return this.#view;
  }

  protected known(segment: Rows): CompanyPairs | null {
    if (segment.zone("companyId") === null) return NO_PAIRS;
    const who = segment.knownWho();
    return who === null ? null : { ...who, rows: null };
  }

  protected async load(segment: Rows): Promise<CompanyPairs> {
    return this.known(segment) ?? { ...(await segment.who()), rows: null };
  }

  protected ofHead(rows: Rows): CompanyPairs {
    if (rows.zone("companyId") === null) return NO_PAIRS;
    const [users, anonymous, companies] = ["userId", "anonymousId", "companyId"].map((name) => rows.column(name));
    const pairs = { actors: [] as number[], companies: [] as number[], rows: [] as number[] };
    for (let row = 0; row < rows.rowCount; row += 1) {
      const company = codeAt(companies!, row);
      const actor = company === 0 ? 0 : actorOf(codeAt(users!, row), codeAt(anonymous!, row));
      if (actor === 0) continue;
      pairs.actors.push(actor);
      pairs.companies.push(company);
      pairs.rows.push(row);
    }
    return pairs;
  }

  protected take(rows: Rows, { actors, companies, rows: places }: CompanyPairs): void {
    for (let at = 0; at < actors.length; at += 1) {
      const [actor, company] = [actors[at]!, companies[at]!];
      if (actor === 0 || company === 0) continue;
      const known = this.#ofActors.of(actor);
      const joined = join(known, company);
      if (joined !== known) this.#ofActors.set(actor, joined);
      if (places === null) this.#associations.forget(actor);
      else if (this.#associations.isFollowed(actor)) this.#associations.add(actor, associationAt(rows, places[at]!));
      // With several companies it matters when.
      if (joined !== known || this.#ofIdentities.of(this.#identityOf(actor)) !== company) this.#touch(actor);
    }
  }

  protected reset(): void {
    this.#ofActors = new PagedCodes();
    this.#ofIdentities = new PagedCodes();
    this.#members = null;
    this.#lists = new Map();
    this.#associations.clear();
    this.#touched = null;
    this.#folded.clear();
    this.#identities = null;
    this.#view = null;
  }

  protected measure(): number {
    let listed = 0;
    for (const list of this.#lists.values()) listed += list.length;
    return this.#ofActors.byteLength + this.#ofIdentities.byteLength + listed * ASSOCIATION_BYTES;
  }

  #identityOf(actor: number): number {
    return this.#identities === null ? actor : this.#identities.identityOf(actor);
  }

  #touch(actor: number): void {
    if (this.#touched === null) return;
    this.#touched.add(actor);
    if (this.#touched.size > TOUCHED_COUNT) this.#touched = null;
  }

  /** Whose companies may have changed since the last moment; null for everybody's. */
  #identitiesToFold(identities: IdentityView): ReadonlySet<number> | null {
    const { groupMoves } = this.resolver;
    const former = this.#identities;
    const moved = former === null ? null : identities.movedSince(former);
    const grouped = groupMoves.between(this.#groupMoveCount, groupMoves.count);
    if (former === null || this.#touched === null || moved === null || grouped === null) return null;
    const changed = new Set(this.#folded);
    for (const actor of this.#touched) changed.add(identities.identityOf(actor));
    for (const actor of grouped) changed.add(identities.identityOf(actor));
    for (const actor of moved) changed.add(former.identityOf(actor)).add(identities.identityOf(actor));
    return changed;
  }

  /** Cost: all actors that were seen with a company. */
  #foldAll(identities: IdentityView): void {
    const folded = new PagedCodes();
    const add = (actor: number, company: number) => {
      const identity = identities.identityOf(actor);
      const known = folded.of(identity);
      const joined = join(known, company);
      if (joined !== known) folded.set(identity, joined);
    };
    this.#ofActors.each(add);
    const { groupsOfActor, table } = this.resolver;
    for (const actor of groupsOfActor.codes()) for (const row of groupsOfActor.of(actor)) add(actor, table.code(row, "companyId"));
    this.#ofIdentities = folded;
    this.#members = null;
  }

  #fold(identity: number, identities: IdentityView): void {
    const { groupsOfActor, table } = this.resolver;
    let company = 0;
    // Whoever became somebody else is nobody's identity any more.
    const actors = identities.identityOf(identity) === identity ? identities.actorsOf(identity) : [];
    for (const actor of actors) {
      company = join(company, this.#ofActors.of(actor));
      for (const row of groupsOfActor.of(actor)) company = join(company, table.code(row, "companyId"));
    }
    const before = this.#ofIdentities.of(identity);
    if (before === company) return;
    this.#ofIdentities.set(identity, company);
    this.#members?.get(before)?.delete(identity);
    if (this.#members !== null) addTo(this.#members, company, identity);
  }

  #membersOf(company: number): Iterable<number> {
    if (this.#members === null) {
      const members = new Map<number, Set<number>>();
      this.#ofIdentities.each((identity, only) => addTo(members, only, identity));
      this.#members = members;
    }
    return this.#members.get(company) ?? [];
  }

  #mixed(): Set<number> {
    const mixed = new Set<number>();
    this.#ofIdentities.each((identity, company) => {
      if (company === MIXED) mixed.add(identity);
    });
    return mixed;
  }

  /** Makes the lists of those among some identities, or all, who have several companies; false where rows are to be read first. */
  #list(changed: ReadonlySet<number> | null, { rows, identities }: Moment, missing: Missing): boolean {
    const mixed = [...(changed ?? this.#mixed())].filter((identity) => this.#ofIdentities.of(identity) === MIXED);
    const unread = mixed.flatMap((identity) => identities.actorsOf(identity).filter((actor) => this.#ofActors.of(actor) !== 0 && !this.#associations.has(actor)));
    if (unread.length > 0) {
      missing.add(() => this.#associations.read(new Set(unread), rows));
      return false;
    }
    const lists = new Map(changed === null ? [] : this.#lists);
    for (const identity of changed ?? []) lists.delete(identity);
    for (const identity of mixed) lists.set(identity, this.#listOf(identity, identities));
    this.#lists = lists;
    return true;
  }

  #listOf(identity: number, identities: IdentityView): Association[] {
    const { groupsOfActor, table } = this.resolver;
    const list = identities.actorsOf(identity).flatMap((actor) => [
      ...this.#associations.of(actor),
      ...groupsOfActor.of(actor).map((row) => ({ ms: table.timeOf(row), ids: table.ids, idAt: row * 16, company: table.code(row, "companyId") })),
    ]);
    return list.sort(compareAssociations);
  }
}

const NO_PAIRS: CompanyPairs = { actors: [], companies: [], rows: null };

function addTo(members: Map<number, Set<number>>, company: number, identity: number): void {
  const known = members.get(company);
  if (known === undefined) members.set(company, new Set([identity]));
  else known.add(identity);
}

function join(company: number, other: number): number {
  return company === 0 ? other : other === 0 || other === company ? company : MIXED;
}
