/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the lists */
import { getOrMake } from "../core/base/arrays.js";
import type { NumberMemory } from "../core/base/scratch.js";
import { Yielder } from "../core/base/yield.js";
import { codeAt } from "../storage/column/column.js";
import { PAGE_CODE_COUNT, PagedCodes } from "../storage/column/paged-codes.js";
import { FollowedActors } from "../storage/derived/followed-actors.js";
import type { PendingLoads } from "../storage/derived/pending-loads.js";
import { StoreTable } from "../storage/derived/store-table.js";
import type { MemoryBudget, TableUse } from "../storage/segment/memory-budget.js";
import type { Rows } from "../storage/segment/rows.js";
import { actorOf, type ActorTriples } from "../storage/segment/summaries.js";
import { associationAt, associationsOf, Companies, MIXED, compareAssociations, type Association } from "./company-view.js";
import type { CompanyView, IdentityView, IdentitySnapshot } from "./identity-view.js";
import { ChangeLog } from "./links.js";
import type { IdentityResolver } from "./resolver.js";

/** Actors and their companies; for a head also their rows. */
interface CompanyPairs {
  readonly actors: ArrayLike<number>;
  readonly companies: ArrayLike<number>;
  readonly rows: ArrayLike<number> | null;
}

/** Above this number of touched actors, all identities are rebuilt. */
const TOUCHED_COUNT = 16 * 1024;
/** Cost of an actor, in values read. */
const VALUES_PER_ACTOR = 8;
const ASSOCIATION_BYTES = 160;

/** Most identities have one company: a code each, 8 bytes an id. The others have an ordered list. Changes update the identities they affect. */
export class Memberships extends StoreTable<CompanyPairs> {
  /** The company that an actor's events name; MIXED for several. */
  #ofActors = new PagedCodes();
  /** The same per identity, including its group records. */
  #ofIdentities = new PagedCodes();
  /** Identities by their only company; null until used a second time: looking for those of one company takes a tenth of the time. */
  #members: Map<number, Set<number>> | null = null;
  #isMembersUsed = false;
  #lists: ReadonlyMap<number, readonly Association[]> = new Map();
  /** Associations from events, of the actors of listed identities. */
  readonly #associations = new FollowedActors<Association>(associationsOf);
  /** Actors with relevant new rows since the last update; null above the limit. */
  #touched: Set<number> | null = null;
  /** Identities updated for a snapshot whose rows were not loaded: the next snapshot may undo their change, so it updates them again. */
  readonly #provisional = new Set<number>();
  readonly #changes = new ChangeLog();
  #identities: IdentityView | null = null;
  #groupMoveCount = 0;
  #view: CompanyView | null = null;
  #rebuilding: Promise<void> | null = null;

  constructor(
    budget: MemoryBudget,
    use: TableUse,
    readonly resolver: IdentityResolver,
  ) {
    super(budget, use);
  }

  get changeCount(): number {
    return this.#changes.count;
  }

  /** Identities whose companies may have changed between two counts of changes; null when that is too long ago. */
  changedBetween(from: number, to: number): ReadonlySet<number> | null {
    return this.#changes.between(from, to);
  }

