import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

export interface Served {
  readonly port: number;
  /** Time of processors that it has taken, in ms; NaN where the system does not tell. */
  cpuMs(): number;
  stop(): Promise<void>;
}

/** A server of its own process, from the built package, that lets owners with these tokens in, and others by entries. It ends with this one. */
export async function serve(directory: string, tokens: readonly string[], args: readonly string[] = [], others: readonly object[] = []): Promise<Served> {
  const tokenFile = `${directory}-tokens.json`;
  writeFileSync(tokenFile, JSON.stringify([...tokens.map((token) => ({ token, role: "owner", scopes: ["*"] })), ...others]));
  return await listening([cli, "serve", "--quiet", "--data", directory, "--port", "0", "--tokens", tokenFile, ...args]);
}

/** The plainest server that collects beacons, of its own process. */
export async function servePlainCollector(path: string): Promise<Served> {
  return await listening(["--import", "tsx", fileURLToPath(new URL("plain-collector.ts", import.meta.url)), path]);
}

async function listening(args: readonly string[]): Promise<Served> {
  const { DAYBOOK_TOKEN: _, ...env } = process.env;
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /listening on http:\/\/[^:]+:(\d+)$/.exec(line)?.[1];
    if (port === undefined) continue;
    const stop = async () => {
      child.kill("SIGTERM");
      await ended;
      process.off("exit", kill);
    };
    return { port: Number(port), cpuMs: () => cpuMsOf(child.pid ?? 0), stop };
  }
  throw new Error("the server ended before it listened");
}

/** Ticks of /proc are of 10 ms. */
const TICK_MS = 10;

function cpuMsOf(pid: number): number {
  try {
    // Behind the name of the program, which may hold anything; then the 14th and 15th of all fields.
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return NaN;
  }
}
