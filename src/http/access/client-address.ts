import { parameterError } from "../../core/base/errors.js";
import type { WireRequest } from "../wire/exchange.js";

interface Network {
  /** 4 or 16 bytes. */
  readonly bytes: Uint8Array;
  readonly prefixBits: number;
}

const MAPPED_PROXY = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Finds the address of a request's caller; undefined if the transport provides none. */
export type ClientAddress = (request: Pick<WireRequest, "address" | "header">) => string | undefined;

/**
 * Finds callers' addresses: that of the connection or, if that is a named proxy, the last one in X-Forwarded-For that is no named proxy.
 * Earlier ones may be forged by the caller.
 * @param proxies addresses or networks: `10.0.0.1`, `127.0.0.1/8`, `fd00::/8`
 * @throws invalid_parameter
 */
export function clientAddress(proxies: readonly string[]): ClientAddress {
  if (!Array.isArray(proxies)) throw parameterError("invalid_parameter", "trustProxy", "expected a list of addresses or networks");
  const networks = proxies.map((text, at) => proxyNetworkOf(text, `trustProxy[${at}]`));
  if (networks.length === 0) return ({ address }) => address;
  const isTrusted = (bytes: Uint8Array | null) => networks.some((network) => isIn(bytes, network));
  // Cached because a few proxies make most connections. Other addresses are not remembered.
  let proxy: string | null = null;
  return (request) => {
    const { address } = request;
    if (address === undefined) return address;
    if (address !== proxy && !isTrusted(bytesOf(address))) return address;
    proxy = address;
    return toldAddress(request.header("x-forwarded-for") ?? "", address, isTrusted);
  };
}

/** The last address in a header that is no proxy's; otherwise the first valid proxy's after any invalid entry, or `own`. */
function toldAddress(header: string, own: string, isTrusted: (bytes: Uint8Array | null) => boolean): string {
  let told = own;
  for (let end = header.length; end >= 0; ) {
    const start = header.lastIndexOf(",", end - 1) + 1;
    const address = bareAddress(header.slice(start, end).trim());
    const bytes = bytesOf(address);
    // Entries before an invalid one cannot be trusted.
    if (bytes === null) return told;
    told = address;
    if (!isTrusted(bytes)) return told;
    end = start - 1;
  }
  return told;
}

function proxyNetworkOf(text: string, at: string): Network {
  const [address = "", bits, ...rest] = String(text).split("/");
  const bytes = bytesOf(address);
  const prefixBits = bits === undefined ? (bytes?.length ?? 0) * 8 : Number(bits);
  if (bytes === null || rest.length > 0 || bits === "" || !Number.isInteger(prefixBits) || prefixBits < 0 || prefixBits > bytes.length * 8)
    throw parameterError("invalid_parameter", at, `expected an address or a network such as 127.0.0.1/8 or fd00::/8, got ${JSON.stringify(text)}`);
  return { bytes, prefixBits };
}

function isIn(address: Uint8Array | null, { bytes, prefixBits }: Network): boolean {
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

/** 4 bytes of an IPv4 address, also a mapped one, or 16 of an IPv6 address; null: the text is no address. */
function bytesOf(text: string): Uint8Array | null {
  const address = text.startsWith(":") ? (MAPPED_PROXY.exec(text)?.[1] ?? text) : text;
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(address)) {
    const parts = address.split(".").map(Number);
    return parts.every((part) => part <= 255) ? new Uint8Array(parts) : null;
  }
  const [bare = ""] = address.split("%");
  if (!/^[0-9a-f:.]+$/i.test(bare) || !bare.includes(":")) return null;
  return ipv6Bytes(bare);
}

function ipv6Bytes(text: string): Uint8Array | null {
  // A last part in IPv4 notation stands for two groups.
  const last = text.slice(text.lastIndexOf(":") + 1);
  const embedded = last.includes(".") ? bytesOf(last) : null;
  if (last.includes(".") && embedded === null) return null;
  const [head = "", tail, ...more] = text.slice(0, embedded === null ? undefined : text.lastIndexOf(":") + 1).split("::");
  if (more.length > 0) return null;
  const [front, back] = [groupsOf(head), groupsOf(tail ?? "")];
  if (front === null || back === null) return null;
  const end = [...back, ...(embedded ?? [])];
  const missing = 16 - front.length - end.length;
  if (tail === undefined ? missing !== 0 : missing < 2) return null;
  return Uint8Array.from([...front, ...new Array<number>(missing).fill(0), ...end]);
}

function groupsOf(text: string): number[] | null {
  if (text === "") return [];
  const groups = text.replace(/:$/, "").split(":");
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  return groups.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255]);
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** 16-bit groups that identify an IPv6 network: one caller has all addresses in it. */
const NETWORK_GROUPS = 4;

/** The network of an address: an IPv4 address itself, or the first 64 bits of an IPv6 address. */
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
