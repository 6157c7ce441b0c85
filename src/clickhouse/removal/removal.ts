import type { Clock } from "../../core/base/clock.js";
import { uuidText, writeUuidV7 } from "../../core/base/uuid.js";
import { Sql, sql, text, uuid } from "../sql/sql.js";
import { alter, type Servers } from "../tables/change.js";

/** The kind of a note. */
export type Noted =
  | "userId" | "anonymousId" | "email" | "event" | "record" | "anew" | "link" | "traits" | "segment" | "project" | "stored" | "name" | "year" | "request";

/** A text, and a value that belongs to it. */
export type Note = readonly [kind: Noted, text: string, value?: string];

/** Context for removing rows. */
export interface RemovalContext extends Servers {
  readonly clock: Clock;
  readonly random: (bytes: Uint8Array) => void;
}

/** A removal under way: its notes are in a table, where statements and other processes find them, until it is done. */
export class Removal {
  constructor(
    readonly servers: Servers,
    /** A UUID. */
    readonly id: string,
  ) {}

  /** Begins a removal by storing its notes. */
  static async begin(context: RemovalContext, notes: readonly Note[]): Promise<Removal> {
    const bytes = new Uint8Array(16);
    writeUuidV7(context.clock.now(), context.random, bytes, 0);
    const removal = new Removal(context, uuidText(bytes));
    await removal.note(notes);
    return removal;
  }

  async note(notes: readonly Note[]): Promise<void> {
    // On all replicas: each changes its rows by the notes that it has itself.
    await this.servers.connection.insertOnAll("removals", notes.map(([kind, noted, value = ""]) => ({ removal: this.id, kind, text: noted, value })));
  }

  /** All notes, without duplicates. */
  async notes(): Promise<[kind: Noted, text: string, value: string][]> {
    const { connection, names } = this.servers;
    const rows = sql`SELECT DISTINCT kind, text, value FROM ${names.all("removals")} WHERE removal = ${uuid(this.id)}`;
    return await connection.rows<[Noted, string, string]>(rows);
  }

  /** The texts of a kind, to follow IN. */
  texts(kind: Noted): Sql {
    return sql`(SELECT text FROM ${this.#of(kind)})`;
  }

  /** Texts and their values, to follow IN. */
  pairs(kind: Noted): Sql {
    return sql`(SELECT text, value FROM ${this.#of(kind)})`;
  }

  /** The value noted for a text; `otherwise` for a text without a note. */
  valueOf(kind: Noted, of: Sql, otherwise: Sql): Sql {
    const inOrder = sql`(SELECT DISTINCT text, value FROM ${this.#of(kind)} ORDER BY text, value)`;
    return sql`transform(${of}, (SELECT groupArray(text) FROM ${inOrder}), (SELECT groupArray(value) FROM ${inOrder}), ${otherwise})`;
  }

  /** Deletes the notes; use `untilGone` to wait for their files. */
  async end(): Promise<void> {
    // Partition names cannot be bound; this one is a UUID.
    await alter(this.servers, "removals", new Sql([`DROP PARTITION '${this.id}' SETTINGS alter_sync = 2`], []));
  }

  #of(kind: Noted): Sql {
    return sql`(SELECT text, value FROM ${this.servers.names.all("removals")} WHERE removal = ${uuid(this.id)} AND kind = ${text(kind)})`;
  }
}
