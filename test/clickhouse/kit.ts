import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { inject, onTestFinished } from "vitest";
import { checkClickHouseOptions, type ClickHouseOptions } from "../../src/clickhouse/options.js";
import { sql, text } from "../../src/clickhouse/sql/sql.js";
import { connect } from "../../src/clickhouse/open-clickhouse.js";
import type { Connection } from "../../src/clickhouse/connection/connection.js";
import { migrateClickHouse } from "../../src/clickhouse/open-clickhouse.js";
import { CLUSTER } from "./server/clusters.js";
import { PAIR, type Bounds } from "./server/engine.js";
import type { Order } from "./server/faults.js";
import { SERVER } from "./setup.js";

/** Where rows are: on one server, on the shards of a cluster, or on the replicas of one shard. */
export type Layout = "one server" | "two shards" | "two replicas";

export const layouts: readonly Layout[] = ["one server", "two shards", "two replicas"];

/** Where long lists of queries are asked: replicas are asked as one server is, under settings that all statements have. */
export const queryLayouts: readonly Layout[] = ["one server", "two shards"];

const CLUSTERS: Readonly<Record<Layout, string | null>> = { "one server": null, "two shards": CLUSTER, "two replicas": PAIR };

let databaseCount = 0;

/** Where the server of this worker answers that has these tables. Workers are numbered from 1. */
export function serverUrl(layout: Layout = "one server"): string {
  const servers = inject("clickhouse");
  const own = servers[(Number(process.env["VITEST_POOL_ID"]) - 1) % servers.length];
  if (own === undefined) throw new Error("expected a server for each worker");
  return layout === "two shards" ? own.shards : own.alone;
}

/** What all servers of this worker say. */
async function saidBy(path: string): Promise<string[]> {
  return await Promise.all(layouts.slice(0, 2).map(async (layout) => await (await fetch(`${serverUrl(layout)}/${path}`)).text()));
}

function sum(texts: readonly string[]): number {
  return texts.reduce((all, text) => all + Number(text), 0);
}

/** A connection to tables as they lie. */
export async function connectTo(options: ClickHouseOptions): Promise<Connection> {
  return (await connect(checkClickHouseOptions(options))).ofReplicas(options.cluster === PAIR ? 2 : 1);
}

/** Options for a database of its own, without tables. */
export function newOptions(layout: Layout, rest: Partial<ClickHouseOptions> = {}): ClickHouseOptions {
  databaseCount += 1;
  const database = `daybook_${process.pid}_${databaseCount}`;
  const cluster = CLUSTERS[layout];
  return { ...rest, url: serverUrl(layout), database, ...(cluster === null ? {} : { cluster }) };
}

interface Database {
  readonly options: ClickHouseOptions;
  drop(): Promise<void>;
}

/** The same with its tables, and how it is dropped. */
export async function newDatabase(layout: Layout, rest: Partial<ClickHouseOptions> = {}): Promise<Database> {
  const options = newOptions(layout, rest);
  await migrateClickHouse(options);
  const drop = async () => {
    const connection = await connectTo(options);
    // At once, for what files hold is searched.
    await connection.define(`DROP DATABASE ${options.database}${layout === "two shards" ? ` ON CLUSTER ${CLUSTER}` : ""} SYNC`);
    await connection.close();
  };
  return { options, drop };
}

/** Takes all rows away but what the store as a whole keeps. */
export async function emptied(options: ClickHouseOptions): Promise<void> {
  const connection = await connectTo(options);
  const tables = await connection.rows<[string]>(sql`SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND NOT startsWith(name, 'kept') AND (${text(options.cluster ?? "")} != '' OR total_rows > 0)`);
  const everywhere = options.cluster === undefined ? "" : ` ON CLUSTER ${options.cluster}`;
  for (const [name] of tables) await connection.define(`TRUNCATE TABLE ${options.database}.${name}${everywhere} SYNC`);
  await connection.close();
}

/** How a command is told where a database is. */
export function placeArguments({ url, database, cluster }: ClickHouseOptions): string[] {
  return ["--clickhouse", String(url), "--database", database, ...(cluster === undefined ? [] : ["--cluster", cluster])];
}

/** Closes a Daybook when its test has finished, and drops its database. */
export function closeAfter(daybook: { close(): Promise<void> }, drop: () => Promise<void>): void {
  onTestFinished(async () => {
    await order();
    await daybook.close();
    await drop();
  });
}

/** How many statements there were so far of which nobody waited for the answer. */
export async function givenUpCount(): Promise<number> {
  return sum(await saidBy("given-up"));
}

/** The files of the server in which a text of small letters stands, compressed or not. */
export async function pathsWith(text: string): Promise<string[]> {
  return (await saidBy(`stored?text=${encodeURIComponent(text)}`)).flatMap((said) => JSON.parse(said) as string[]);
}

/** How many statements are held until other orders come. */
export async function heldCount(): Promise<number> {
  return sum(await saidBy("held"));
}

/** The same of a server of its own. */
export async function heldOf(url: string): Promise<number> {
  return Number(await (await fetch(`${url}/held`)).text());
}

/** Makes the next statements go wrong; without orders all go well again. */
export async function order(...orders: readonly Order[]): Promise<void> {
  await Promise.all(layouts.slice(0, 2).map((layout) => orderOf(serverUrl(layout), ...orders)));
}

/** The same to a server of its own. */
export async function orderOf(url: string, ...orders: readonly Order[]): Promise<void> {
  await fetch(`${url}/orders`, { method: "POST", body: JSON.stringify(orders) });
}

/** Ends a server as a power failure does. */
export async function killed({ child }: OwnServer): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

export interface OwnServer {
  readonly child: ChildProcess;
  readonly port: number;
}

/** A server of its own, which can be ended as by a power failure and started again. */
export async function startServer(directory: string, port = 0, bounds: Bounds = {}): Promise<OwnServer> {
  const child = spawn(process.execPath, ["--import", "tsx", SERVER, directory, String(port), JSON.stringify(bounds)], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return { child, port: Number(/:(\d+)$/.exec(line)?.[1]) };
}
