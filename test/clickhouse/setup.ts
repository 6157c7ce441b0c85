import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Where ClickHouse answers, by worker: one server, and the first of two shards. */
    readonly clickhouse: readonly { readonly alone: string; readonly shards: string }[];
  }
}

/** The program of two shards. */
const SHARDS = fileURLToPath(new URL("server/shards.ts", import.meta.url));
/** The program of a server. */
export const SERVER = fileURLToPath(new URL("server/main.ts", import.meta.url));

/** Starts ClickHouse for each worker, and ends it behind all tests. */
export async function setup({ config, provide }: TestProject): Promise<() => Promise<void>> {
  const ofWorkers = await Promise.all(Array.from({ length: config.maxWorkers }, () => Promise.all([started(SERVER), started(SHARDS)])));
  provide("clickhouse", ofWorkers.map(([alone, shards]) => ({ alone: alone.url, shards: shards.url })));
  return async () => {
    await Promise.all(ofWorkers.flat().map(({ end }) => end()));
  };
}

async function started(program: string) {
  const server = spawn(process.execPath, ["--import", "tsx", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface(server.stdout), "line")) as [string];
  const end = async () => {
    server.kill("SIGTERM");
    if (server.exitCode === null) await once(server, "exit");
  };
  return { url: line.replace("listening on ", ""), end };
}
