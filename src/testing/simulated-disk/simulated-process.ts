/** The identity of a process, as the process table of a file storage uses it. */
export interface SimulatedIdentity {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly host: string;
}

/** The state of processes of other lives. `unknown`: they cannot be seen, as in another container. */
export type SimulatedState = "ended" | "unknown";

/** For `fileStorage(…, { processes })`: the process of one life of a store. Processes of other lives have ended, unless `others` differs. */
export function simulatedProcess(
  life: number,
  others: SimulatedState = "ended",
): { readonly current: SimulatedIdentity; stateOf(other: SimulatedIdentity): SimulatedState | "running" } {
  const current = { pid: life, startTime: String(life), bootId: "boot", pidNamespace: "1", host: "simulated" };
  return { current, stateOf: ({ pid }) => (pid === life ? "running" : others) };
}
