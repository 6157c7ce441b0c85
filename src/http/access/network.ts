const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** Groups of 16 bits that name a network: one caller has all addresses behind them. */
const NETWORK_GROUPS = 4;

/** Whom an address belongs to: an IPv4 address as it is, of an IPv6 address the first 64 bits. */
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
