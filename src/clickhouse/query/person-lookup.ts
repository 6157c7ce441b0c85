import type { Connection } from "../connection/connection.js";
import { sql, text, texts, type Sql } from "../sql/sql.js";
import type { QueryContext } from "./needs.js";
import type { ActorIds } from "./where.js";
import { isInForce, ownersOf, type Survivors } from "./who.js";

/** A person: the surviving user id, or the anonymous id where there is no user, and all ids that belong to it. */
export interface PersonActors extends ActorIds {
  readonly kind: "user" | "anonymous";
  readonly id: string;
}

/** Finds people by their ids. */
export class PersonLookup {
  constructor(
    readonly connection: Connection,
    readonly moment: QueryContext,
    readonly signal: Pick<AbortSignal, "aborted"> | undefined,
  ) {}

  /** The person with this user id, else with this anonymous id; null where unknown. */
  async ofId(id: string): Promise<PersonActors | null> {
    if (await this.isUser(id)) return await this.ofUser(id);
    if (await this.#isKnown(sql`anonymousId = ${text(id)}`, sql`anonymousId = ${text(id)}`)) return await this.ofAnonymous(id);
    return null;
  }

  /** Whether an event, or a record in force, has this user id. */
  isUser(id: string): Promise<boolean> {
    return this.#isKnown(sql`userId = ${text(id)}`, sql`userId = ${text(id)} OR fromUserId = ${text(id)}`);
  }

  async ofAnonymous(id: string): Promise<PersonActors> {
    const { tables } = this.moment;
    const [[, owner = ""] = []] = await this.#rows(ownersOf(tables.all("links"), this.moment, sql`anonymousId = ${text(id)}`));
    return owner === "" ? { kind: "anonymous", id, users: [], anonymous: [id] } : await this.ofUser(owner);
  }

  async ofUser(id: string): Promise<PersonActors> {
    const { tables, survivors } = this.moment;
    const survivor = survivingId(id, survivors);
    const users = [survivor, ...survivors.from.filter((_, at) => survivors.to[at] === survivor)];
    const linked = sql`anonymousId GLOBAL IN (SELECT anonymousId FROM ${tables.all("links")} WHERE userId IN ${texts(users)})`;
    const owners = ownersOf(tables.all("links"), this.moment, linked);
    const owned = await this.#rows(sql`SELECT linked FROM (${owners}) WHERE owner IN ${texts(users)}`);
    return { kind: "user", id: survivor, users, anonymous: owned.map(([anonymousId = ""]) => anonymousId) };
  }

  async #isKnown(ofEvents: Sql, ofRecords: Sql): Promise<boolean> {
    const { tables } = this.moment;
    // Grouped as the servers keep it.
    const events = sql`SELECT 1 FROM ${tables.all("events")} WHERE ${ofEvents} GROUP BY userId, anonymousId LIMIT 1`;
    const inForce = sql`kind != 'unlink' AND NOT (fromUserId != '' AND fromUserId = userId) AND ${isInForce(sql`id`, this.moment)}`;
    const records = sql`SELECT 1 FROM ${tables.all("records")} WHERE (${ofRecords}) AND ${inForce} LIMIT 1`;
    return (await this.#rows(sql`SELECT * FROM (${events} UNION ALL ${records}) LIMIT 1`)).length > 0;
  }

  #rows(statement: Sql): Promise<string[][]> {
    return this.connection.rows<string[]>(statement, this.signal);
  }
}

/** The user that a user was merged into, or itself. */
export function survivingId(id: string, { from, to }: Survivors): string {
  return to[from.indexOf(id)] ?? id;
}
