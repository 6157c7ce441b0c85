/** Who a process is, as the process table of a file storage asks. */
export interface SimulatedIdentity {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
  readonly host: string;
}

/** For `fileStorage(…, { processes })`: the process of one life of a store. All of other lives have ended. */
export function simulatedProcess(life: number): { readonly current: SimulatedIdentity; isRunning(other: SimulatedIdentity): boolean } {
  const current = { pid: life, startTime: String(life), bootId: "boot", host: "simulated" };
  return { current, isRunning: ({ pid }) => pid === life };
}
