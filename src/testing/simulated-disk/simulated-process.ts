/** Who a process is, as the process table of a file storage asks. */
export interface SimulatedIdentity {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly host: string;
}

/** What has become of the process of another life. `unknown`: it cannot be seen, as in another container. */
export type SimulatedState = "ended" | "unknown";

/** For `fileStorage(…, { processes })`: the process of one life of a store. Those of other lives have ended, unless said otherwise. */
export function simulatedProcess(
  life: number,
  others: SimulatedState = "ended",
): { readonly current: SimulatedIdentity; stateOf(other: SimulatedIdentity): SimulatedState | "running" } {
  const current = { pid: life, startTime: String(life), bootId: "boot", pidNamespace: "1", host: "simulated" };
  return { current, stateOf: ({ pid }) => (pid === life ? "running" : others) };
}
