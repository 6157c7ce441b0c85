/** What node was started with, for a thread of a file: such a one does not take its program from the command line. */
export function threadArguments(): string[] {
  return process.execArgv.filter((argument) => !argument.startsWith("--input-type"));
}
