import fs from "node:fs";
import os from "node:os";

/** One process as it can be recognized later. All texts are of `[a-zA-Z0-9.-]`, empty where the machine does not tell. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process: tells it from a later one with the same pid. */
  readonly startTime: string;
  /** Changes with every boot. */
  readonly bootId: string;
  readonly host: string;
}

/** Who we are, and who is still running. */
export interface ProcessTable {
  readonly current: ProcessIdentity;
  /** False only if the process has certainly ended; one of another host counts as running. */
  isRunning(process: ProcessIdentity): boolean;
}

function readText(path: string): string {
  try {
    return fs.readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** State letter and start time of `/proc/<pid>/stat`; the command in parentheses may hold anything, also `)`. */
function procStat(pid: number): { state: string; startTime: string } | null {
  const text = readText(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, startTime] = [fields[0], fields[19]];
  return state === undefined || startTime === undefined ? null : { state, startTime };
}

function signalReaches(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

const plain = (text: string) => text.trim().replace(/[^a-zA-Z0-9.-]/g, "-").slice(0, 64);

function currentIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    startTime: plain(procStat(process.pid)?.startTime ?? ""),
    bootId: plain(readText("/proc/sys/kernel/random/boot_id")).slice(0, 8),
    host: plain(os.hostname()),
  };
}

const differ = (a: string, b: string) => a !== "" && b !== "" && a !== b;

/** The processes of this machine. */
export function machineProcesses(): ProcessTable {
  const current = currentIdentity();
  return {
    current,
    isRunning(other) {
      if (other.host !== current.host) return true;
      if (differ(other.bootId, current.bootId) || !signalReaches(other.pid)) return false;
      const found = procStat(other.pid);
      // A zombie has ended and holds nothing; only its parent has not asked yet.
      return found === null || (found.state !== "Z" && !differ(found.startTime, other.startTime));
    },
  };
}

/** `4242~812345~1b2c3d4e~host`: an identity as part of a file name. */
export function identityText({ pid, startTime, bootId, host }: ProcessIdentity): string {
  return `${pid}~${startTime}~${bootId}~${host}`;
}
