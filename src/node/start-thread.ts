import { Worker, type WorkerOptions } from "node:worker_threads";

const isInputType = (argument: string) => argument.startsWith("--input-type");

/**
 * A thread of a file. It has what node was started with; but a file does not take its program from the command line, and flags of V8, which
 * hold for the whole process, are refused where they are named.
 */
export function startThread(entry: URL, options: Omit<WorkerOptions, "execArgv"> = {}): Worker {
  if (!process.execArgv.some(isInputType)) return new Worker(entry, options);
  try {
    return new Worker(entry, { ...options, execArgv: process.execArgv.filter((argument) => !isInputType(argument)) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_WORKER_INVALID_EXEC_ARGV") throw error;
    return new Worker(entry, { ...options, execArgv: [] });
  }
}
