import type { Clock } from "../../base/clock.js";
import { uuidText, writeUuidV7 } from "../../base/uuid.js";
import { Sql, sql, text, uuid } from "../sql/sql.js";
import { alter, type Servers } from "../tables/change.js";

/** What a note of a removal is about. */
export type Noted =
  | "userId" | "anonymousId" | "email" | "event" | "record" | "anew" | "link" | "traits" | "segment" | "project" | "stored" | "name" | "year" | "request";

/** A text, and what belongs to it. */
export type Note = readonly [kind: Noted, text: string, value?: string];

/** What is needed to remove rows. */
export interface RemovalContext extends Servers {
  readonly clock: Clock;
  readonly random: (bytes: Uint8Array) => void;
}

/** Something that is being removed: what it is stands in a table, where statements and other processes find it, until it is gone. */
export class Removal {
  constructor(
    readonly servers: Servers,
    /** A UUID. */
    readonly id: string,
  ) {}

  /** Notes what is to go. */
  static async begin(context: RemovalContext, notes: readonly Note[]): Promise<Removal> {
    const bytes = new Uint8Array(16);
    writeUuidV7(context.clock.now(), context.random, bytes, 0);
    const removal = new Removal(context, uuidText(bytes));
    await removal.note(notes);
    return removal;
  }

  async note(notes: readonly Note[]): Promise<void> {
    // On all replicas, for each of them changes its rows by what it finds there.
    await this.servers.connection.insertOnAll("removals", notes.map(([kind, noted, value = ""]) => ({ removal: this.id, kind, text: noted, value })));
  }

  /** All that was noted. */
  async notes(): Promise<[kind: Noted, text: string, value: string][]> {
    const { connection, names } = this.servers;
    const rows = sql`SELECT DISTINCT kind, text, value FROM ${names.all("removals")} WHERE removal = ${uuid(this.id)}`;
    return await connection.rows<[Noted, string, string]>(rows);
  }

  /** The texts of a kind, to stand behind IN. */
  texts(kind: Noted): Sql {
    return sql`(SELECT text FROM ${this.#of(kind)})`;
  }

  /** Texts and their values, to stand behind IN. */
  pairs(kind: Noted): Sql {
    return sql`(SELECT text, value FROM ${this.#of(kind)})`;
  }

  /** The value that belongs to a text; what stands for others, of which there are some. */
  valueOf(kind: Noted, of: Sql, otherwise: Sql): Sql {
    const inOrder = sql`(SELECT DISTINCT text, value FROM ${this.#of(kind)} ORDER BY text, value)`;
    return sql`transform(${of}, (SELECT groupArray(text) FROM ${inOrder}), (SELECT groupArray(value) FROM ${inOrder}), ${otherwise})`;
  }

  /** Forgets what was noted. Its files are to be waited for. */
  async end(): Promise<void> {
    // What partitions are named by cannot be bound. It is a UUID.
    await alter(this.servers, "removals", new Sql([`DROP PARTITION '${this.id}' SETTINGS alter_sync = 2`], []));
  }

  #of(kind: Noted): Sql {
    return sql`(SELECT text, value FROM ${this.servers.names.all("removals")} WHERE removal = ${uuid(this.id)} AND kind = ${text(kind)})`;
  }
}
