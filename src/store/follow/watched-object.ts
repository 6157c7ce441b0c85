import { areSameBytes } from "../../base/same-bytes.js";
import type { Storage } from "../storage/storage.js";

/** Bytes at the end of an object that tell it from the one before: its checksum is among them. */
const END_BYTES = 64;

/** An object that is replaced as a whole now and then, and ends with a checksum: a look at its end tells whether it is still the same. */
export class WatchedObject {
  #length = 0;
  #end: Uint8Array | null = null;

  /** @param known the object as it was read last; null: there was none */
  constructor(
    readonly storage: Storage,
    readonly key: string,
    known: Uint8Array | null,
  ) {
    this.saw(known);
  }

  /** The object, where it is not the one that was seen last. Null bytes: it is gone. Cost: a read of some bytes while it is the same. */
  async changed(): Promise<{ readonly bytes: Uint8Array | null } | null> {
    const bytes = this.#end === null ? await this.storage.read(this.key) : await this.#readChanged(this.#end);
    return bytes === "same" || (bytes === null && this.#end === null) ? null : { bytes };
  }

  /** From now on this is the one that was seen last. */
  saw(bytes: Uint8Array | null): void {
    this.#length = bytes?.length ?? 0;
    this.#end = bytes === null ? null : bytes.slice(Math.max(0, bytes.length - END_BYTES));
  }

  async #readChanged(end: Uint8Array): Promise<Uint8Array | null | "same"> {
    // One byte more than there were: a longer one does not end the same.
    const found = await this.storage.read(this.key, { start: this.#length - end.length, end: this.#length + 1 });
    if (found !== null && areSameBytes(found, end)) return "same";
    return await this.storage.read(this.key);
  }
}
