import { assert } from "../../base/assert.js";
import type { RevenueRule, TouchRule } from "../../plan/plan.js";
import { name, sql, type Sql } from "../sql/sql.js";
import { broughtOf, type Brought } from "./brought.js";
import { memberships } from "./companies.js";
import type { KnownTrait, TraitLookup } from "./known-traits.js";
import type { TouchModel } from "./nearest-touch.js";
import { ownersOf, whoOf, type Records, type Survivors } from "./who.js";

/** What is the same for all parts of one question. */
export interface QueryContext extends Records {
  readonly survivors: Survivors;
  /** Who was seen with several companies, where that was asked before; null: whoever needs it finds them. */
  readonly several: readonly string[] | null;
  readonly touch: TouchRule;
  readonly revenue: RevenueRule;
  readonly known: TraitLookup;
}

/** Rows with columns of events, to stand behind FROM. */
export interface RowSource {
  readonly rows: Sql;
  /** Whether they come from all shards: else each shard has its own. */
  readonly isGathered: boolean;
}

/** A trait that rows have beside them: whose is told by an expression. */
interface JoinedTrait {
  readonly trait: KnownTrait;
  readonly owner: Sql;
}

/** Columns of a trait. */
export interface TraitColumns {
  readonly leaves: Sql;
  /** What it is called as a whole. */
  readonly label: Sql;
}

/** What the expressions of one statement need beside the columns of events, and the rows with all of it. */
export class Needs {
  #owners = false;
  #companies = false;
  readonly #brought = new Map<TouchModel, Brought>();
  readonly #traits = new Map<string, JoinedTrait>();
  #isGiven = false;

  /** @param source absent: all events */
  constructor(
    readonly moment: QueryContext,
    readonly source: RowSource = { rows: moment.tables.all("events"), isGathered: false },
  ) {}

  get touch(): TouchRule {
    return this.moment.touch;
  }

  /** Whose a row is. */
  who(): Sql {
    this.#refuseLate(this.#owners);
    this.#owners = true;
    return whoOf(this.moment.survivors);
  }

  /** The companies that whoever a row is of was seen with, in order. */
  companies(): Sql {
    this.who();
    this.#refuseLate(this.#companies);
    this.#companies = true;
    return sql`companies`;
  }

  /** What the first or last touch of whoever a row is of is called by each dimension; of a refund whose order is known, that of its payer. */
  touches(model: TouchModel): Sql {
    const who = this.who();
    const known = this.#brought.get(model);
    this.#refuseLate(known !== undefined);
    const brought = known ?? broughtOf(model, who, this.moment, (source) => new Needs(this.moment, source));
    this.#brought.set(model, brought);
    return brought.told;
  }

  /** What is known of whoever a row is of, or of a company of theirs. @param called tells owners of one trait apart */
  trait(called: string, owner: Sql, trait: KnownTrait): TraitColumns {
    this.#refuseLate(this.#traits.has(called));
    if (!this.#traits.has(called)) this.#traits.set(called, { owner, trait });
    const place = [...this.#traits.keys()].indexOf(called);
    return { leaves: sql`${name(`leaves${place}`)}`, label: sql`${name(`label${place}`)}` };
  }

  /** The rows, to stand behind FROM once everything was asked for. */
  rows(): Sql {
    this.#isGiven = true;
    const { tables, survivors } = this.moment;
    const { isGathered } = this.source;
    let rows = sql`${this.source.rows} AS events`;
    const owners = ownersOf(isGathered ? tables.all("links") : tables.ofShard("links"), this.moment);
    if (this.#owners) rows = sql`${rows} ANY LEFT JOIN (${owners}) AS owners ON owners.linked = events.anonymousId`;
    const who = whoOf(survivors);
    if (this.#companies) rows = sql`${rows} GLOBAL ANY LEFT JOIN (${memberships(this.moment)}) AS members ON members.member = ${who}`;
    for (const { joins } of this.#brought.values()) rows = sql`${rows} ${joins}`;
    [...this.#traits.values()].forEach(({ owner, trait }, place) => {
      const [of, leaves, label] = [name(`owner${place}`), name(`leaves${place}`), name(`label${place}`)];
      const known = sql`SELECT owner AS ${of}, leaves AS ${leaves}, label AS ${label} FROM (${trait.rows()})`;
      rows = sql`${rows} GLOBAL ANY LEFT JOIN (${known}) AS ${name(`known${place}`)} ON ${of} = ${owner}`;
    });
    return rows;
  }

  #refuseLate(isAsked: boolean): void {
    assert(isAsked || !this.#isGiven, "what is needed is known before the rows are given");
  }
}
