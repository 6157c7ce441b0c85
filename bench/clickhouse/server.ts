import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Server {
  readonly url: string;
  /** Time of processors that it took so far; NaN where there is no /proc. */
  cpuMs(): number;
  stop(): Promise<void>;
}

/** In which Linux tells the time of a process. */
const TICK_MS = 10;

/** ClickHouse of the tests, in a process of its own, over tables that stay in a directory. */
export async function startServer(directory: string): Promise<Server> {
  mkdirSync(directory, { recursive: true });
  const program = fileURLToPath(new URL("../../test/clickhouse/server/main.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", program, directory], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const cpuMs = () => {
    const path = `/proc/${child.pid ?? 0}/stat`;
    if (!existsSync(path)) return Number.NaN;
    const [, user = "", system = ""] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(readFileSync(path, "utf8")) ?? [];
    return (Number(user) + Number(system)) * TICK_MS;
  };
  const stop = async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
  };
  return { url: line.replace("listening on ", ""), cpuMs, stop };
}
