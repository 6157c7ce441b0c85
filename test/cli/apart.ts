import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import type { Running } from "./run.js";

export interface ApartOptions {
  readonly host: string;
  /** As in a container: pids of its own, and nobody outside is seen. */
  readonly pids?: boolean;
}

/** For `startProgram`: a command that runs another under a host name of its own, as root of a user namespace where we are not root. @throws Error where there are no namespaces */
export function apart({ host, pids = false }: ApartOptions): string[] {
  const flags = [...(process.getuid?.() === 0 ? [] : ["--map-root-user"]), "--uts", ...(pids ? ["--pid", "--fork", "--mount-proc", "--kill-child"] : [])];
  const command = ["unshare", ...flags, "sh", "-c", 'hostname "$0" && exec "$@"', host];
  try {
    execFileSync(command[0] ?? "", [...command.slice(1), "true"], { stdio: "pipe" });
  } catch (error) {
    throw new Error(`this test needs Linux namespaces (as root, or user namespaces), and the commands unshare and hostname: ${String(error)}`, { cause: error });
  }
  return command;
}

/** The pid of the program itself, of one that runs with pids of its own. */
export function innerPid({ child: { pid } }: Running): number {
  const inner = readdirSync("/proc").find((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  if (inner === undefined) throw new Error(`the process ${pid} has no child`);
  return Number(inner);
}

/** NaN where the process has ended meanwhile. */
function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return Number.NaN;
  }
}
