import { isFull } from "../../store/storage/is-full.js";
import type { Store, StoreOptions } from "../../store/live/store.js";

/** Opens what found no room to be opened for writing: with the reserve, else for reading alone. @throws the error, if nothing is there */
export async function openWhenFull(options: StoreOptions, error: unknown, open: (options: StoreOptions) => Promise<Store>): Promise<Store> {
  try {
    if (options.storage.reserve !== undefined) return await options.storage.reserve.use(() => open(options));
  } catch (again) {
    if (!isFull(again)) throw again;
  }
  return await open({ ...options, readOnly: true, quarantine: false, full: error }).catch(() => Promise.reject(error));
}
