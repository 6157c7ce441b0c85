import { LIMITS } from "../base/limits.js";
import { utf8Length } from "./metadata.js";

/** The location of a page, as stored in an event's `url` and `hostname`. */
export interface WebAddress {
  readonly url: string;
  /** Without port; absent if the address does not contain it. */
  readonly hostname?: string;
}

/** Characters that browsers strip from an address before parsing it. */
const UNREAD = /^[\0- ]+|[\0- ]+$|[\t\n\r]+/g;
/** Captures path and query as written. */
const HTTP = /^https?:[/\\]*[^/\\?#]*([^#]*)/i;
/** The common case: a named host and a path of characters that browsers leave as they are. */
const PLAIN = /^https?:\/\/((?:[a-z0-9-]+\.)*[a-z]+)(\/(?:[!-"$-.0-[\]-~][!-"$-[\]-~]*)?)$/;
/** Browsers validate names with this prefix. */
const PUNYCODE = "xn--";
/** Browsers accept a user after any slashes for five schemes, after two for others. A scheme may follow another: `view-source:http://`. */
const BEFORE_USER: readonly RegExp[] = [
  /^(?:[^/\\?#]*?[^a-z0-9+.\-/\\?#])??(?:https?|wss?|ftp):[/\\]*/i,
  /^(?:[^/\\?#]*:|[^\p{L}\p{N}/\\?#]*)[/\\]{2,}/u,
];
const PORT_MAX = 65_535;

const [SLASH, BACKSLASH] = [0x2f, 0x5c];

/** Whether an address is only a path. Browsers treat two leading slashes as the start of a host, and ignore the characters in `UNREAD`. */
export function isPath(address: string): boolean {
  const second = address.charCodeAt(1);
  return address.charCodeAt(0) === SLASH && second !== SLASH && second !== BACKSLASH && second !== 0x09 && second !== 0x0a && second !== 0x0d;
}

/** Path and host of an http(s) address; any other stays whole. Removes user and password from all. Cost: a few µs, nothing for a path. */
export function splitAddress(address: string): WebAddress {
  // Leave invalid texts unchanged, so that validation rejects them.
  if (isPath(address) || isRefused(address)) return { url: address };
  const [, host = PUNYCODE, plainPath = ""] = PLAIN.exec(address) ?? [];
  if (!host.includes(PUNYCODE)) return { url: plainPath, hostname: host };
  const cleaned = withoutUser(address);
  const read = cleaned.replace(UNREAD, "");
  const [, path] = HTTP.exec(read) ?? [];
  const hostname = path === undefined ? null : hostnameOf(read);
  if (path === undefined || hostname === null) return { url: cleaned };
  const url = path.startsWith("/") ? path : `/${path.charCodeAt(0) === BACKSLASH ? path.slice(1) : path}`;
  // A path that starts with two slashes would be parsed as a host if sent again on its own.
  return { url: isPath(url) ? url : withoutUser(url), hostname };
}

/** A referrer as sent, without user and password. Free for a text without `@`. */
export function referrerOf(address: string): string {
  return address.includes("@") && !isRefused(address) ? withoutUser(address) : address;
}

export function withoutUser(address: string): string {
  const read = address.replace(UNREAD, "");
  const before = BEFORE_USER.map((pattern) => pattern.exec(read)?.[0]).find((text) => text !== undefined);
  if (before === undefined) return address;
  const rest = read.slice(before.length);
  const [authority = ""] = rest.split(/[/\\?#]/, 1);
  const lastAt = authority.lastIndexOf("@");
  // If the password has an unescaped slash, the part before it looks like a port but is not a valid one.
  const isWhole = authority === "" || isHostText(authority.slice(lastAt + 1));
  const at = isWhole ? lastAt : rest.lastIndexOf("@");
  return at < 1 ? address : before + rest.slice(at + 1);
}

/** Whether a text may be a host with or without a port, as far as it can be distinguished from a password. */
function isHostText(text: string): boolean {
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

/** Null for addresses that no browser would open. */
function hostnameOf(address: string): string | null {
  try {
    return new URL(address).hostname;
  } catch {
    return null;
  }
}

/** Maximum length of a host name (RFC 1035). Longer hosts match no source: lists are searched label by label. */
const HOST_CHARS_MAX = 253;
/** Schemes of addresses that identify a page on a host, or an app by its package or number. */
const SOURCE_SCHEMES = new Set(["http:", "https:", "android-app:", "ios-app:"]);
const NO_HOST = /[\s/\\?#@]/;
const BARE_IPV6 = /^[^[\]:]*:[^[\]:]*:[^[\]]*$/;
/** Most hosts, in which only `www.` has to be stripped; and app numbers, which a browser would parse as an IP address. */
const PLAIN_HOST = /^(?:(?:[a-z0-9-]+\.)*[a-z]+|\d+)$/;

/** The normalized host or app package that a referrer names; `""` for anything else. Cost: a few µs. */
export function sourceOfReferrer(referrer: string): string {
  const url = readUrl(referrer);
  return url !== null && SOURCE_SCHEMES.has(url.protocol) ? sourceHost(url.hostname) : "";
}

/** The normalized host of a referrer with any scheme; `""` if it has none. Cost: a few µs. */
export function referrerDomainOf(referrer: string): string {
  return sourceHost(readUrl(referrer)?.hostname ?? "");
}

/** As browsers write hosts, without port, final dot or leading `www.`; other text is lower-cased and stripped. Cost: a few µs at most. */
export function comparedHost(host: string): string {
  const text = host.trim();
  return bareHost(PLAIN_HOST.test(text) ? text : (readHost(text) ?? text.replace(/:\d*$/, "")));
}

/** Whether a text is a host, with or without a port. */
export function isHost(text: string): boolean {
  return readHost(text.trim()) !== null;
}

function readHost(text: string): string | null {
  return NO_HOST.test(text) ? null : (readUrl(`http://${BARE_IPV6.test(text) ? `[${text}]` : text}`)?.hostname ?? null);
}

function sourceHost(host: string): string {
  const bare = bareHost(host);
  return bare.length > HOST_CHARS_MAX ? "" : bare;
}

function bareHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, "").replace(/^www\./, "");
}

/** Null for addresses that no browser would open. */
function readUrl(address: string): URL | null {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}
