/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the triples */
import { withRoomFor } from "../../../core/base/arrays.js";
import { Yielder } from "../../../core/base/yield.js";
import { PagedCodes } from "../../../storage/column/paged-codes.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import type { IdentityView } from "../../../identity/identity-view.js";
import type { Memberships } from "../../../identity/memberships.js";
import { MIXED, type CompanySnapshot } from "../../../identity/company-view.js";
import type { SeenActors } from "./seen-actors.js";

/** Later than any day. */
const NEVER = 2 ** 31 - 1;

/** An identity as its number above 0, or a company as its code negated. */
type Entity = number;

// Two classes of their own, as code that reads both kinds of arrays is a quarter slower.
class FirstDays {
  /** Day + 1; 0 for none, so that unused memory is never touched. */
  #ofIdentities = new Int32Array(1024);
  #ofCompanies = new Int32Array(1024);

  get byteLength(): number {
    return this.#ofIdentities.byteLength + this.#ofCompanies.byteLength;
  }

  /** NEVER for an entity that was not seen. */
  of(entity: Entity): number {
    const nextDay = (entity > 0 ? this.#ofIdentities[entity] : this.#ofCompanies[-entity]) ?? 0;
    return nextDay === 0 ? NEVER : nextDay - 1;
  }

  set(entity: Entity, day: number): void {
    const nextDay = day === NEVER ? 0 : day + 1;
    if (entity > 0) (this.#ofIdentities = withRoomFor(this.#ofIdentities, entity + 1))[entity] = nextDay;
    else (this.#ofCompanies = withRoomFor(this.#ofCompanies, 1 - entity))[-entity] = nextDay;
  }

  add(entity: Entity, day: number): void {
    if (day < this.of(entity)) this.set(entity, day);
  }
}

class EntitySet {
  #ofIdentities = new Uint8Array(1024);
  #ofCompanies = new Uint8Array(1024);

  get byteLength(): number {
    return this.#ofIdentities.length + this.#ofCompanies.length;
  }

  has(entity: Entity): boolean {
    return (entity > 0 ? this.#ofIdentities[entity] : this.#ofCompanies[-entity]) === 1;
  }

  set(entity: Entity, flag: 0 | 1): void {
    if (entity > 0) (this.#ofIdentities = withRoomFor(this.#ofIdentities, entity + 1))[entity] = flag;
    else (this.#ofCompanies = withRoomFor(this.#ofCompanies, 1 - entity))[-entity] = flag;
  }
}

class EntityCount {
  readonly #members = new EntitySet();
  readonly byDay = new Map<number, number>();

  constructor(readonly project: number) {}

  get byteLength(): number {
    return this.#members.byteLength;
  }

  add(entity: Entity, day: number): void {
    if (this.#members.has(entity)) return;
    this.#members.set(entity, 1);
    this.#addTo(day, 1);
  }

  remove(entity: Entity, day: number): boolean {
    if (!this.#members.has(entity)) return false;
    this.#members.set(entity, 0);
    this.#addTo(day, -1);
    return true;
  }

  #addTo(day: number, count: number): void {
    this.byDay.set(day, (this.byDay.get(day) ?? 0) + count);
  }
}

interface FirstSeen {
  day: number;
  readonly projects: Set<number>;
}

interface Changed {
  readonly identities: ReadonlySet<number>;
  /** Actors that moved to another identity, with their former one. */
  readonly moved: ReadonlyMap<number, number>;
}

interface FollowedTables {
  readonly identities: IdentityView;
  readonly generation: number;
  readonly seen: number;
  readonly memberships: number;
}

type VisitSeen = (entity: Entity, project: number, day: number) => void;

const VALUES_PER_TRIPLE = 16;
/** Projects that stay counted between queries. */
const COUNTED_PROJECTS = 4;
const ALL_TIME = { fromMs: -Infinity, toMs: Infinity };

/** Identities, or companies and the identities without one, with projects and first days. 8 bytes each, and a byte for each counted project. */
export class Entities {
  #days = new FirstDays();
  /** The single company that an identity counts for. */
  #companies = new PagedCodes();
  #mixed = new Map<number, ReadonlyMap<Entity, FirstSeen>>();
  #counts: EntityCount[] = [];
  #followed: FollowedTables | null = null;
  #rebuilding: Promise<void> | null = null;

  /** @param memberships null at level identity */
  constructor(
    readonly seen: SeenActors,
    readonly memberships: Memberships | null,
  ) {}

  get byteLength(): number {
    return this.#days.byteLength + this.#companies.byteLength + this.#counts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** NEVER for an entity that was not seen. */
  dayOf(entity: Entity): number {
    return this.#days.of(entity);
  }

  /** Number of entities seen in a project passed to `catchUp`, by the day on which each was first seen anywhere. */
  countByDay(project: number): ReadonlyMap<number, number> {
    return this.#countOf(project)!.byDay;
  }

  /** False when something is missing. Cost: the triples of changed identities; all triples for a project that was not counted lately. */
  catchUp(project: number, moment: CompanySnapshot, pending: PendingLoads): boolean {
    const { seen, memberships } = this;
    const now: FollowedTables = { identities: moment.identities, generation: seen.generation, seen: seen.changes.count, memberships: memberships?.changeCount ?? 0 };
    const changed = this.#followed === null || this.#countOf(project) === undefined ? null : this.#changedSince(this.#followed, now);
    const mixed = this.#seenAsMixed(changed?.identities ?? null, moment, pending);
    if (mixed === null) return false;
    if (changed === null || this.#rebuilding !== null) {
      pending.add(() => (this.#rebuilding ??= this.#rebuildAll(project, now, moment, mixed).finally(() => (this.#rebuilding = null))));
      return false;
    }
    this.#update(changed, moment, mixed);
    this.#followed = now;
    return true;
  }

  #countOf(project: number): EntityCount | undefined {
    return this.#counts.find((count) => count.project === project);
  }

  #changedSince(former: FollowedTables, now: FollowedTables): Changed | null {
    const moved = now.identities.changesSince(former.identities);
    const seen = this.seen.changes.between(former.seen, now.seen);
    const belonging = this.memberships?.changedBetween(former.memberships, now.memberships) ?? (this.memberships === null ? new Set<number>() : null);
    if (former.generation !== now.generation || moved === null || seen === null || belonging === null) return null;
    const changed = new Set(belonging);
    for (const actor of seen) changed.add(now.identities.identityOf(actor));
    const formerOf = new Map([...moved].map((actor) => [actor, former.identities.identityOf(actor)]));
    for (const [actor, identity] of formerOf) changed.add(identity).add(now.identities.identityOf(actor));
    return { identities: changed, moved: formerOf };
  }

  /** The entities that identities with several companies were seen as; null when rows must be read first. @param changed null: all */
  #seenAsMixed(changed: ReadonlySet<number> | null, moment: CompanySnapshot, pending: PendingLoads): Map<number, ReadonlyMap<Entity, FirstSeen>> | null {
    const { companies } = moment;
    if (companies?.hasChanges !== true) return new Map();
    const wanted = changed === null ? companies.changedIdentities() : [...changed].filter((identity) => companies.onlyCompany(identity) === MIXED);
    const mixed = new Map(wanted.map((identity) => [identity, new Map<Entity, FirstSeen>()]));
    const isKnown = this.seen.eachPlainEvent(wanted, ALL_TIME, moment, pending, (identity, company, { project, day }) => see(mixed.get(identity)!, company > 0 ? -company : identity, project, day));
    return isKnown ? mixed : null;
  }

  /** Rebuilds everything, yielding. Later changes have greater change counts than `now`, so the next call applies them. */
  async #rebuildAll(project: number, now: FollowedTables, { identities, companies, onRowsRead }: CompanySnapshot, mixed: Map<number, ReadonlyMap<Entity, FirstSeen>>): Promise<void> {
    const { triples } = this.seen;
    const { count } = triples;
    const yielder = new Yielder();
    onRowsRead(count);
    const days = new FirstDays();
    const ofIdentities = new PagedCodes();
    await yielder.inPieces(
      count,
      (from, to) => {
        for (let place = from; place < to; place += 1) {
          const own = companies === null ? 0 : triples.companies[place]!;
          const identity = identities.identityOf(triples.actors[place]!);
          const company = own || (companies === null ? 0 : companies.onlyCompany(identity));
          if (own === 0 && company > 0) ofIdentities.set(identity, company);
          if (company !== MIXED) days.add(company > 0 ? -company : identity, triples.days[place]!);
        }
      },
      VALUES_PER_TRIPLE,
    );
    for (const seenAs of mixed.values()) for (const [entity, { day }] of seenAs) days.add(entity, day);
    const projects = [project, ...this.#counts.map((known) => known.project).filter((known) => known !== project)].slice(0, COUNTED_PROJECTS);
    const counts = new Map(projects.map((counted) => [counted, new EntityCount(counted)]));
    const visit: VisitSeen = (entity, seenIn) => counts.get(seenIn)?.add(entity, days.of(entity));
    await yielder.inPieces(count, (from, to) => this.#eachTriple(from, to, identities, ofIdentities, mixed, visit), VALUES_PER_TRIPLE);
    eachMixed(mixed, visit);
    if (now.generation !== this.seen.generation) return;
    this.#days = days;
    this.#companies = ofIdentities;
    this.#mixed = mixed;
    this.#counts = [...counts.values()];
    this.#followed = now;
  }

  #update(changed: Changed, moment: CompanySnapshot, mixed: ReadonlyMap<number, ReadonlyMap<Entity, FirstSeen>>): void {
    const { identities, companies } = moment;
    const lost = this.#leftBy(changed.moved, moment);
    const found = new Map<Entity, FirstSeen>();
    for (const identity of changed.identities) {
      const before = this.#companies.of(identity);
      for (const entity of this.#mixed.get(identity)?.keys() ?? []) if (entity < 0) lost.add(-entity);
      this.#mixed.delete(identity);
      const isOne = identities.identityOf(identity) === identity;
      const only = isOne && companies !== null ? companies.onlyCompany(identity) : 0;
      const now = only > 0 ? only : 0;
      if (before !== 0 && before !== now) lost.add(before);
      if (before !== now) this.#companies.set(identity, now);
      found.set(identity, { day: NEVER, projects: new Set() });
      for (const actor of isOne ? identities.actorsOf(identity) : []) this.#seeTriples(found, actor, only, identity, companies === null);
      const seenAs = mixed.get(identity);
      if (seenAs === undefined) continue;
      this.#mixed.set(identity, seenAs);
      for (const [entity, { day, projects }] of seenAs) for (const project of projects) see(found, entity, project, day);
    }
    for (const [entity, { day, projects }] of found)
      if (entity > 0) this.#put(entity, day, projects);
      else if (!lost.has(-entity)) this.#join(entity, day, projects);
    if (lost.size === 0) return;
    moment.onRowsRead(this.seen.triples.count);
    this.#updateCompanies(lost, identities);
  }

  /** The companies that moved actors counted for under their former identity, but not under the current one. */
  #leftBy(moved: ReadonlyMap<number, number>, { identities, companies }: CompanySnapshot): Set<number> {
    const left = new Set<number>();
    for (const [actor, former] of moved) {
      const company = this.#companies.of(former);
      if (company !== 0 && companies?.onlyCompany(identities.identityOf(actor)) !== company) left.add(company);
    }
    return left;
  }

  /** @param only the company of the identity; MIXED when its plain events decide one by one */
  #seeTriples(found: Map<Entity, FirstSeen>, actor: number, only: number, identity: number, isIdentityLevel: boolean): void {
    const { triples } = this.seen;
    for (const place of triples.placesOf(actor)) {
      const company = isIdentityLevel ? 0 : triples.companies[place]! || only;
      if (company !== MIXED) see(found, company > 0 ? -company : identity, triples.projects[place]!, triples.days[place]!);
    }
  }

  /** Rebuilds companies that lost an identity from what remains. Cost: all triples. */
  #updateCompanies(lost: ReadonlySet<number>, identities: IdentityView): void {
    const found = new Map<Entity, FirstSeen>([...lost].map((company) => [-company, { day: NEVER, projects: new Set<number>() }]));
    const visit: VisitSeen = (entity, project, day) => {
      if (entity < 0 && found.has(entity)) see(found, entity, project, day);
    };
    this.#eachTriple(0, this.seen.triples.count, identities, this.#companies, this.#mixed, visit);
    eachMixed(this.#mixed, visit);
    for (const [entity, { day, projects }] of found) this.#put(entity, day, projects);
  }

  /** Visits the entities of some triples, some more than once. Skips triples without a company of identities in `mixed`. */
  #eachTriple(from: number, to: number, identities: IdentityView, companies: PagedCodes, mixed: ReadonlyMap<number, unknown>, visit: VisitSeen): void {
    const { triples } = this.seen;
    const isIdentityLevel = this.memberships === null;
    for (let place = from; place < to; place += 1) {
      const identity = identities.identityOf(triples.actors[place]!);
      const company = isIdentityLevel ? 0 : triples.companies[place]! || companies.of(identity);
      if (company > 0) visit(-company, triples.projects[place]!, triples.days[place]!);
      else if (!mixed.has(identity)) visit(identity, triples.projects[place]!, triples.days[place]!);
    }
  }

  #put(entity: Entity, day: number, projects: ReadonlySet<number>): void {
    for (const count of this.#counts) count.remove(entity, this.#days.of(entity));
    this.#days.set(entity, day);
    for (const count of this.#counts) if (projects.has(count.project)) count.add(entity, day);
  }

  #join(entity: Entity, day: number, projects: ReadonlySet<number>): void {
    const before = this.#days.of(entity);
    const now = Math.min(before, day);
    for (const count of this.#counts) {
      const wasMember = count.remove(entity, before);
      if (wasMember || projects.has(count.project)) count.add(entity, now);
    }
    this.#days.set(entity, now);
  }
}

function eachMixed(mixed: ReadonlyMap<number, ReadonlyMap<Entity, FirstSeen>>, visit: VisitSeen): void {
  for (const seenAs of mixed.values()) for (const [entity, { day, projects }] of seenAs) for (const project of projects) visit(entity, project, day);
}

function see(found: Map<Entity, FirstSeen>, entity: Entity, project: number, day: number): void {
  let seen = found.get(entity);
  if (seen === undefined) found.set(entity, (seen = { day: NEVER, projects: new Set() }));
  seen.day = Math.min(seen.day, day);
  seen.projects.add(project);
}
