import type { Dictionaries } from "../column/dictionaries.js";
import { EventIds } from "../derived/event-ids.js";
import type { TableUse } from "../derived/store-table.js";
import type { Missing } from "../derived/missing.js";
import type { KnownFields, KnownValues, RowLabels } from "../filter/known-fields.js";
import type { CompanyMoment } from "../identity/company-of-event.js";
import type { KnownEnds } from "../identity/identity-view.js";
import { Memberships } from "../identity/memberships.js";
import type { IdentityResolver } from "../identity/resolver.js";
import type { Rates } from "../plan/input.js";
import type { Plan, Range, RevenueRule, TouchRule } from "../plan/plan.js";
import type { Droppable, MemoryBudget } from "../segment/memory-budget.js";
import { CompanyTouches } from "./touches/company-touches.js";
import { Entities } from "./people/entities.js";
import { KnownTraits } from "./people/known-traits.js";
import { PaymentCompanies } from "./money/payment-companies.js";
import { EventLabels } from "./touches/event-labels.js";
import { PaymentLabels } from "./touches/payment-labels.js";
import { Payments } from "./money/payments.js";
import { RefundOrigins } from "./money/refund-origins.js";
import { RevenueTable } from "./money/revenue-table.js";
import { SeenActors } from "./people/seen-actors.js";
import type { newSessionTable, SessionRules, SessionTable } from "./sessions/session-table.js";
import type { SessionView } from "./sessions/session-view.js";
import { Timelines } from "./people/timelines.js";
import { TouchMaker } from "./touches/touch-maker.js";
import { Touches } from "./touches/touches.js";

/** What a question may read in the turn of its snapshot, and what it reads its answer from. */
export interface TableMoment extends CompanyMoment {
  readonly dictionaries: Dictionaries;
  /** Of the snapshot: ids and companies beyond were not there yet, whatever is known of them by now. */
  readonly ends: KnownEnds;
  readonly rates: Rates;
  readonly tables: Tables;
  /** What the question names of them. */
  readonly known: KnownFields;
  /** Gives others, and the signal, a turn now and then. @throws aborted */
  readonly pause: () => Promise<void>;
}

/** In which sessions begin that a question counts. */
interface AskedRanges {
  readonly range: Range;
  readonly previous?: Range | null;
}

/** By what events are labelled. */
interface LabelRules {
  readonly revenue: RevenueRule;
  readonly touch: TouchRule;
}

/** What is kept of money under one rule. */
interface Revenue {
  readonly table: RevenueTable;
  companies: PaymentCompanies;
  readonly origins: RefundOrigins;
  /** By model and level. */
  readonly labels: Map<string, PaymentLabels>;
}

/** Loaded when somebody asks about sessions: they are as much code as many a report, and most programs of browsers never do. */
let newSessions: typeof newSessionTable | null = null;

async function loadSessions(): Promise<void> {
  newSessions ??= (await import("./sessions/session-table.js")).newSessionTable;
}

/**
 * The tables of all time of one store, each made when it is first asked for. Which segments and heads the rows lie in matters to
 * sessions alone; those that fold actors onto identities or companies follow what changes.
 */
export class Tables implements Droppable {
  byteLength = 0;
  lastUsed = 0;
  readonly ids = new EventIds();
  readonly memberships: Memberships;
  readonly timelines: Timelines;
  #traits: KnownTraits;
  readonly #use: TableUse = { readerCount: 0 };
  readonly #seen: SeenActors;
  #entities: { readonly identity: Entities; readonly account: Entities };
  readonly #revenue = new Map<string, Revenue>();
  readonly #sessions = new Map<string, SessionTable>();
  readonly #touches = new Map<string, { readonly touches: Touches; ofCompanies: CompanyTouches }>();

