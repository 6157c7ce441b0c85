import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Where ClickHouse answers. */
    readonly clickhouse: string;
  }
}

/** The program of a server. */
export const SERVER = fileURLToPath(new URL("server/main.ts", import.meta.url));

/** Starts ClickHouse for all tests, and ends it behind them. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = spawn(process.execPath, ["--import", "tsx", SERVER], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface(server.stdout), "line")) as [string];
  provide("clickhouse", line.replace("listening on ", ""));
  return async () => {
    server.kill("SIGTERM");
    if (server.exitCode === null) await once(server, "exit");
  };
}
