import type { Dictionaries } from "../../storage/column/dictionaries.js";
import { EventIds } from "../../storage/derived/event-ids.js";
import type { PendingLoads } from "../../storage/derived/pending-loads.js";
import type { KnownFields, KnownValues, RowLabels } from "../filter/predicate.js";
import type { CompanySnapshot } from "../../identity/company-view.js";
import type { KnownEnds } from "../../identity/identity-view.js";
import { Memberships } from "../../identity/memberships.js";
import type { IdentityResolver } from "../../identity/resolver.js";
import type { Rates } from "../plan/input.js";
import type { Range, ReportRules, RevenueRule, SessionRules, TouchRule, RevenueByAttributionPlan } from "../plan/plan.js";
import { BudgetedTable, type MemoryBudget } from "../../storage/segment/memory-budget.js";
import { CompanyTouches } from "./touches/company-touches.js";
import { Entities } from "./people/entities.js";
import { KnownTraits } from "./people/known-traits.js";
import { Payments, RevenueTable } from "./money/payments.js";
import { PaymentCompanies } from "./money/event-companies.js";
import { FirstLabels, type KnownLabels } from "./touches/first-labels.js";
import type * as LazyTables from "./lazy-tables.js";
import type { PaymentLabels } from "./touches/payment-labels.js";
import { SeenActors } from "./people/seen-actors.js";
import type { SessionTable } from "./sessions/session-table.js";
import type { SessionView } from "./sessions/session-view.js";
import { Timelines } from "./people/timelines.js";
import { TouchMaker } from "./touches/touch-facts.js";
import { Touches } from "./touches/touches.js";

/** A snapshot, and what a query may read synchronously with it. */
export interface TableSnapshot extends CompanySnapshot {
  readonly dictionaries: Dictionaries;
  /** Number of codes in the snapshot; greater codes were added later. */
  readonly ends: KnownEnds;
  readonly rates: Rates;
  readonly tables: Tables;
  /** Traits and labels that the query uses. */
  readonly known: KnownFields;
  /** Yields now and then, so that the abort signal can fire too. @throws aborted */
  readonly pause: () => Promise<void>;
}

interface Revenue {
  readonly table: RevenueTable;
  companies: PaymentCompanies;
  /** By model, level and touch rule. */
  readonly labels: Map<string, PaymentLabels>;
}

/** Code that most programs in browsers do not need, loaded by the first query that needs it. */
let lazyTables: typeof LazyTables | null = null;

/** Null when it is not loaded yet. */
function loadedTables(pending: PendingLoads): typeof LazyTables | null {
  if (lazyTables === null) pending.add(async () => void (lazyTables = await import("./lazy-tables.js")));
  return lazyTables;
}

/**
 * The all-time tables of one store, each created on first use. Only sessions depend on which segments and heads the rows lie in; tables that map
 * actors to identities or companies follow changes of these.
 */
export class Tables extends BudgetedTable {
  readonly ids = new EventIds();
  readonly memberships: Memberships;
  readonly timelines: Timelines;
  #traits: KnownTraits;
  readonly #seen: SeenActors;
  #entities: { readonly identity: Entities; readonly account: Entities };
  readonly #revenue = new Map<string, Revenue>();
  readonly #sessions = new Map<string, SessionTable>();
  readonly #touches = new Map<string, { readonly touches: Touches; ofCompanies: CompanyTouches; readonly first: FirstLabels }>();

  constructor(
    budget: MemoryBudget,
    readonly dictionaries: Dictionaries,
    readonly resolver: IdentityResolver,
  ) {
    super(budget);
    this.#traits = this.#newTraits();
    this.timelines = new Timelines(budget);
    this.memberships = new Memberships(budget, this.use, resolver);
    this.#seen = new SeenActors(budget, this.use);
    this.#entities = this.#newEntities();
  }