  constructor(
    readonly budget: MemoryBudget,
    readonly dictionaries: Dictionaries,
    readonly resolver: IdentityResolver,
  ) {
    this.#traits = this.#newTraits();
    this.timelines = new Timelines(budget);
    this.memberships = new Memberships(budget, this.#use, resolver);
    this.#seen = new SeenActors(budget, this.#use);
    this.#entities = this.#newEntities();
  }

  get pinned(): boolean {
    return this.#use.readerCount > 0;
  }

  /** Forgets what follows other tables; those are dropped one by one. */
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

  /** Somebody reads tables, or waits for what they miss: none is dropped until `unpin`. */
  pin(): void {
    this.#use.readerCount += 1;
  }

  unpin(): void {
    this.#use.readerCount -= 1;
    if (this.#use.readerCount > 0) return;
    this.budget.unpinned();
    this.budget.remove(this);
    this.byteLength = this.#followersByteLength();
    this.budget.add(this);
  }

  /** Drops everything: questions under way keep what they read. */
  release(): void {
    const tables = [this.memberships, this.#seen, ...[...this.#revenue.values()].map(({ table }) => table.payments), ...[...this.#touches.values()].map(({ touches }) => touches)];
    for (const table of [...tables, this.timelines, this]) this.budget.remove(table);
    for (const table of this.#sessions.values()) table.release();
  }

  /** Revenue up to a moment; null where something is missing. */
  revenue(rule: RevenueRule, moment: TableMoment, missing: Missing): RevenueTable | null {
    const { table } = this.#revenueOf(rule);
    return table.payments.catchUp(moment, missing) ? table : null;
  }

  /** The companies of payments up to a moment; null where something is missing. */
  paymentCompanies(rule: RevenueRule, moment: TableMoment, missing: Missing): PaymentCompanies | null {
    const { table, companies } = this.#revenueOf(rule);
    return table.payments.catchUp(moment, missing) && companies.catchUp(moment, missing) ? companies : null;
  }

  /** Who was seen up to a moment; null where something is missing. */
  seen(moment: TableMoment, missing: Missing): SeenActors | null {
    return this.#seen.catchUp(moment, missing) ? this.#seen : null;
  }

  /** Who was seen where and when first, up to a moment, counted in a project; null where something is missing. */
  entities(level: "identity" | "account", project: number, moment: TableMoment, missing: Missing): Entities | null {
    return this.#seen.catchUp(moment, missing) && this.#entities[level].catchUp(project, moment, missing) ? this.#entities[level] : null;
  }

  /** A trait of each identity, or its newest email, at a moment; null where something is missing. */
  person(path: string, { identities }: CompanyMoment, missing: Missing): KnownValues | null {
    return this.#traits.person(path, identities, missing);
  }

  /** A trait of each company, by its code, at a moment; null where something is missing. */
  company(path: string, { identities }: CompanyMoment, missing: Missing): KnownValues | null {
    return this.#traits.company(path, identities, missing);
  }

  /** The labels of payments, to be settled at this moment; null where something is missing. */
  paymentLabels(plan: Plan<"revenueByAttribution">, moment: TableMoment, missing: Missing): PaymentLabels | null {
    const { table, companies, labels } = this.#revenueOf(plan.revenue);
    const { touches, ofCompanies } = this.#touchesOf(plan.touch);
    const accounts = plan.level === "account" ? { touches: ofCompanies, payments: companies } : null;
    if (!table.payments.catchUp(moment, missing) || !touches.catchUp(moment, missing)) return null;
    if (accounts !== null && !(ofCompanies.catchUp(moment, missing) && companies.catchUp(moment, missing))) return null;
    const key = JSON.stringify([plan.model, plan.level, plan.touch]);
    const known = labels.get(key) ?? new PaymentLabels(table.payments, touches, accounts, plan);
    labels.set(key, known);
    return known;
  }

  /** The sessions of a moment that a question looks at; null where something is missing. */
  sessions({ session, pageviewSlugs, revenue, range, previous = null }: SessionRules & AskedRanges, moment: TableMoment, missing: Missing): SessionView | null {
    const key = JSON.stringify([session.gapMs, session.maxMs, pageviewSlugs, revenue.paymentSlugs, revenue.refundSlugs]);
    let table = this.#sessions.get(key);
    if (table === undefined) {
      if (newSessions === null) {
        missing.add(loadSessions);
        return null;
      }
      table = newSessions(this.budget, this.#use, this.dictionaries, { session, pageviewSlugs, revenue });
      this.#sessions.set(key, table);
    }
    const asked = previous === null ? range : { fromMs: Math.min(range.fromMs, previous.fromMs), toMs: Math.max(range.toMs, previous.toMs) };
    return table.at(moment, asked, missing);
  }

  /**
   * The labels that events would get as payments of their identities, at a moment; null where something is missing. What turns out to be
   * missing while rows are looked at is added then.
   */
  eventLabels({ revenue, touch }: LabelRules, model: "first_touch" | "last_touch", moment: CompanyMoment, missing: Missing): RowLabels | null {
    const { table, origins } = this.#revenueOf(revenue);
    const { touches } = this.#touchesOf(touch);
    const areThere = [table.payments.catchUp(moment, missing), touches.catchUp(moment, missing)];
    if (areThere.includes(false)) return null;
    const codeEnd = Math.max(this.dictionaries.named("userId").size, this.dictionaries.named("anonymousId").size);
    return new EventLabels({ touches, payments: table.payments, orders: origins.now() }, model, moment, missing, codeEnd * 2);
  }

  /** What touches are read with, under a rule. */
  touchMaker(rule: TouchRule): TouchMaker {
    return this.#touchesOf(rule).touches.maker;
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
      const payments = new Payments(this.budget, this.#use, this.dictionaries, rule, this.ids);
      revenue = { table: new RevenueTable(payments), companies: new PaymentCompanies(payments, this.memberships), origins: new RefundOrigins(payments), labels: new Map() };
      this.#revenue.set(key, revenue);
    }
    return revenue;
  }

  #touchesOf(rule: TouchRule) {
    const key = keyOf(rule);
    let known = this.#touches.get(key);
    if (known === undefined) {
      const touches = new Touches(this.budget, this.#use, new TouchMaker(rule, this.dictionaries), this.ids);
      known = { touches, ofCompanies: new CompanyTouches(touches, this.memberships) };
      this.#touches.set(key, known);
    }
    return known;
  }
}

const keys = new WeakMap<RevenueRule | TouchRule, string>();

/** Names a rule. A rule names some hundred hosts, and a Daybook asks with the same one each time. */
function keyOf(rule: RevenueRule | TouchRule): string {
  let key = keys.get(rule);
  if (key === undefined) keys.set(rule, (key = JSON.stringify(rule)));
  return key;
}
