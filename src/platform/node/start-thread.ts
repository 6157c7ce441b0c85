import { Worker, type WorkerOptions } from "node:worker_threads";

/** A subclass: a bundler that finds `new Worker` with an unknown file treats every file of the package as a worker, and fails. */
class Thread extends Worker {}

/**
 * Starts a thread from a file, with Node's flags. If the program came from the command line (`--input-type`, which such a thread rejects), passes the
 * flags without that one, or none at all if one of them is process-wide. `--input-type` in `NODE_OPTIONS` is still rejected.
 * @throws the system's error
 */
export function startThread(entry: URL, options: Omit<WorkerOptions, "execArgv"> = {}): Worker {
  const flags = withoutInputType(process.execArgv);
  if (flags.length === process.execArgv.length) return new Thread(entry, options);
  try {
    return new Thread(entry, { ...options, execArgv: flags });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_WORKER_INVALID_EXEC_ARGV") throw error;
    return new Thread(entry, { ...options, execArgv: [] });
  }
}

function withoutInputType(flags: readonly string[]): string[] {
  return flags.filter((flag, at) => !flag.startsWith("--input-type") && flags[at - 1] !== "--input-type");
}
