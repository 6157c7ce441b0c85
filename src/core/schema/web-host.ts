/** Maximum length of a host name (RFC 1035). Longer hosts match no source: lists are searched label by label. */
const HOST_CHARS_MAX = 253;
/** Schemes of addresses that identify a page on a host, or an app by its package or number. */
const SOURCE_SCHEMES = new Set(["http:", "https:", "android-app:", "ios-app:"]);
/** Characters that a host cannot contain. */
const NO_HOST = /[\s/\\?#@]/;
/** An IPv6 address without brackets. */
const BARE_IPV6 = /^[^[\]:]*:[^[\]:]*:[^[\]]*$/;
/** Most hosts, in which only `www.` has to be stripped; and app numbers, which a browser would parse as an IP address. */
const PLAIN = /^(?:(?:[a-z0-9-]+\.)*[a-z]+|\d+)$/;

/** The normalized host or app package that a referrer names; `""` for anything else. Cost: a few µs. */
export function sourceOfReferrer(referrer: string): string {
  const url = readUrl(referrer);
  return url !== null && SOURCE_SCHEMES.has(url.protocol) ? sourceHost(url.hostname) : "";
}

/** The normalized host of a referrer with any scheme; `""` if it has none. Cost: a few µs. */
export function referrerDomainOf(referrer: string): string {
  return sourceHost(readUrl(referrer)?.hostname ?? "");
}

/**
 * Normalizes a host for comparison: as browsers write it (lower case, punycode, short IPv6 in brackets), without port, final dot or leading `www.`.
 * A text that is not a host is lower-cased and stripped in the same way. Cost: a few µs, less for plain hosts.
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

/** Null for addresses that no browser would open. */
function readUrl(address: string): URL | null {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}
