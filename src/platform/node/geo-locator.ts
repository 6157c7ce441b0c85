import { readFile } from "node:fs/promises";
import type { Place } from "../../http/index.js";

/** The members of a database entry that are read; country and city databases differ. */
interface GeoEntry {
  readonly country?: { readonly iso_code?: string };
  /** In some country databases. */
  readonly country_code?: string;
  readonly subdivisions?: readonly { readonly names?: { readonly en?: string } }[];
  readonly city?: { readonly names?: { readonly en?: string } };
}

interface Database {
  readonly metadata: { readonly ipVersion: number };
  get(address: string): object | null;
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Locates addresses with a database in MaxMind's format, which is loaded into memory. Names are English.
 * @throws the system's error if the file cannot be read, Error if it is not such a database
 */
export async function geoLocator(path: string): Promise<(address: string) => Place> {
  const bytes = await readFile(path);
  // Lazy: most programs locate no addresses.
  const { Reader } = await import("mmdb-lib");
  let reader: Database;
  try {
    reader = new Reader(bytes);
  } catch (error) {
    throw new Error(`${path}: expected a database in MaxMind's format (.mmdb)`, { cause: error });
  }
  return (address) => placeOf(entryOf(reader, address));
}

function entryOf(reader: Database, address: string): GeoEntry | null {
  const bare = MAPPED.exec(address)?.[1] ?? address;
  // The library would match the first bits of an IPv6 address with IPv4 entries.
  if (bare.includes(":") && reader.metadata.ipVersion === 4) return null;
  try {
    // Databases differ, so every member is optional.
    return reader.get(bare) as GeoEntry | null;
  } catch {
    // Not an address.
    return null;
  }
}

function placeOf(entry: GeoEntry | null): Place {
  const country = entry?.country?.iso_code ?? entry?.country_code;
  const region = entry?.subdivisions?.[0]?.names?.en;
  const city = entry?.city?.names?.en;
  return { ...(country === undefined ? {} : { country }), ...(region === undefined ? {} : { region }), ...(city === undefined ? {} : { city }) };
}
