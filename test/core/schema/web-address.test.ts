import fc from "fast-check";
import { fixedClock, memoryStorage, openDaybook } from "daybook";
import { expect, test } from "vitest";
import { isPath, splitAddress, withoutUser } from "../../../src/core/schema/web-address.js";
import { baseSeed, caseCount } from "../../oracle/settings.js";

const characters = (text: string) => fc.constantFrom(...text);
const text = (allowed: string, maxLength: number, minLength = 0) => fc.string({ unit: characters(allowed), minLength, maxLength });

const scheme = fc.constantFrom("http", "https", "HTTPS", "hTTp");
const slashes = fc.constantFrom("//", "//", "//", "/", "", "///", "\\\\", "/\\");
const host = fc.constantFrom("shop.example", "localhost", "127.0.0.1", "[::1]", "Shop.Example", "bücher.example");
const port = fc.option(fc.integer({ min: 0, max: 65_535 }), { nil: null });
/** Never empty, so that it is seen wherever it turns up. */
const user = text("sü%@:!$&'()*+,;= ", 6).map((more) => `USER${more}`);
const password = fc.option(text("pö%@:!$&'()*+,;=", 6).map((more) => `${more}SECRET`), { nil: null });
const userInfo = fc.option(fc.tuple(user, password).map(([name, secret]) => (secret === null ? name : `${name}:${secret}`)), { nil: null });
const path = text("aü%/.~@:+ é", 12).map((more) => `/${more.trimEnd()}`);
const query = fc.option(text("aü%/.?@:&=\\é", 10).map((more) => `?${more}`), { nil: "" });
const fragment = fc.option(text("aü/#?@:", 8).map((more) => `#${more}`), { nil: "" });

const check = <T extends [unknown, ...unknown[]]>(arbitraries: { [K in keyof T]: fc.Arbitrary<T[K]> }, law: (...values: T) => void) =>
  fc.assert(fc.property<T>(...arbitraries, law), { seed: baseSeed, numRuns: caseCount(1_000) });

test("Of any whole address path and query are stored as they are written, the host as browsers read it, and nobody's name or password.", () =>
  check([scheme, slashes, userInfo, host, port, path, query, fragment], (its, between, who, at, number, where, asked, part) => {
    const address = `${its}:${between}${who === null ? "" : `${who}@`}${at}${number === null ? "" : `:${number}`}${where}${asked}${part}`;
    const split = splitAddress(address);
    // Two slashes at the beginning are read as a host when the path comes again by itself.
    const told = isPath(where) ? `${where}${asked}` : withoutUser(`${where}${asked}`);
    expect(split).toEqual({ url: told, hostname: new URL(`https://${at}`).hostname });
    expect(splitAddress(split.url)).toEqual({ url: split.url });
    expect(Buffer.byteLength(split.url)).toBeLessThanOrEqual(Buffer.byteLength(address));
  }));

test("Of addresses that no browser would open, or of other schemes, or of none, neither name nor password is left.", () =>
  check(
    [fc.constantFrom("http:", "https:", "ftp:", "app:", "postgres:", ""), text("ab/?#\\:%ü", 8), host, path, fc.constantFrom("", " ", "\n", "\t\0")],
    (its, odd, at, where, around) => {
      const address = `${around}${its}//USER:x${odd}SECRET@${at}${where.replaceAll(/[@ ]/g, "")}${around}`;
      const { url } = splitAddress(address);
      expect(url).not.toMatch(/USER|SECRET/);
      expect(withoutUser(address)).not.toMatch(/USER|SECRET/);
      expect(url.endsWith(where.replaceAll(/[@ ]/g, ""))).toBe(true);
    },
  ));

test("Hosts and paths of every letter are told as browsers read them.", () => {
  const label = fc.oneof(text("abz019-", 4, 1), fc.constantFrom("xn--bcher-kva", "xn--999", "0x7f", "1", "255", "com"));
  check([fc.constantFrom("http", "https"), fc.array(label, { minLength: 1, maxLength: 4 }), text("a1-._~!$&'()*+,;=:@%/?[]^|`{}\\\"<> #\n", 8)], (its, labels, more) => {
    const address = `${its}://${labels.join(".")}/${more}`;
    let expected: string | null = null;
    try {
      expected = new URL(address).hostname;
    } catch {
      // No browser opens it.
    }
    const { url, hostname } = splitAddress(address);
    expect(hostname ?? null).toBe(expected);
    const written = `/${more}`.replaceAll(/[\n]|[ ]+$/g, "").split("#", 1)[0] ?? "";
    if (expected !== null && isPath(written)) expect(url).toBe(written.trimEnd() === written ? written : url);
  });
});

