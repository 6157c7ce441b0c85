import { areSameBytes } from "../../core/base/same-bytes.js";
import type { Storage } from "../storage/storage.js";

/** Bytes compared at the end of an object; they include its checksum, so they identify it. */
const END_BYTES = 64;

/** Detects changes of an object that is replaced as a whole and ends with a checksum, by reading only its end. */
export class WatchedObject {
  #length = 0;
  #end: Uint8Array | null = null;

  /** @param known the object as last read; null if it was missing */
  constructor(
    readonly storage: Storage,
    readonly key: string,
    known: Uint8Array | null,
  ) {
    this.saw(known);
  }

  /** Returns the object if it differs from the last seen one, with null bytes if it is gone; else null. Cost while unchanged: one short read. */
  async changed(): Promise<{ readonly bytes: Uint8Array | null } | null> {
    const bytes = this.#end === null ? await this.storage.read(this.key) : await this.#readChanged(this.#end);
    return bytes === "same" || (bytes === null && this.#end === null) ? null : { bytes };
  }

  /** Sets the last seen object. */
  saw(bytes: Uint8Array | null): void {
    this.#length = bytes?.length ?? 0;
    this.#end = bytes === null ? null : bytes.slice(Math.max(0, bytes.length - END_BYTES));
  }

  async #readChanged(end: Uint8Array): Promise<Uint8Array | null | "same"> {
    // Read one byte beyond the known end, so that a longer object differs.
    const found = await this.storage.read(this.key, { start: this.#length - end.length, end: this.#length + 1 });
    if (found !== null && areSameBytes(found, end)) return "same";
    return await this.storage.read(this.key);
  }
}
