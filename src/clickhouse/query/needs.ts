import { assert } from "../../core/base/assert.js";
import type { RevenueRule, TouchRule } from "../../query/plan/plan.js";
import { name, sql, type Sql } from "../sql/sql.js";
import { attributionOf, type TouchAttribution } from "./attribution.js";
import { memberships } from "./companies.js";
import type { KnownTrait, TraitLookup } from "./known-traits.js";
import type { TouchModel } from "./touch.js";
import { ownersOf, whoOf, type Records, type Survivors } from "./who.js";

/** Context shared by all parts of one query. */
export interface QueryContext extends Records {
  readonly survivors: Survivors;
  /** Identities seen with several companies, if looked up; null: each statement finds them. */
  readonly several: readonly string[] | null;
  readonly touch: TouchRule;
  readonly revenue: RevenueRule;
  readonly known: TraitLookup;
}

/** Rows with the columns of events, to follow FROM. */
export interface RowSource {
  readonly rows: Sql;
  /** Whether they come from all shards; otherwise each shard reads its own. */
  readonly isGathered: boolean;
}

/** A trait to join; `owner` computes whose it is. */
interface JoinedTrait {
  readonly trait: KnownTrait;
  readonly owner: Sql;
}

/** SQL for the columns of a trait. */
export interface TraitColumns {
  readonly leaves: Sql;
  /** The label of the value as a whole. */
  readonly label: Sql;
}

/** Collects what the expressions of one statement need beside the columns of events, and joins it to the rows. */
export class Needs {
  #owners = false;
  #companies = false;
  readonly #brought = new Map<TouchModel, TouchAttribution>();
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

  /** The identity of a row. */
  who(): Sql {
    this.#refuseLate(this.#owners);
    this.#owners = true;
    return whoOf(this.moment.survivors);
  }

  /** The companies that a row's identity was seen with, in order. */
  companies(): Sql {
    this.who();
    this.#refuseLate(this.#companies);
    this.#companies = true;
    return sql`companies`;
  }

  /** Labels of the first or last touch of a row's identity, by dimension; for a refund of a known order, those of its payer. */
  touches(model: TouchModel): Sql {
    const who = this.who();
    const known = this.#brought.get(model);
    this.#refuseLate(known !== undefined);
    const brought = known ?? attributionOf(model, who, this.moment, (source) => new Needs(this.moment, source));
    this.#brought.set(model, brought);
    return brought.told;
  }

  /** A trait of a row's identity, or of its company. @param called distinguishes owners of one trait */
  trait(called: string, owner: Sql, trait: KnownTrait): TraitColumns {
    this.#refuseLate(this.#traits.has(called));
    if (!this.#traits.has(called)) this.#traits.set(called, { owner, trait });
    const place = [...this.#traits.keys()].indexOf(called);
    return { leaves: sql`${name(`leaves${place}`)}`, label: sql`${name(`label${place}`)}` };
  }

  /** The rows, to follow FROM; call this last, after everything needed is known. */
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
    assert(isAsked || !this.#isGiven, "columns are requested before the rows are read");
  }
}
