import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createRequire } from "node:module";
import { createServer, type AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CLUSTER, HALF_CLUSTER } from "./clusters.js";
import type { Backend, Said } from "./front.js";
import type { Asked } from "./request.js";
import { pathsIn } from "./stored-text.js";
import { Wire } from "./wire.js";

const SOURCE = fileURLToPath(new URL("listening.c", import.meta.url));
/** Statements that make the program listen, and keep it from ending. */
const LISTEN = `SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP;
  SELECT sleepEachRow(3) FROM numbers(1000000000) SETTINGS function_sleep_max_microseconds_per_block = 0, max_block_size = 1 FORMAT Null`;

/** Compiles the program that runs ClickHouse out of chDB's library. */
function compile(directory: string): string {
  const program = join(directory, "clickhouse");
  const compiler = process.env["CC"] ?? "cc";
  const { error, status, stderr } = spawnSync(compiler, ["-O1", "-o", program, SOURCE, "-ldl"], { encoding: "utf8" });
  if (error !== undefined || status !== 0) throw new Error(`expected a C compiler named ${compiler}: ${error?.message ?? stderr}`);
  return program;
}

/** The library of chDB for this platform. */
function library(): string {
  const packages = join(dirname(createRequire(import.meta.url).resolve("chdb/package.json")), "..", "@chdb");
  const [name] = readdirSync(packages).filter((each) => each.startsWith("lib-"));
  if (name === undefined) throw new Error(`expected chDB's library for ${process.platform} in ${packages}`);
  return join(packages, name, "libchdb.so");
}
const HOST = "127.0.0.1";
/** Nobody listens there. */
const NO_PORT = 1;

/** A server of ClickHouse in a process of its own. */
export class ListeningServer {
  #child: ChildProcess | null = null;

  constructor(
    readonly program: string,
    readonly directory: string,
    readonly ports: { readonly http: number; readonly tcp: number },
  ) {}

  /** Where its tables are. */
  get data(): string {
    return join(this.directory, "data");
  }

  get url(): string {
    return `http://${HOST}:${this.ports.http}`;
  }

  /** Resolves once it answers. */
  async start(): Promise<void> {
    const args = [`--config-file=${join(this.directory, "config.xml")}`, `--path=${this.data}`, "--multiquery", "--query", LISTEN];
    const child = spawn(this.program, args, { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, LIBCHDB: library() } });
    this.#child = child;
    while (!(await this.#answers())) {
      if (child.exitCode !== null) throw new Error(`ClickHouse ended with ${child.exitCode} before it answered`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));
  }

  async #answers(): Promise<boolean> {
    return await fetch(`${this.url}/ping`).then(({ ok }) => ok, () => false);
  }
}

/** Some servers that know each other as the shards of a cluster: each statement goes to the first, and `ON CLUSTER` to all. */
export class ListeningServers implements Backend {
  private constructor(
    readonly directory: string,
    readonly servers: readonly ListeningServer[],
    readonly wires: readonly Wire[],
  ) {}

  static async start(count: number): Promise<ListeningServers> {
    const directory = mkdtempSync(join(tmpdir(), "daybook-clickhouse-"));
    const program = compile(directory);
    const ports = await freePorts(2 * count);
    const servers = Array.from({ length: count }, (_, at) => new ListeningServer(program, join(directory, String(at)), { http: ports[2 * at] ?? 0, tcp: ports[2 * at + 1] ?? 0 }));
    const wires = await Promise.all(servers.map(({ ports: { tcp } }) => Wire.to(tcp)));
    for (const server of servers) {
      mkdirSync(server.directory);
      writeFileSync(join(server.directory, "config.xml"), configOf(server, servers.map((other, at) => (other === server ? server.ports.tcp : (wires[at]?.port ?? 0)))));
    }
    const all = new ListeningServers(directory, servers, wires);
    await Promise.all(servers.map((server) => server.start()));
    return all;
  }

  async end(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.kill()));
    for (const wire of this.wires) wire.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  async run({ statement, url, headers, body }: Asked, signal: AbortSignal): Promise<Said> {
    // The `local` program has no queue of statements for all servers.
    if (/ ON CLUSTER \w+/.test(statement)) {
      const own = statement.replace(/ ON CLUSTER \w+/g, "");
      let said: Said | null = null;
      for (const server of this.servers) {
        said = await saidBy(`${server.url}${url}`, {}, own, signal);
        if (said.status !== 200) break;
      }
      if (said !== null) return said;
    }
    return await saidBy(`${this.servers[0]?.url}${url}`, headers, body, signal);
  }

  async pathsWith(text: string): Promise<string[]> {
    const found = await Promise.all(this.servers.map(({ data, url }) => pathsIn(data, text, async (query) => (await saidBy(`${url}/`, {}, query)).text)));
    return found.flat();
  }
}

/** Each statement has a connection of its own: one that is kept may be closed by the server while this busy process sends a statement on it. */
function saidBy(url: string, headers: Readonly<Record<string, string>>, body: string | Buffer, signal?: AbortSignal): Promise<Said> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers, agent: false, ...(signal === undefined ? {} : { signal }) }, (response) => {
      const passed = Object.entries(response.headers).filter(([name]) => name.startsWith("x-clickhouse"));
      const said = (text: string) => ({ status: response.statusCode ?? 500, headers: Object.fromEntries(passed) as Record<string, string>, text });
      readText(response).then((text) => resolve(said(text)), reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function configOf({ directory, data, ports }: ListeningServer, shardPorts: readonly number[]): string {
  const shardAt = (port: number) => `<shard><internal_replication>true</internal_replication><replica><host>${HOST}</host><port>${port}</port></replica></shard>`;
  const clusters = {
    [CLUSTER]: shardPorts.map(shardAt),
    [HALF_CLUSTER]: shardPorts.map((port, at) => shardAt(at === 0 ? port : NO_PORT)),
  };
  const named = Object.entries(clusters).map(([name, shards]) => `<${name}>${shards.join("")}</${name}>`);
  const log = `<logger><level>error</level><log>${directory}/server.log</log><errorlog>${directory}/error.log</errorlog></logger>`;
  const listens = `<listen_host>${HOST}</listen_host><tcp_port>${ports.tcp}</tcp_port><http_port>${ports.http}</http_port>`;
  return `<clickhouse>${listens}${log}<path>${data}/</path><mark_cache_size>${2 ** 26}</mark_cache_size>
    <max_server_memory_usage>${3 * 2 ** 30}</max_server_memory_usage><remote_servers>${named.join("")}</remote_servers></clickhouse>`;
}

async function freePorts(count: number): Promise<number[]> {
  const listeners = await Promise.all(Array.from({ length: count }, () => new Promise<ReturnType<typeof createServer>>((resolve) => {
    const listener = createServer();
    listener.listen(0, HOST, () => resolve(listener));
  })));
  const ports = listeners.map((listener) => (listener.address() as AddressInfo).port);
  await Promise.all(listeners.map((listener) => new Promise((resolve) => listener.close(resolve))));
  return ports;
}
