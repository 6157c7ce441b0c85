import { isFull } from "../../store/storage/is-full.js";
import type { Store, StoreOptions } from "../../store/live/store.js";

/** Opens a store that a full disk kept from opening for writing: with the reserve, else read-only. @throws `error`, if that fails too */
export async function openWhenFull(options: StoreOptions, error: unknown, open: (options: StoreOptions) => Promise<Store>): Promise<Store> {
  try {
    if (options.storage.reserve !== undefined) return await options.storage.reserve.use(() => open(options));
  } catch (again) {
    if (!isFull(again)) throw again;
  }
  return await open({ ...options, readOnly: true, quarantine: false, full: error }).catch(() => Promise.reject(error));
}
