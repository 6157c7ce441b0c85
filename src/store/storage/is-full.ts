import { DaybookError } from "../../base/errors.js";

/** Whether it failed because there was no room. */
export function isFull(error: unknown): boolean {
  return error instanceof DaybookError && error.code === "storage_full";
}