  /** Null when something is missing. Later changes do not affect the result. Cost: new pairs, and the associations of affected identities. */
  of(moment: IdentitySnapshot, pending: PendingLoads): CompanyView | null {
    if (!this.takeRows(moment, pending)) return null;
    const { identities } = moment;
    const changed = this.#identitiesToUpdate(identities);
    if (changed === null || this.#rebuilding !== null) {
      pending.add(() => (this.#rebuilding ??= this.#rebuildAll(identities).finally(() => (this.#rebuilding = null))));
      return null;
    }
    for (const identity of changed) this.#update(identity, identities);
    if (!this.#list(changed, moment, pending)) {
      for (const identity of changed) this.#provisional.add(identity);
      return null;
    }
    this.#provisional.clear();
    for (const identity of changed) this.#changes.add(identity);
    if (this.#view === null || changed.size > 0)
      this.#view = new Companies(this.resolver, this.#ofIdentities.freeze(), this.#lists, (company) => this.#membersOf(company), this.resolver.recordEnd);
    this.#follow(identities);
    return this.#view;
  }

  protected known(segment: Rows): CompanyPairs | null {
    if (segment.zone("companyId") === null) return NO_PAIRS;
    const who = segment.cachedActorLists(COMPANY_LISTS);
    return who === null ? null : pairsOf(who);
  }

  protected async load(segment: Rows, scratch: NumberMemory): Promise<CompanyPairs> {
    return pairsOf(await segment.actorLists(COMPANY_LISTS, scratch));
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
    const ofActors = this.#ofActors;
    for (let at = 0; at < actors.length; at += 1) {
      const [actor, company] = [actors[at]!, companies[at]!];
      const known = ofActors.of(actor);
      const joined = join(known, company);
      if (joined !== known) ofActors.set(actor, joined);
      if (places === null) this.#associations.forget(actor);
      else if (this.#associations.isFollowed(actor)) this.#associations.add(actor, associationAt(rows, places[at]!));
      // With several companies, the time of each association matters.
      if (this.#touched !== null && (joined !== known || this.#ofIdentities.of(this.#identityOf(actor)) !== company)) this.#touch(actor);
    }
  }

  protected reset(): void {
    this.#ofActors = new PagedCodes();
    this.#ofIdentities = new PagedCodes();
    this.#members = null;
    this.#lists = new Map();
    this.#associations.clear();
    this.#touched = null;
    this.#provisional.clear();
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
    if (this.#touched.size > TOUCHED_COUNT && this.#rebuilding === null) this.#touched = null;
  }

  /** Identities whose companies may have changed since the last snapshot; null for all. */
  #identitiesToUpdate(identities: IdentityView): ReadonlySet<number> | null {
    const { groupMoves } = this.resolver;
    const former = this.#identities;
    const moved = former === null ? null : identities.changesSince(former);
    const grouped = groupMoves.between(this.#groupMoveCount, groupMoves.count);
    if (former === null || this.#touched === null || moved === null || grouped === null) return null;
    const changed = new Set(this.#provisional);
    for (const actor of this.#touched) changed.add(identities.identityOf(actor));
    for (const actor of grouped) changed.add(identities.identityOf(actor));
    for (const actor of moved) changed.add(former.identityOf(actor)).add(identities.identityOf(actor));
    return changed;
  }

  /** Changes from here on belong to a later snapshot. */
  #follow(identities: IdentityView): void {
    this.#touched = new Set();
    this.#identities = identities;
    this.#groupMoveCount = this.resolver.groupMoves.count;
  }

  /** Rebuilds everything, yielding; changes meanwhile are applied afterwards. Cost: all actors ever seen with a company. */
  async #rebuildAll(identities: IdentityView): Promise<void> {
    const { generation } = this;
    this.#follow(identities);
    // Most actors are their own identity.
    const rebuilt = this.#ofActors.copy();
    const add = (identity: number, company: number) => {
      const known = rebuilt.of(identity);
      const joined = join(known, company);
      if (joined !== known) rebuilt.set(identity, joined);
    };
    const move = (actor: number, company: number) => {
      const identity = identities.identityOf(actor);
      if (identity === actor) return;
      rebuilt.set(actor, 0);
      add(identity, company);
    };
    const mixed = new Set<number>();
    const listMixed = (identity: number, company: number) => {
      if (company === MIXED) mixed.add(identity);
    };
    const yielder = new Yielder();
    const eachPage = (codes: PagedCodes, visit: (code: number, value: number) => void) =>
      yielder.inPieces(codes.pageCount, (from, to) => codes.each(visit, from, to), PAGE_CODE_COUNT * VALUES_PER_ACTOR);
    await eachPage(this.#ofActors, move);
    const { groupsOfActor, table } = this.resolver;
    for (const actor of groupsOfActor.codes()) {
      const rows = groupsOfActor.of(actor);
      for (const row of rows) add(identities.identityOf(actor), table.code(row, "companyId"));
      await yielder.yieldAfter(rows.length * VALUES_PER_ACTOR);
    }
    await eachPage(rebuilt, listMixed);
    if (generation !== this.generation) return;
    this.#ofIdentities = rebuilt;
    this.#members = null;
    this.#view = null;
    this.#lists = new Map();
    this.#provisional.clear();
    for (const identity of mixed) this.#provisional.add(identity);
    this.#changes.addAll();
  }

  #update(identity: number, identities: IdentityView): void {
    const { groupsOfActor, table } = this.resolver;
    let company = 0;
    // An actor that moved to another identity no longer names one.
    const actors = identities.identityOf(identity) === identity ? identities.actorsOf(identity) : [];
    for (const actor of actors) {
      company = join(company, this.#ofActors.of(actor));
      for (const row of groupsOfActor.of(actor)) company = join(company, table.code(row, "companyId"));
    }
    const before = this.#ofIdentities.of(identity);
    if (before === company) return;
    this.#ofIdentities.set(identity, company);
    this.#members?.get(before)?.delete(identity);
    if (this.#members !== null) getOrMake(this.#members, company, () => new Set<number>()).add(identity);
  }

  #membersOf(company: number): Iterable<number> {
    if (!this.#isMembersUsed) {
      this.#isMembersUsed = true;
      const found: number[] = [];
      this.#ofIdentities.each((identity, only) => {
        if (only === company) found.push(identity);
      });
      return found;
    }
    if (this.#members === null) {
      const members = new Map<number, Set<number>>();
      this.#ofIdentities.each((identity, only) => getOrMake(members, only, () => new Set<number>()).add(identity));
      this.#members = members;
    }
    return this.#members.get(company) ?? [];
  }

  /** Lists the associations of those identities that have several companies; false when rows must be read first. */
  #list(changed: ReadonlySet<number>, { rows, identities }: IdentitySnapshot, pending: PendingLoads): boolean {
    const mixed = [...changed].filter((identity) => this.#ofIdentities.of(identity) === MIXED);
    const unread = mixed.flatMap((identity) => identities.actorsOf(identity).filter((actor) => this.#ofActors.of(actor) !== 0 && !this.#associations.has(actor)));
    if (unread.length > 0) {
      pending.add(() => this.#associations.read(new Set(unread), rows));
      return false;
    }
    const lists = new Map(this.#lists);
    for (const identity of changed) lists.delete(identity);
    for (const identity of mixed) lists.set(identity, this.#listOf(identity, identities));
    this.#lists = lists;
    return true;
  }

  #listOf(identity: number, identities: IdentityView): Association[] {
    const { groupsOfActor, table } = this.resolver;
    const list = identities.actorsOf(identity).flatMap((actor) => [
      ...this.#associations.of(actor),
      ...groupsOfActor.of(actor).map((row) => ({ ms: table.timeOf(row), key: { id: table.idOf(row), project: "" }, company: table.code(row, "companyId") })),
    ]);
    return list.sort(compareAssociations);
  }
}

function pairsOf({ members, companies }: Pick<ActorTriples, "members" | "companies">): CompanyPairs {
  return { actors: members, companies, rows: null };
}

const COMPANY_LISTS = ["members", "companies"] as const;
const NO_PAIRS: CompanyPairs = { actors: [], companies: [], rows: null };

function join(company: number, other: number): number {
  return company === 0 ? other : other === 0 || other === company ? company : MIXED;
}
