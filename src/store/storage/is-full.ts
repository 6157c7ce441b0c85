import { DaybookError } from "../../core/base/errors.js";

/** Whether an error means that the storage is full. */
export function isFull(error: unknown): boolean {
  return error instanceof DaybookError && error.code === "storage_full";
}
