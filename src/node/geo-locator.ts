import { readFile } from "node:fs/promises";
import type { Place } from "../http/index.js";

/** What databases of countries and of cities have of an address, as far as it is read. */
interface GeoEntry {
  readonly country?: { readonly iso_code?: string };
  /** As some databases of countries alone have it. */
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
 * Tells where addresses are, by a database in MaxMind's format, which is in memory as a whole. Names are English.
 * @throws the system's error where the file cannot be read, Error where it is no such database
 */
export async function geoLocator(path: string): Promise<(address: string) => Place> {
  const bytes = await readFile(path);
  // Most programs never look for a place.
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
  // The library would look for the first bits of a long address among short ones.
  if (bare.includes(":") && reader.metadata.ipVersion === 4) return null;
  try {
    // Databases differ: each member is looked for.
    return reader.get(bare) as GeoEntry | null;
  } catch {
    // Of what is no address nobody knows where it is.
    return null;
  }
}

function placeOf(entry: GeoEntry | null): Place {
  const country = entry?.country?.iso_code ?? entry?.country_code;
  const region = entry?.subdivisions?.[0]?.names?.en;
  const city = entry?.city?.names?.en;
  return { ...(country === undefined ? {} : { country }), ...(region === undefined ? {} : { region }), ...(city === undefined ? {} : { city }) };
}
