import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Where ClickHouse answers, by worker. */
    readonly clickhouse: readonly string[];
  }
}

/** The program of a server. */
export const SERVER = fileURLToPath(new URL("server/main.ts", import.meta.url));

/** Starts ClickHouse for each worker, and ends it behind all tests. */
export async function setup({ config, provide }: TestProject): Promise<() => Promise<void>> {
  const servers = await Promise.all(Array.from({ length: config.maxWorkers }, startServer));
  provide("clickhouse", servers.map(({ url }) => url));
  return async () => {
    await Promise.all(servers.map(({ end }) => end()));
  };
}

async function startServer() {
  const server = spawn(process.execPath, ["--import", "tsx", SERVER], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface(server.stdout), "line")) as [string];
  const end = async () => {
    server.kill("SIGTERM");
    if (server.exitCode === null) await once(server, "exit");
  };
  return { url: line.replace("listening on ", ""), end };
}
