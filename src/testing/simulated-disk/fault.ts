import type { LostPages } from "./file-content.js";
import type { DiskOperation } from "./simulated-disk.js";

/** Makes an operation reject. */
export interface FailingFault {
  /** EIO, ENOSPC, EMFILE, … */
  readonly errno: string;
  /** For a failed sync: what happens to the changes. Default `kept`. */
  readonly pages?: LostPages;
  /** For a failed write: bytes that reach the file nevertheless. Default 0. */
  readonly takenByteLength?: number;
}

/** Limits a read or write to some bytes, which is not an error. */
export interface ShortFault {
  readonly byteLengthMax: number;
}

/** How an operation fails. */
export type Fault = FailingFault | ShortFault;

/** Decides before each operation, including reads and opens, whether and how it fails. @param index number of operations before it */
export type Faults = (operation: DiskOperation, index: number) => Fault | null;

export const noFaults: Faults = () => null;

/** Fails the operation with index `at`. */
export function failOnce(at: number, fault: Fault): Faults {
  return (_, index) => (index === at ? fault : null);
}

/** Fails the operation with index `at` and all later ones, if `concerns` selects them. */
export function failFrom(at: number, fault: Fault, concerns: (operation: DiskOperation) => boolean = () => true): Faults {
  return (operation, index) => (index >= at && concerns(operation) ? fault : null);
}
