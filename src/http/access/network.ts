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