test("A tab or line within scheme and slashes hides no password.", () => {
  for (const address of ["ht\ntps://u:SECRET@shop.example/a", "https:/\t/u:SECRET@shop.example/a", "/\t/u:SECRET@shop.example/a", "/\n\\u:SECRET@shop.example/a", "\u0001//u:SECRET@shop.example/a", "http://u:p@\\SECRET@shop.example/"]) {
    expect(isPath(address), address).toBe(false);
    expect(JSON.stringify(splitAddress(address)), address).not.toContain("SECRET");
  }
});

test.each([
  ["ftp:/ann:pw@shop.example/a", "ftp:/shop.example/a"],
  ["ftp:ann:pw@shop.example/a", "ftp:shop.example/a"],
  ["ws:ann:pw@shop.example", "ws:shop.example"],
  ["WSS:\\ann:pw@shop.example/", "WSS:\\shop.example/"],
  ["\ufeffhttps://ann:pw@shop.example/", "\ufeffhttps://shop.example/"],
  ["\u00a0ftp://ann:pw@shop.example/", "\u00a0ftp://shop.example/"],
  ["\u2028//ann:pw@shop.example/", "\u2028//shop.example/"],
  ["<https://ann:pw@shop.example/>", "<https://shop.example/>"],
  ["view-source:https://ann:pw@shop.example/a", "view-source:https://shop.example/a"],
  ["blob:http:ann:pw@shop.example/a", "blob:http:shop.example/a"],
  ["jdbc:postgresql://ann:pw@shop.example/db", "jdbc:postgresql://shop.example/db"],
  ["ftp://ann[:p/w@shop.example/a", "ftp://shop.example/a"],
  ["ftp://ann:\u2028p/w@shop.example/a", "ftp://shop.example/a"],
  ["ftp://ann:/pw@shop.example/a", "ftp://shop.example/a"],
  ["https://ann[:p/w@shop.example/a", "/a"],
  ["https://http://ann:pw@shop.example/a", "/a"],
  ["https://b.example//ann:pw@shop.example/a", "//shop.example/a"],
])("%j is stored as %j.", (address, stored) => {
  expect(splitAddress(address).url).toBe(stored);
  expect(splitAddress(stored).url).toBe(stored);
});

test.each([
  ["https://ann:1/b@shop.example/", "/b@shop.example/", "ann"],
  ["https://ann:a@b/c@shop.example/", "/c@shop.example/", "b"],
])("%s reads as the path %s of the host %s, and nobody can tell whether it is meant so.", (address, url, hostname) => {
  expect(splitAddress(address)).toEqual({ url, hostname });
});

test.each([
  "/a@b", "/", "//?x@y", "/@ann/x", "//static/img@2x.png", "//@ann/x", "/a?next=https://ann:pw@b.example/", "mailto:ann@shop.example", "ann:pw@shop.example", "app://home/@ann", "foo://[::1]:80/x@y",
  "https://", "https://bad host/@ann", "", "a b",
])("%s is stored as it is: nobody's password is in it, or nobody can tell.", (address) => {
  expect(splitAddress(address)).toEqual({ url: address });
});

test("Nothing of a store tells the password of an address, whether it came by an event or by another.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(Date.UTC(2026, 2, 1)) });
  const addresses = ["https://ann:SECRET@h.example/a", "//ann:SECRET@h.example/a", "app://ann:SECRET@h.example/a", "https://ann:x/SECRET@h.example/a", "\thttps:ann:SECRET@h.example/a"];
  await daybook.ingest(addresses.flatMap((address) => [{ name: "pageview", url: address }, { name: "pageview", referrer: address }]));
  for await (const event of daybook.exportEvents()) expect(JSON.stringify(event)).not.toMatch(/SECRET|ann/);
});
