import { memoryStorage } from "daybook";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseClfLine } from "../../src/cli/read/clf.js";
import { splitAddress } from "../../src/core/schema/web-address.js";
import { handlerOf, send } from "../http/kit.js";
import { holds, openAt } from "./law.js";

const text = (allowed: string, maxLength: number) => fc.string({ unit: fc.constantFrom(...allowed), maxLength });

/** What programs put before an address. */
const around = fc.constantFrom("", "", "", " ", "\t", "\0", "\u0001 ", "\ufeff", "\u00a0", "\u2028", "<", "(", '"', "'", "«", "[");
const slashes = fc.constantFrom("", "/", "//", "///", "\\", "\\\\", "/\\", "\\//");
/** Browsers read a user behind these however many slashes there are. */
const anySlashes = fc
  .tuple(fc.constantFrom("http", "https", "ws", "wss", "ftp", "FTP", "hTTp"), slashes)
  .map(([scheme, between]) => `${scheme}:${between}`);
const twoSlashes = fc
  .tuple(fc.constantFrom("", "app:", "postgres:", "git+ssh:", "foo.bar-1:", "jdbc:mysql:"), fc.constantFrom("//", "\\\\", "/\\", "///"))
  .map(([scheme, between]) => `${scheme}${between}`);
const nested = fc.constantFrom("view-source:", "blob:", "jdbc:", "URL:", "feed:", "view-source:view-source:", "url=", "see ", "http://", "app://");
const beforeUser = fc
  .tuple(around, fc.oneof(anySlashes, twoSlashes, fc.tuple(nested, anySlashes).map((parts) => parts.join("")), fc.tuple(nested, fc.constant("foo://")).map((parts) => parts.join(""))))
  .map((parts) => parts.join(""));

const user = text("sü%!$&'()*+,;=[ .~", 4).map((more) => `u${more}`);
/** Whatever a password is made of, where nothing in it ends the part that tells the host. */
const escaped = fc.tuple(text("pö%@:[]!$&'()*+,;=12 ", 6), text("pö@:[]12", 3)).map(([before, after]) => `${before}SECRET${after}`);
/** A password with a slash that is not escaped, of which the first part is no port. */
const unescaped = fc.tuple(text("pö%:[]!1 ", 3), fc.constantFrom("/", "\\", "?", "#"), text("pö%:[]!1/\\?# ", 4), text("p:/12", 3)).map(
  ([before, slash, more, after]) => `p${before}${slash}${more}SECRET${after}`,
);
const host = fc.constantFrom("h", "shop.example", "h:8080", "127.0.0.1", "[::1]", "[::1]:80", "h:99999", "bad host", "h:bad", "");
const tail = fc.constantFrom("", "/", "/x/y?q=1#f", "?q", "#f", "\\x", ">", " ", "\n");
const address = fc.tuple(beforeUser, user, fc.oneof(escaped, unescaped), host, tail).map(([before, who, secret, at, end]) => `${before}${who}:${secret}@${at}${end}`);

/** The address as servers write it into their logs: one line, quotes and backslashes escaped. */
const logged = (its: string) => its.replaceAll(/[\n\r]/g, "").replaceAll(/["\\]/g, "\\$&");
const logLine = (request: string, referrer: string) => `1.2.3.4 - - [10/Mar/2026:10:00:00 +0000] "${logged(request)}" 200 1 "${logged(referrer)}" "-"`;

test("No password of an address is stored, whichever way the address came and however it is written.", () =>
  holds([fc.array(address, { minLength: 1, maxLength: 20 })], async (addresses) => {
    await using daybook = await openAt(memoryStorage());
    const events = addresses.flatMap((url) => [{ name: "url", url }, { name: "referrer", referrer: url }]);
    const lines = addresses.flatMap((url) => ["GET ", "get ", "CONNECT ", "", "G=T "].map((method) => parseClfLine(logLine(`${method}${url} HTTP/1.1`, url), () => ({}))));
    const logs = lines.filter((line) => typeof line === "object");
    const stored = await daybook.ingest([...events, ...logs]);
    const batch = addresses.flatMap((url) => [
      { type: "page", userId: "u", properties: { url, referrer: url } },
      { type: "track", event: "a", userId: "u", context: { page: { url, referrer: url } } },
    ]);
    const tracked = await send(handlerOf(daybook), "/v1/batch", { body: { batch } });
    expect([logs.length, stored.accepted, tracked.json["accepted"]]).toEqual([lines.length, events.length + logs.length, batch.length]);
    for await (const event of daybook.exportEvents()) expect(JSON.stringify(event)).not.toContain("SECRET");
  }, 40));

test("What is stored of an address stays the same when it comes again.", () =>
  holds([address], async (its) => {
    const { url } = splitAddress(its);
    expect(splitAddress(url).url).toBe(url);
  }, 2_000));
