/** Characters of a host name (RFC 1035). What is longer names no source: lists are searched label by label. */
const HOST_CHARS_MAX = 253;
/** Schemes of addresses that stand for a page on a host, or for an app by its package or number. */
const SOURCE_SCHEMES = new Set(["http:", "https:", "android-app:", "ios-app:"]);
/** What is no part of a host. */
const NO_HOST = /[\s/\\?#@]/;
/** An address of IPv6 without brackets. */
const BARE_IPV6 = /^[^[\]:]*:[^[\]:]*:[^[\]]*$/;
/** What most hosts are, in which nothing is to be changed but `www.`; and the number of an app, which a browser would take for an address. */
const PLAIN = /^(?:(?:[a-z0-9-]+\.)*[a-z]+|\d+)$/;

/** The host of a page, or the package of an app, that a referrer names, as hosts are compared; `""` for anything else. Cost: some µs. */
export function sourceOfReferrer(referrer: string): string {
  const url = readUrl(referrer);
  return url !== null && SOURCE_SCHEMES.has(url.protocol) ? sourceHost(url.hostname) : "";
}

/** The host of a referrer of any scheme, as hosts are compared; `""` where it names none. Cost: some µs. */
export function referrerDomainOf(referrer: string): string {
  return sourceHost(readUrl(referrer)?.hostname ?? "");
}

/**
 * A host as hosts are compared: as browsers write it (lower case, punycode, short IPv6 in brackets), without port, a final dot and a leading `www.`.
 * A text that is no host is only made lower case. Cost: some µs, less for what is plain.
 */
export function comparedHost(host: string): string {
  const text = host.trim();
  return bareHost(PLAIN.test(text) ? text : (readHost(text) ?? text.replace(/:\d*$/, "")));
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

/** Null for what no browser would open. */
function readUrl(address: string): URL | null {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}
