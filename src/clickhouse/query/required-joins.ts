import { assert } from "../../core/base/errors.js";
import type { RevenueRule, TouchRule } from "../../query/plan/plan.js";
import { sql, type Sql } from "../sql/sql.js";
import type { TraitLookup } from "./known-traits.js";
import { ownerJoin, identityKeyOf, type IdentityContext } from "./identity-context.js";

export interface QueryContext extends IdentityContext {
  /** Identities seen with several companies, if looked up; null: each statement finds them. */
  readonly several: readonly string[] | null;
  readonly touch: TouchRule;
  readonly revenue: RevenueRule;
  readonly known: TraitLookup;
}

export interface RowSource {
  readonly rows: Sql;
  /** Whether they come from all shards; otherwise each shard reads its own. */
  readonly isGathered: boolean;
}

export interface RowJoin {
  readonly joins: Sql;
  readonly columns: readonly Sql[];
}

/** Collects what the expressions of one statement need beside the columns of events, and joins it to the rows. */
export class RequiredJoins {
  #owners = false;
  /** By name, in the order in which they follow the rows. */
  readonly #joins = new Map<string, RowJoin>();
  #isBuilt = false;

  constructor(
    readonly context: QueryContext,
    readonly source: RowSource = { rows: context.tables.all("events"), isGathered: false },
  ) {}

  identityKey(): Sql {
    this.#refuseLate(this.#owners);
    this.#owners = true;
    return identityKeyOf(this.context);
  }

  /** The columns of a join, which is made once per name. @param make gets a number for the names of its columns */
  join(name: string, make: (number: number) => RowJoin): readonly Sql[] {
    const known = this.#joins.get(name);
    this.#refuseLate(known !== undefined);
    const made = known ?? make(this.#joins.size);
    this.#joins.set(name, made);
    return made.columns;
  }

  /** The rows, to follow FROM; call this last, after everything needed is known. */
  rows(): Sql {
    this.#isBuilt = true;
    const { source: { rows, isGathered }, context } = this;
    const links = isGathered ? context.tables.all("links") : context.tables.ofShard("links");
    const owned = this.#owners ? sql`${rows} AS events ${ownerJoin(links, context)}` : sql`${rows} AS events`;
    return [...this.#joins.values()].reduce((before, { joins }) => sql`${before} ${joins}`, owned);
  }

  #refuseLate(isKnown: boolean): void {
    assert(isKnown || !this.#isBuilt, "columns are requested before the rows are read");
  }
}
