import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { geoLocator } from "../../../src/platform/node/index.js";

/** Countries by address, under CC0. */
const COUNTRIES = createRequire(import.meta.url).resolve("@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb");

test("an address is where the database says, of both kinds, and nowhere where it says nothing", async () => {
  const locate = await geoLocator(COUNTRIES);
  expect(locate("193.99.144.80")).toEqual({ country: "DE" });
  expect(locate("2001:4860:4860::8888")).toEqual({ country: "US" });
  expect(locate("10.0.0.1")).toEqual({});
  expect(locate("")).toEqual({});
  expect(locate("no address")).toEqual({});
});

test("an address of IPv4 in the form of IPv6 is the same, and a database of IPv4 alone says nothing of others", async () => {
  const locate = await geoLocator(COUNTRIES.replace("country.mmdb", "country-ipv4.mmdb"));
  expect(locate("193.99.144.80")).toEqual({ country: "DE" });
  expect(locate("::ffff:193.99.144.80")).toEqual({ country: "DE" });
  expect(locate("2a02:908::1")).toEqual({});
  expect((await geoLocator(COUNTRIES))("2a02:908::1")).toEqual({ country: "DE" });
});

test("what is no database is refused by name", async () => {
  await expect(geoLocator(fileURLToPath(import.meta.url))).rejects.toThrow(/geo-locator\.test\.ts: expected a database in MaxMind's format/);
});
