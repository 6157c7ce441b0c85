import type { LostPages } from "./file-content.js";
import type { DiskOperation } from "./simulated-disk.js";

/** An operation that rejects. */
export interface FailingFault {
  /** EIO, ENOSPC, EMFILE, … */
  readonly errno: string;
  /** Of a failed sync: what becomes of the changes. Default `kept`. */
  readonly pages?: LostPages;
  /** Of a failed write: bytes that reached the file all the same. Default 0. */
  readonly takenByteLength?: number;
}

/** A read or write of at most so many bytes, which is no error. */
export interface ShortFault {
  readonly byteLengthMax: number;
}

/** How an operation goes wrong. */
export type Fault = FailingFault | ShortFault;

/** Decides before each operation, reads and opens too, whether and how it fails. @param index operations before it */
export type Faults = (operation: DiskOperation, index: number) => Fault | null;

export const noFaults: Faults = () => null;

/** The operation `at` fails. */
export function failOnce(at: number, fault: Fault): Faults {
  return (_, index) => (index === at ? fault : null);
}

/** The operation `at` fails, and every later one that `concerns` it. */
export function failFrom(at: number, fault: Fault, concerns: (operation: DiskOperation) => boolean = () => true): Faults {
  return (operation, index) => (index >= at && concerns(operation) ? fault : null);
}
