import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ALL_REPLICAS, Replicas } from "./replicas.js";
import { CLUSTER, HALF_CLUSTER } from "./clusters.js";
import { pathsIn } from "./stored-text.js";

/** The part of chDB that is used: its types are there only where its half gigabyte is installed. */
interface Session {
  queryAsync(query: string): Promise<{ text(): string }>;
  insert(rows: { table: string; values: Buffer; format: string; columns?: readonly string[] }): Promise<unknown>;
  close(): void;
}

interface Chdb {
  readonly Session: new (path: string, options: { readonly connectionArgs: readonly string[] }) => Session;
}

/** A cluster of one shard with two replicas, and others with some that are wrong: of one each, one too many, none by themselves, shards unlike. */
export const PAIR = "pair";
export const APART = "apart";
export const TRIO = "trio";
export const LOOSE = "loose";
export const UNLIKE = "unlike";
const PORT = 9_000;

/** Shards at this very address and port are local: what makes one process a cluster, with all tables in common. */
const HERE = "127.0.0.1";
/** Where nobody is: of two replicas that are local each would be given every row. */
const ELSEWHERE = ["127.0.0.2", "127.0.0.3"];
const shardOf = (port: number, hosts: readonly string[], replicates = true) => {
  const replicas = hosts.map((host) => `<replica><host>${host}</host><port>${port}</port></replica>`);
  return `<shard><internal_replication>${replicates}</internal_replication>${replicas.join("")}</shard>`;
};
const shardAt = (port: number, replicaCount: number, replicates = true) =>
  shardOf(port, [HERE, ...ELSEWHERE].slice(0, replicaCount), replicates);
const CLUSTERS = Object.entries({
  [CLUSTER]: [shardAt(PORT, 1), shardAt(PORT, 1)],
  [HALF_CLUSTER]: [shardAt(PORT, 1), shardAt(1, 1)],
  [PAIR]: [shardAt(PORT, 2)],
  [APART]: [shardAt(PORT, 2)],
  [TRIO]: [shardAt(PORT, 3)],
  [LOOSE]: [shardAt(PORT, 2, false)],
  [UNLIKE]: [shardAt(PORT, 2), shardAt(PORT, 1)],
  [ALL_REPLICAS]: [shardOf(PORT, [HERE, "localhost"])],
}).map(([name, shards]) => `<${name}>${shards.join("")}</${name}>`);
/** Of replicas, as far as they can be here: tables are made, but never active. */
const KEEPER = "<zookeeper><implementation>testkeeper</implementation></zookeeper><macros><shard>1</shard></macros>";
const CONFIG = `<tcp_port>${PORT}</tcp_port>${KEEPER}<remote_servers>${CLUSTERS.join("")}</remote_servers>`;
/** More of a disk than there is stays free. */
const KEPT_FREE = `<default><keep_free_space_bytes>${2 ** 60}</keep_free_space_bytes></default>`;
const FULL_DISK = `<storage_configuration><disks>${KEPT_FREE}</disks></storage_configuration>`;

/** The one user of this process, who may do what grants say. */
function userConfig(grants: readonly string[]): string {
  // A session needs it to stand in the database in which statements without one are.
  const queries = [...grants, "GRANT SHOW DATABASES ON default.*"].map((grant) => `<query>${grant}</query>`).join("");
  const user = `<password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota><grants>${queries}</grants>`;
  return `<clickhouse><users><default>${user}</default></users><profiles><default/></profiles><quotas><default/></quotas></clickhouse>`;
}

/** What keeps a server from doing what it is told. */
export interface Bounds {
  /** What its user may do, and nothing else. */
  readonly grants?: readonly string[];
  /** There is no room for more on its disk. */
  readonly isFull?: boolean;
}

/** What a statement is run under. */
export interface Terms {
  readonly database: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Values of parameters as the HTTP interface takes them. */
  readonly params: Readonly<Record<string, string>>;
}

/** A server reads statements of 256 KiB, and a character takes up to three bytes. */
const SET_CHARS = 50_000;

const INSERT = /^\s*INSERT INTO\s+(\S+)\s*(?:\(([^)]*)\))?\s*FORMAT\s+(\w+)\s*\n/i;

