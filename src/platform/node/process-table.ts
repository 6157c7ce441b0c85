import fs from "node:fs";
import os from "node:os";

/** Identifies a process so that it can be recognized later. All texts match `[a-zA-Z0-9.-]*`, empty if the machine does not provide them. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process: distinguishes it from a later one with the same pid. */
  readonly startTime: string;
  /** Changes with every boot. */
  readonly bootId: string;
  /** The namespace in which the pid is valid: each container has its own. */
  readonly pidNamespace: string;
  /** For messages, and for machines without the other values: containers share host names, and laptops change theirs. */
  readonly host: string;
}

/** `unknown`: not visible from here, or not distinguishable from another process with the same pid. */
export type ProcessState = "running" | "ended" | "unknown";

/** This process's identity, and the state of other processes. */
export interface ProcessTable {
  readonly current: ProcessIdentity;
  /** `running` and `ended` only where that is certain. */
  stateOf(process: ProcessIdentity): ProcessState;
}

/** Looks up a pid; null if no process has it, or only one that has ended. */
export type PidLookup = (pid: number) => { readonly startTime: string } | null;

/** Whether two processes can see each other by pid. */
function canSee(a: ProcessIdentity, b: ProcessIdentity): boolean {
  if (a.pidNamespace !== "" && b.pidNamespace !== "") return a.pidNamespace === b.pidNamespace && a.bootId !== "" && a.bootId === b.bootId;
  // A machine without namespaces.
  const isOtherBoot = a.bootId !== "" && b.bootId !== "" && a.bootId !== b.bootId;
  return a.host === b.host && !isOtherBoot;
}

export function processTable(current: ProcessIdentity, lookUp: PidLookup): ProcessTable {
  return {
    current,
    stateOf(other) {
      if (!canSee(current, other)) return "unknown";
      const found = lookUp(other.pid);
      if (found === null) return "ended";
      if (found.startTime === "" || other.startTime === "") return "unknown";
      return found.startTime === other.startTime ? "running" : "ended";
    },
  };
}

function readText(path: string): string {
  try {
    return fs.readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function readLink(path: string): string {
  try {
    return fs.readlinkSync(path);
  } catch {
    return "";
  }
}

/** State letter and start time of `/proc/<pid>/stat`; the command in parentheses may contain anything, even `)`. */
function procStat(pid: number | "self"): { state: string; startTime: string } | null {
  const text = readText(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, startTime] = [fields[0], fields[19]];
  return state === undefined || startTime === undefined ? null : { state, startTime };
}

/** Whether `/proc` shows another pid namespace than ours, in which our pids belong to other processes. */
function isProcForeign(): boolean {
  const ownPids = /^NSpid:\s*(.*)$/m.exec(readText("/proc/self/status"))?.[1] ?? "";
  return ownPids.trim().split(/\s+/).length > 1;
}

function signalReaches(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

const sanitize = (text: string) => text.trim().replace(/[^a-zA-Z0-9.-]/g, "-").slice(0, 64);

function currentIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    startTime: sanitize(procStat("self")?.startTime ?? ""),
    bootId: sanitize(readText("/proc/sys/kernel/random/boot_id")).slice(0, 8),
    pidNamespace: sanitize(readLink("/proc/self/ns/pid").replace(/[^0-9]/g, "")),
    host: sanitize(os.hostname()),
  };
}

/** Cached: a host name that changes at run time must not make this process look like two. */
let current: ProcessIdentity | null = null;

export function machineProcesses(): ProcessTable {
  current ??= currentIdentity();
  const isProcOurs = !isProcForeign();
  return processTable(current, (pid) => {
    if (!signalReaches(pid)) return null;
    const found = isProcOurs ? procStat(pid) : null;
    // A zombie has ended and holds no lock; only its parent has not reaped it yet.
    return found?.state === "Z" ? null : { startTime: found?.startTime ?? "" };
  });
}

export function isSameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return identityText(a) === identityText(b);
}

/** `4242~812345~1b2c3d4e~4026531836+host`: an identity as part of a file name. */
export function identityText({ pid, startTime, bootId, pidNamespace, host }: ProcessIdentity): string {
  return `${pid}~${startTime}~${bootId}~${pidNamespace === "" ? "" : `${pidNamespace}+`}${host}`;
}