  /** Drops the tables that follow others; the budget drops those one by one. */
  drop(): void {
    this.byteLength = 0;
    this.#entities = this.#newEntities();
    this.#traits = this.#newTraits();
    for (const revenue of this.#revenue.values()) {
      revenue.companies = new PaymentCompanies(revenue.table.payments, this.memberships);
      revenue.labels.clear();
    }
    for (const known of this.#touches.values()) known.ofCompanies = new CompanyTouches(known.touches, this.memberships);
  }

  /** Marks the start of a query that reads tables or waits for loads: no table is dropped until `unpin`. */
  pin(): void {
    this.use.readerCount += 1;
  }

  unpin(): void {
    this.use.readerCount -= 1;
    if (this.use.readerCount > 0) return;
    this.budget.unpinned();
    this.setByteLength(this.#followersByteLength());
  }

  /** Drops everything; running queries keep what they read. */
  release(): void {
    const tables = [this.memberships, this.#seen, ...[...this.#revenue.values()].map(({ table }) => table.payments), ...[...this.#touches.values()].map(({ touches }) => touches)];
    for (const table of [...tables, this.timelines, this]) this.budget.remove(table);
    for (const table of this.#sessions.values()) table.release();
  }

  /** Revenue up to a snapshot; null when something is missing. */
  revenue(rule: RevenueRule, moment: TableSnapshot, pending: PendingLoads): RevenueTable | null {
    const { table } = this.#revenueOf(rule);
    return table.payments.catchUp(moment, pending) ? table : null;
  }

  /** The companies of payments up to a snapshot; null when something is missing. */
  paymentCompanies(rule: RevenueRule, moment: TableSnapshot, pending: PendingLoads): PaymentCompanies | null {
    const { table, companies } = this.#revenueOf(rule);
    return table.payments.catchUp(moment, pending) && companies.catchUp(moment, pending) ? companies : null;
  }

  seen(moment: TableSnapshot, pending: PendingLoads): SeenActors | null {
    return this.#seen.catchUp(moment, pending) ? this.#seen : null;
  }

  /** Entities with their projects and first days up to a snapshot, counted in one project; null when something is missing. */
  entities(level: "identity" | "account", project: number, moment: TableSnapshot, pending: PendingLoads): Entities | null {
    return this.#seen.catchUp(moment, pending) && this.#entities[level].catchUp(project, moment, pending) ? this.#entities[level] : null;
  }

  /** A trait of each identity, or its newest email, in a snapshot; null when something is missing. */
  person(path: string, { identities }: CompanySnapshot, pending: PendingLoads): KnownValues | null {
    return this.#traits.person(path, identities, pending);
  }

  /** A trait of each company, by its code, in a snapshot; null when something is missing. */
  company(path: string, { identities }: CompanySnapshot, pending: PendingLoads): KnownValues | null {
    return this.#traits.company(path, identities, pending);
  }

  /** The labels of some payments of a snapshot, by position; null when something is missing. */
  paymentLabels(plan: RevenueByAttributionPlan, places: readonly number[], moment: TableSnapshot, pending: PendingLoads): KnownLabels | null {
    const { table, companies, labels } = this.#revenueOf(plan.revenue);
    const { touches, ofCompanies, first } = this.#touchesOf(plan.touch);
    const { payments } = table;
    const isOfAccounts = plan.level === "account";
    if (!payments.catchUp(moment, pending) || (isOfAccounts && !companies.catchUp(moment, pending))) return null;
    if (touches.isEmpty && plan.touch.lookbackMs === null) {
      const paymentAt = (place: number) => ({ place, ms: payments.momentOf(place).ms, actor: payments.actorOf(place), company: isOfAccounts ? companies.of(place) : 0 });
      // Without an actor a payment has no touch.
      const asked = places.map(paymentAt).filter(({ actor }) => actor !== 0);
      const request = { payments: asked, actorEnd: this.#actorEnd, companyEnd: this.dictionaries.named("companyId").size };
      const found = first.of(plan, request, touches.isTooLarge, moment, touches.maker, pending);
      if (found !== null || !pending.isEmpty) return found;
    }
    const code = loadedTables(pending);
    if (!touches.catchUp(moment, pending) || (isOfAccounts && !ofCompanies.catchUp(moment, pending)) || code === null) return null;
    const key = JSON.stringify([plan.model, plan.level, plan.touch]);
    const known = labels.get(key) ?? new code.PaymentLabels(payments, touches, isOfAccounts ? { touches: ofCompanies, payments: companies } : null, plan.model);
    labels.set(key, known);
    return known.settle(places, moment, pending) ? known : null;
  }

  /** The sessions of a snapshot that a query reads; null when something is missing. */
  sessions(
    { session, pageviewSlugs, revenue, range, previous = null }: SessionRules & { readonly range: Range; readonly previous?: Range | null },
    moment: TableSnapshot,
    pending: PendingLoads,
  ): SessionView | null {
    const key = JSON.stringify([session.gapMs, session.maxMs, pageviewSlugs, revenue.paymentSlugs, revenue.refundSlugs]);
    let table = this.#sessions.get(key);
    if (table === undefined) {
      const code = loadedTables(pending);
      if (code === null) return null;
      table = code.newSessionTable(this.budget, this.use, this.dictionaries, { session, pageviewSlugs, revenue });
      this.#sessions.set(key, table);
    }
    const requested = previous === null ? range : { fromMs: Math.min(range.fromMs, previous.fromMs), toMs: Math.max(range.toMs, previous.toMs) };
    return table.at(moment, requested, pending);
  }

  /** The labels that events would get as payments of their identities. What is found missing while rows are read is added to `pending` then. */
  eventLabels({ revenue, touch }: Pick<ReportRules, "revenue" | "touch">, model: "first_touch" | "last_touch", moment: CompanySnapshot, pending: PendingLoads): RowLabels | null {
    const { table } = this.#revenueOf(revenue);
    const { touches } = this.#touchesOf(touch);
    const code = loadedTables(pending);
    const areThere = [table.payments.catchUp(moment, pending), touches.catchUp(moment, pending)];
    if (code === null || areThere.includes(false)) return null;
    return new code.EventLabels({ touches, payments: table.payments }, model, moment, pending, this.#actorEnd);
  }

  touchMaker(rule: TouchRule): TouchMaker {
    return this.#touchesOf(rule).touches.maker;
  }

  /** Greater than each actor. */
  get #actorEnd(): number {
    return Math.max(this.dictionaries.named("userId").size, this.dictionaries.named("anonymousId").size) * 2;
  }

  #newTraits() {
    return new KnownTraits(this.resolver, this.dictionaries);
  }

  #newEntities() {
    return { identity: new Entities(this.#seen, null), account: new Entities(this.#seen, this.memberships) };
  }

  #followersByteLength(): number {
    const { identity, account } = this.#entities;
    let byteLength = identity.byteLength + account.byteLength + this.#traits.byteLength;
    for (const { companies, labels } of this.#revenue.values()) {
      byteLength += companies.byteLength;
      for (const ofPlan of labels.values()) byteLength += ofPlan.byteLength;
    }
    for (const { ofCompanies } of this.#touches.values()) byteLength += ofCompanies.byteLength;
    return byteLength;
  }

  #revenueOf(rule: RevenueRule): Revenue {
    const key = keyOf(rule);
    let revenue = this.#revenue.get(key);
    if (revenue === undefined) {
      const payments = new Payments(this.budget, this.use, this.dictionaries, rule, this.ids);
      revenue = { table: new RevenueTable(payments), companies: new PaymentCompanies(payments, this.memberships), labels: new Map() };
      this.#revenue.set(key, revenue);
    }
    return revenue;
  }

  #touchesOf(rule: TouchRule) {
    const key = keyOf(rule);
    let known = this.#touches.get(key);
    if (known === undefined) {
      const touches = new Touches(this.budget, this.use, new TouchMaker(rule, this.dictionaries), this.ids);
      known = { touches, ofCompanies: new CompanyTouches(touches, this.memberships), first: new FirstLabels() };
      this.#touches.set(key, known);
    }
    return known;
  }
}

const keys = new WeakMap<RevenueRule | TouchRule, string>();

/** The key of a rule, cached: a rule lists some hundred hosts, and a Daybook passes the same one each time. */
function keyOf(rule: RevenueRule | TouchRule): string {
  let key = keys.get(rule);
  if (key === undefined) keys.set(rule, (key = JSON.stringify(rule)));
  return key;
}
