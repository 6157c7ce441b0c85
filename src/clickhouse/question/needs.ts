import { assert } from "../../base/assert.js";
import type { TouchRule } from "../../plan/plan.js";
import { sql, type Sql } from "../sql/sql.js";
import type { TableNames } from "../tables/names.js";
import { memberships } from "./companies.js";
import { ownersOf, whoOf, type Survivors } from "./who.js";

/** What is the same for all parts of one question. */
export interface Moment {
  readonly tables: TableNames;
  readonly survivors: Survivors;
  readonly touch: TouchRule;
}

/** What the expressions of one statement need beside the columns of events, and the rows with all of it. */
export class Needs {
  #owners = false;
  #companies = false;
  #isGiven = false;

  constructor(readonly moment: Moment) {}

  get touch(): TouchRule {
    return this.moment.touch;
  }

  /** Whose a row is. */
  who(): Sql {
    assert(this.#owners || !this.#isGiven, "what is needed is known before the rows are given");
    this.#owners = true;
    return whoOf(this.moment.survivors);
  }

  /** The companies that whoever a row is of was seen with, in order. */
  companies(): Sql {
    this.who();
    assert(this.#companies || !this.#isGiven, "what is needed is known before the rows are given");
    this.#companies = true;
    return sql`companies`;
  }

  /** The rows of events, to stand behind FROM once everything was asked for. */
  rows(): Sql {
    this.#isGiven = true;
    const { tables, survivors } = this.moment;
    let rows = sql`${tables.all("events")} AS events`;
    const owners = ownersOf(tables.ofShard("links"), tables);
    if (this.#owners) rows = sql`${rows} ANY LEFT JOIN (${owners}) AS owners ON owners.linked = events.anonymousId`;
    if (this.#companies) rows = sql`${rows} GLOBAL ANY LEFT JOIN (${memberships(this.moment)}) AS members ON members.member = ${whoOf(survivors)}`;
    return rows;
  }
}
