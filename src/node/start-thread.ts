import { Worker, type WorkerOptions } from "node:worker_threads";

/** A class of ours: where a bundler meets `new Worker` with a file that it cannot tell, it takes every file of the package for one, and fails. */
class Thread extends Worker {}

/**
 * A thread of a file, with the flags of node. Where the program itself came from the command line (`--input-type`, which a thread of a file
 * refuses) they are named without that, and none are where one of them holds for the whole process. `--input-type` in `NODE_OPTIONS` is refused.
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
