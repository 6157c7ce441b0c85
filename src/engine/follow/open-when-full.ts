import { DaybookError } from "../../base/errors.js";
import type { Store, StoreOptions } from "../../store/live/store.js";

/**
 * Opens what found no room to be opened for writing: with the reserve, else for reading alone.
 * @throws the error, if it has another cause or nothing is there
 */
export async function openWhenFull(options: StoreOptions, error: unknown, open: (options: StoreOptions) => Promise<Store>): Promise<Store> {
  if (options.readOnly || !isFull(error)) throw error;
  try {
    if (options.storage.reserve !== undefined) return await options.storage.reserve.use(() => open(options));
  } catch (again) {
    if (!isFull(again)) throw again;
  }
  return await open({ ...options, readOnly: true, quarantine: false, full: error }).catch(() => Promise.reject(error));
}

function isFull(error: unknown): error is DaybookError {
  return error instanceof DaybookError && error.code === "storage_full";
}
