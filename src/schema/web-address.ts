import { LIMITS } from "../base/limits.js";
import { utf8Length } from "./metadata.js";

/** Where a page is: what `url` and `hostname` of an event hold. */
export interface WebAddress {
  readonly url: string;
  /** Without port; absent where the address does not tell it. */
  readonly hostname?: string;
}

/** What browsers leave out of an address before they read it. */
const UNREAD = /^[\0- ]+|[\0- ]+$|[\t\n\r]+/g;
/** Path and query as they are written. */
const HTTP = /^https?:[/\\]*[^/\\?#]*([^#]*)/i;
/** What most addresses are: a host by name, then a path, in characters that browsers leave as they are. */
const PLAIN = /^https?:\/\/((?:[a-z0-9-]+\.)*[a-z]+)(\/(?:[!-"$-.0-[\]-~][!-"$-[\]-~]*)?)$/;
/** Browsers check names that begin like this. */
const PUNYCODE = "xn--";
/**
 * What stands before the user. Browsers read a user behind five schemes with any number of slashes, behind others with two.
 * Before the scheme there may be another, as in `view-source:http://`, and what programs put around addresses.
 */
const BEFORE_USER: readonly RegExp[] = [
  /^(?:[^/\\?#]*?[^a-z0-9+.\-/\\?#])??(?:https?|wss?|ftp):[/\\]*/i,
  /^(?:[^/\\?#]*:|[^\p{L}\p{N}/\\?#]*)[/\\]{2,}/u,
];
/** The last port there is. */
const PORT_MAX = 65_535;

const [SLASH, BACKSLASH] = [0x2f, 0x5c];

/** Whether an address is a path and nothing else. Browsers take two slashes for the beginning of a host, and do not see what is in `UNREAD`. */
export function isPath(address: string): boolean {
  const second = address.charCodeAt(1);
  return address.charCodeAt(0) === SLASH && second !== SLASH && second !== BACKSLASH && second !== 0x09 && second !== 0x0a && second !== 0x0d;
}

/**
 * Path and query of an http(s) address, as they are written, and its host; any other address stays as it is. User and password are
 * left out of all. Cost: some µs; less for what is plain, nothing for a path.
 */
export function splitAddress(address: string): WebAddress {
  // Texts that are refused must reach those who refuse them.
  if (isPath(address) || isRefused(address)) return { url: address };
  const [, host = PUNYCODE, plainPath = ""] = PLAIN.exec(address) ?? [];
  if (!host.includes(PUNYCODE)) return { url: plainPath, hostname: host };
  const told = withoutUser(address);
  const read = told.replace(UNREAD, "");
  const [, path] = HTTP.exec(read) ?? [];
  const hostname = path === undefined ? null : hostnameOf(read);
  if (path === undefined || hostname === null) return { url: told };
  const url = path.startsWith("/") ? path : `/${path.charCodeAt(0) === BACKSLASH ? path.slice(1) : path}`;
  // A path that begins with two slashes is read as a host when it comes again by itself.
  return { url: isPath(url) ? url : withoutUser(url), hostname };
}

/** Where somebody came from: as it was sent, without user and password. Cost: nothing for a text without `@`. */
export function referrerOf(address: string): string {
  return address.includes("@") && !isRefused(address) ? withoutUser(address) : address;
}

/** An address without user and password; one that has neither stays as it is. */
export function withoutUser(address: string): string {
  const read = address.replace(UNREAD, "");
  const before = BEFORE_USER.map((pattern) => pattern.exec(read)?.[0]).find((text) => text !== undefined);
  if (before === undefined) return address;
  const rest = read.slice(before.length);
  const [authority = ""] = rest.split(/[/\\?#]/, 1);
  const lastAt = authority.lastIndexOf("@");
  // Where a slash of the password is not escaped, its first part looks like a port that is none.
  const isWhole = authority === "" || isHost(authority.slice(lastAt + 1));
  const at = isWhole ? lastAt : rest.lastIndexOf("@");
  return at < 1 ? address : before + rest.slice(at + 1);
}

/** Whether it may be a host with or without a port, as far as a password can be told from one. */
function isHost(text: string): boolean {
  if (/[[\]]/.test(text)) return hostnameOf(`http://${text}`) !== null;
  const colon = text.indexOf(":");
  const port = text.slice(colon + 1);
  return colon === -1 ? text !== "" : /^\d+$/.test(port) && Number(port) <= PORT_MAX;
}

function isRefused(text: string): boolean {
  return isTooLong(text) || !text.isWellFormed();
}

function isTooLong(text: string): boolean {
  return text.length * 3 > LIMITS.fieldTextBytes && utf8Length(text) > LIMITS.fieldTextBytes;
}

/** Null for what no browser would open. */
function hostnameOf(address: string): string | null {
  try {
    return new URL(address).hostname;
  } catch {
    return null;
  }
}