/** ClickHouse in this process: one statement after the other, for what is set holds for all of the session. */
export class Engine {
  readonly #directory: string;
  readonly #session: Session;
  /** What is set, which costs a statement each. */
  readonly #settings = new Map<string, string>();
  #database = "";
  readonly #replicas = new Replicas();
  readonly #shardFilters = new Map<string, string>();
  /** Of inserts over shards that came through. */
  readonly #tokens = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param kept where the tables are, and stay; null: in a directory that goes with this process
   * @param bounds absent ones: there is room, and the user may do everything
   */
  constructor(
    readonly kept: string | null,
    { grants, isFull = false }: Bounds = {},
  ) {
    const { Session } = createRequire(import.meta.url)("chdb") as Chdb;
    this.#directory = kept ?? mkdtempSync(join(tmpdir(), "daybook-chdb-"));
    const config = join(this.#directory, "config.xml");
    mkdirSync(join(this.#directory, "data"), { recursive: true });
    writeFileSync(config, `<clickhouse>${CONFIG}${isFull ? FULL_DISK : ""}</clickhouse>`);
    const users = join(this.#directory, "users.xml");
    if (grants !== undefined) writeFileSync(users, userConfig(grants));
    const connectionArgs = [`--config-file=${config}`, ...(grants === undefined ? [] : [`--users_config=${users}`])];
    this.#session = new Session(join(this.#directory, "data"), { connectionArgs });
  }

  /** What a statement answers; its inline rows, if it inserts some, follow its first line. */
  run(statement: string, rows: Buffer, terms: Terms): Promise<string> {
    const next = this.#last.then(() => this.#run(statement, rows, terms));
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** Where a text stands in files, whatever its case, compressed or not; none: nowhere. */
  pathsWith(text: string): Promise<string[]> {
    return pathsIn(join(this.#directory, "data"), text, (statement) => {
      const next = this.#last.then(() => this.#query(statement));
      this.#last = next.catch(() => undefined);
      return next;
    });
  }

  close(): void {
    this.#session.close();
    if (this.kept === null) rmSync(this.#directory, { recursive: true, force: true });
  }

  async #run(asked: string, rows: Buffer, { database, settings: all, params: named }: Terms): Promise<string> {
    this.#replicas.check(asked, database, all);
    const { statement, params } = this.#replicas.standIn(withoutCluster(asked), named);
    const settings = this.#replicas.settingsOf(all);
    const insert = INSERT.exec(`${statement}\n`);
    if (database !== this.#database) await this.#query(`USE ${quoted(database)}`);
    this.#database = database;
    const filters = await this.#filtersOf(database);
    // Both shards write into one table here: under one token the rows of the second would pass for those of the first.
    const { insert_deduplication_token: token = "", ...others } = settings;
    const isTold = token !== "" && insert !== null && Object.keys(filters).length > 0;
    // A mutation changes the rows of both at once, and reads no shard's alone.
    const isRead = insert === null && !/^\s*ALTER/.test(statement);
    const own = isRead ? { ...settings, ...filters } : isTold ? others : settings;
    await this.#set(own, insert === null ? params : {});
    if (insert !== null) {
      const [, table = "", columns, format = ""] = insert;
      const once = `${database} ${table} ${token}`;
      if (isTold && this.#tokens.has(once)) return "";
      const named = columns === undefined ? {} : { columns: columns.split(",").map((name) => name.trim().replaceAll("`", "")) };
      await this.#session.insert({ table: table.replaceAll("`", ""), values: rows, format, ...named });
      // As on shards, the table of events alone remembers them.
      if (isTold && table.includes("events")) this.#tokens.add(once);
      return "";
    }
    if (/^\s*(CREATE|DROP)/.test(statement)) {
      this.#shardFilters.clear();
      this.#database = "";
    }
    // All shards have the same tables: what is made on one is there on both.
    return await this.#query(statement);
  }

  /** In as few statements as there is room for: each has to be waited for. */
  async #set(settings: Readonly<Record<string, string>>, params: Readonly<Record<string, string>>): Promise<void> {
    const former = [...this.#settings.keys()].filter((name) => !Object.hasOwn(settings, name));
    const changed = Object.entries(settings).filter(([name, value]) => this.#settings.get(name) !== value);
    const changes = [
      ...former.map((name) => `${name} = DEFAULT`),
      ...changed.map(([name, value]) => `${name} = ${name === "additional_table_filters" ? value : literal(value)}`),
      ...Object.entries(params).map(([name, value]) => `param_${name} = ${literal(value)}`),
    ];
    for (const some of inPieces(changes, SET_CHARS)) await this.#query(`SET ${some.join(", ")}`);
    for (const name of former) this.#settings.delete(name);
    for (const [name, value] of changed) this.#settings.set(name, value);
  }

  /** Which rows each shard sees of tables that lie behind a distributed one: those that it would have been given. */
  async #filtersOf(database: string): Promise<Readonly<Record<string, string>>> {
    const known = this.#shardFilters.get(database);
    if (known !== undefined) return known === "" ? {} : { additional_table_filters: known };
    // One shard has all rows.
    const isOfShards = `engine = 'Distributed' AND (engine_full LIKE '%(_${CLUSTER}_,%' OR engine_full LIKE '%(_${HALF_CLUSTER}_,%')`;
    const tables = `system.tables WHERE database = ${literal(database)} AND ${isOfShards}`;
    const text = await this.#query(`SELECT engine_full FROM ${tables} FORMAT JSONCompactEachRow`);
    const filters = text.split("\n").filter((line) => line !== "").map((line) => {
      const [, table = "", key = ""] = /^Distributed\('[^']*', '[^']*', '([^']*)', (.*)\)$/.exec((JSON.parse(line) as [string])[0]) ?? [];
      return `${literal(`${database}.${table}`)}: ${literal(`(${key}) % shardCount() + 1 = shardNum()`)}`;
    });
    const filter = filters.length === 0 ? "" : `{${filters.join(", ")}}`;
    this.#shardFilters.set(database, filter);
    return filter === "" ? {} : { additional_table_filters: filter };
  }

  async #query(statement: string): Promise<string> {
    return (await this.#session.queryAsync(statement)).text();
  }
}

/** A statement for all servers, of which there is one here. @throws Error where the grammar takes no such name */
function withoutCluster(statement: string): string {
  return statement.replace(/ ON CLUSTER (\S+)/g, (_, name: string) => {
    if (!/^\w+$/.test(name)) throw new Error(`Code: 62. DB::Exception: Syntax error: ON CLUSTER ${name}. Expected one of: identifier. (SYNTAX_ERROR)`);
    return "";
  });
}

/** Texts of which those of a piece are no longer than so many characters; of one alone any number. */
function inPieces(texts: readonly string[], charCount: number): string[][] {
  const pieces: string[][] = [];
  let room = 0;
  for (const text of texts) {
    if (text.length > room) {
      pieces.push([]);
      room = charCount;
    }
    pieces.at(-1)?.push(text);
    room -= text.length;
  }
  return pieces;
}

function quoted(name: string): string {
  return `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;
}

function literal(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
