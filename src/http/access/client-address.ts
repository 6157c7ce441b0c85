import { parameterError } from "../../core/base/errors.js";
import type { WireRequest } from "../wire/request-reply.js";

interface Network {
  /** 4 or 16 bytes. */
  readonly bytes: Uint8Array;
  readonly prefixBits: number;
}

/** An IPv4 address mapped to IPv6. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Finds the address of a request's caller; undefined if the transport provides none. */
export type ClientAddress = (request: Pick<WireRequest, "address" | "header">) => string | undefined;

/**
 * Returns a function that finds a caller's address: that of the connection or, if that is a trusted proxy, the last one in X-Forwarded-For
 * that is not a trusted proxy. The caller may have forged earlier ones.
 * @param proxies addresses or networks: `10.0.0.1`, `127.0.0.1/8`, `fd00::/8`
 * @throws invalid_parameter
 */
export function clientAddress(proxies: readonly string[]): ClientAddress {
  if (!Array.isArray(proxies)) throw parameterError("invalid_parameter", "trustProxy", "expected a list of addresses or networks");
  const networks = proxies.map((text, at) => parseNetwork(text, `trustProxy[${at}]`));
  if (networks.length === 0) return ({ address }) => address;
  const isTrusted = (bytes: Uint8Array | null) => networks.some((network) => isInNetwork(bytes, network));
  // The last proxy is cached, because a few proxies open most connections.
  let proxy: string | null = null;
  return (request) => {
    const { address } = request;
    if (address === undefined) return address;
    if (address !== proxy && !isTrusted(parseAddress(address))) return address;
    proxy = address;
    return forwardedAddress(request.header("x-forwarded-for") ?? "", address, isTrusted);
  };
}

/** The last address in a header that is not a proxy's; if all are, the first one after any invalid entry; if none is valid, `connection`. */
function forwardedAddress(header: string, connection: string, isTrusted: (bytes: Uint8Array | null) => boolean): string {
  let caller = connection;
  for (let end = header.length; end >= 0; ) {
    const start = header.lastIndexOf(",", end - 1) + 1;
    const address = bareAddress(header.slice(start, end).trim());
    const bytes = parseAddress(address);
    // Entries before an invalid one cannot be trusted.
    if (bytes === null) return caller;
    caller = address;
    if (!isTrusted(bytes)) return caller;
    end = start - 1;
  }
  return caller;
}

function parseNetwork(text: string, at: string): Network {
  const [address = "", bits, ...rest] = String(text).split("/");
  const bytes = parseAddress(address);
  const prefixBits = bits === undefined ? (bytes?.length ?? 0) * 8 : Number(bits);
  if (bytes === null || rest.length > 0 || bits === "" || !Number.isInteger(prefixBits) || prefixBits < 0 || prefixBits > bytes.length * 8)
    throw parameterError("invalid_parameter", at, `expected an address or a network such as 127.0.0.1/8 or fd00::/8, got ${JSON.stringify(text)}`);
  return { bytes, prefixBits };
}

function isInNetwork(address: Uint8Array | null, { bytes, prefixBits }: Network): boolean {
  if (address === null || address.length !== bytes.length) return false;
  for (let bit = 0; bit < prefixBits; bit += 8) {
    const mask = 0xff00 >> Math.min(8, prefixBits - bit);
    if ((((address[bit >> 3] ?? 0) ^ (bytes[bit >> 3] ?? 0)) & mask & 0xff) !== 0) return false;
  }
  return true;
}

/** Removes port and brackets, which some proxies add. */
function bareAddress(text: string): string {
  if (!text.includes(":") && !text.startsWith("[")) return text;
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1];
  return bracketed ?? (/^\d+\.\d+\.\d+\.\d+:\d+$/.test(text) ? text.slice(0, text.indexOf(":")) : text);
}

/** 4 bytes of an IPv4 address, also a mapped one, or 16 of an IPv6 address; null: the text is not an address. */
function parseAddress(text: string): Uint8Array | null {
  const address = text.startsWith(":") ? (MAPPED.exec(text)?.[1] ?? text) : text;
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(address)) {
    const parts = address.split(".").map(Number);
    return parts.every((part) => part <= 255) ? new Uint8Array(parts) : null;
  }
  const [bare = ""] = address.split("%");
  if (!/^[0-9a-f:.]+$/i.test(bare) || !bare.includes(":")) return null;
  return parseIpv6(bare);
}

function parseIpv6(text: string): Uint8Array | null {
  // A last part in IPv4 notation stands for two groups.
  const last = text.slice(text.lastIndexOf(":") + 1);
  const embedded = last.includes(".") ? parseAddress(last) : null;
  if (last.includes(".") && embedded === null) return null;
  const [head = "", tail, ...more] = text.slice(0, embedded === null ? undefined : text.lastIndexOf(":") + 1).split("::");
  if (more.length > 0) return null;
  const [front, back] = [parseGroups(head), parseGroups(tail ?? "")];
  if (front === null || back === null) return null;
  const end = [...back, ...(embedded ?? [])];
  const missing = 16 - front.length - end.length;
  if (tail === undefined ? missing !== 0 : missing < 2) return null;
  return Uint8Array.from([...front, ...new Array<number>(missing).fill(0), ...end]);
}

function parseGroups(text: string): number[] | null {
  if (text === "") return [];
  const groups = text.replace(/:$/, "").split(":");
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  return groups.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255]);
}

/** 16-bit groups that identify an IPv6 network: one caller has all addresses in it. */
const NETWORK_GROUPS = 4;

/** An IPv4 address itself, or the first 64 bits of an IPv6 address. Not from `parseAddress`, which takes microseconds for each request. */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [before = "", after] = address.split("::");
  const groups = before === "" ? [] : before.split(":");
  if (after !== undefined) {
    const last = after === "" ? 0 : after.split(":").length;
    while (groups.length < Math.min(NETWORK_GROUPS, 8 - last)) groups.push("0");
    groups.push(...after.split(":"));
  }
  return groups.slice(0, NETWORK_GROUPS).join(":");
}
