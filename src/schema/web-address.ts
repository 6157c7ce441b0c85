import { LIMITS } from "../base/limits.js";

/** Where a page is: what `url` and `hostname` of an event hold. */
export interface WebAddress {
  readonly url: string;
  /** Without port; absent where the address does not tell it. */
  readonly hostname?: string;
}

const HTTP = /^https?:\/\//i;
/** Up to the last `@` before the path. */
const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i;

/**
 * Path and query of an http(s) address, and its host; any other address stays as it is. User and password are left out of all.
 * Cost: some µs; an address that begins with `/` is a path already and need not be asked about.
 */
export function splitAddress(address: string): WebAddress {
  // Texts that are refused must reach those who refuse them.
  if (address.length > LIMITS.fieldTextBytes || !address.isWellFormed()) return { url: address };
  if (HTTP.test(address)) {
    try {
      const { pathname, search, hostname } = new URL(address);
      return { url: `${pathname}${search}`, hostname };
    } catch {
      // No address that a browser would open.
    }
  }
  return { url: address.replace(USER_INFO, "$1") };
}
