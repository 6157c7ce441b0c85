import { beforeAll, describe, expect, test } from "vitest";
import { loadUserAgentParser, type Agent } from "../../../src/http/index.js";
import { parseClfLine, readClf } from "../../../src/cli/read/clf.js";
import { chunksOf, rowsOf } from "./source.js";

const CHROME =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_9_1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/32.0.1700.77 Safari/537.36";
const TIME = "[17/May/2015:10:05:03 +0000]";
const NOW = Date.UTC(2015, 4, 17, 10, 5, 3);

let describeAgent: (text: string) => Agent;
beforeAll(async () => {
  describeAgent = await loadUserAgentParser();
});

const common = { name: "pageview", userId: "1.2.3.4", createdAt: NOW };

describe("parseClfLine", () => {
  test("reads a combined line whole", () => {
    const line = `1.2.3.4 - - ${TIME} "GET /a/b?c=d HTTP/1.1" 200 203023 "http://example.com/x" "${CHROME}"`;
    expect(parseClfLine(line, describeAgent)).toEqual({
      ...common,
      url: "/a/b?c=d",
      referrer: "http://example.com/x",
      device: "desktop",
      os: "macOS",
      browser: "Chrome",
      metadata: { status: 200, bytes: 203023, method: "GET" },
    });
  });

  test.each<[title: string, line: string, expected: object]>([
    ["common format", `1.2.3.4 - - ${TIME} "GET /a HTTP/1.0" 304 -`, { url: "/a", metadata: { status: 304, method: "GET" } }],
    ["a user with blanks", `1.2.3.4 - John Doe ${TIME} "GET /a HTTP/1.0" 200 5`, { url: "/a", metadata: { status: 200, bytes: 5, method: "GET" } }],
    ["no request", `1.2.3.4 - - ${TIME} "-" 408 0 "-" "-"`, { metadata: { status: 408, bytes: 0 } }],
    ["a request that is no HTTP", `1.2.3.4 - - ${TIME} "\\x16\\x03\\x01" 400 0 "-" "-"`, { metadata: { status: 400, bytes: 0, request: "\\x16\\x03\\x01" } }],
    ["a target with blanks", `1.2.3.4 - - ${TIME} "GET /a b c HTTP/1.1" 200 1`, { url: "/a b c", metadata: { status: 200, bytes: 1, method: "GET" } }],
    ["a request of HTTP/0.9", `1.2.3.4 - - ${TIME} "GET /old" 200 1`, { url: "/old", metadata: { status: 200, bytes: 1, method: "GET" } }],
    ["a target with a host", `1.2.3.4 - - ${TIME} "GET http://example.com:81/p?q HTTP/1.1" 200 1`, { url: "/p?q", hostname: "example.com:81", metadata: { status: 200, bytes: 1, method: "GET" } }],
    ["a target with a password", `1.2.3.4 - - ${TIME} "GET http://ann:secret@example.com/p HTTP/1.1" 200 1`, { url: "/p", hostname: "example.com", metadata: { status: 200, bytes: 1, method: "GET" } }],
    ["a password behind a method in small letters", `1.2.3.4 - - ${TIME} "get http://ann:secret@example.com/p HTTP/1.1" 400 0`, { metadata: { status: 400, bytes: 0, request: "get http://example.com/p HTTP/1.1" } }],
    ["a password where there is no method", `1.2.3.4 - - ${TIME} "http://ann:secret@example.com/p" 400 0`, { metadata: { status: 400, bytes: 0, request: "http://example.com/p" } }],
    ["a password with a blank", `1.2.3.4 - - ${TIME} "get //ann:sec ret@example.com/p HTTP/1.1" 400 0`, { metadata: { status: 400, bytes: 0, request: "get //example.com/p HTTP/1.1" } }],
    ["a password before the host of CONNECT", `1.2.3.4 - - ${TIME} "CONNECT ann:secret@example.com:443 HTTP/1.1" 200 1`, { url: "example.com:443", metadata: { status: 200, bytes: 1, method: "CONNECT" } }],
    ["a host without a path", `1.2.3.4 - - ${TIME} "GET http://example.com HTTP/1.1" 200 1`, { url: "/", hostname: "example.com", metadata: { status: 200, bytes: 1, method: "GET" } }],
    ["escaped quotes", `1.2.3.4 - - ${TIME} "GET /a?q=\\"x\\" HTTP/1.1" 200 1 "say \\"hi\\" \\\\" "-"`, { url: '/a?q="x"', referrer: 'say "hi" \\', metadata: { status: 200, bytes: 1, method: "GET" } }],
    ["a line cut off in the agent", `1.2.3.4 - - ${TIME} "GET /a HTTP/1.1" 200 1 "-" "${CHROME.slice(0, 90)}`, { url: "/a", device: "desktop", os: "macOS", metadata: { status: 200, bytes: 1, method: "GET" } }],
    ["further fields after the agent", `1.2.3.4 - - ${TIME} "GET /a HTTP/1.1" 200 1 "-" "-" "vhost" 0.004`, { url: "/a", metadata: { status: 200, bytes: 1, method: "GET" } }],
    ["a quote in brackets of a later field", `1.2.3.4 - - ${TIME} "GET /[x] HTTP/1.1" 200 1`, { url: "/[x]", metadata: { status: 200, bytes: 1, method: "GET" } }],
    ["a virtual host with its port", `shop.example.com:443 1.2.3.4 - - ${TIME} "GET /a HTTP/1.1" 200 1 "-" "-"`, { hostname: "shop.example.com", url: "/a", metadata: { status: 200, bytes: 1, method: "GET" } }],
    ["a virtual host without a port", `shop.example.com 1.2.3.4 - ann ${TIME} "GET /a HTTP/1.1" 200 1`, { hostname: "shop.example.com", url: "/a", metadata: { status: 200, bytes: 1, method: "GET" } }],
    ["the address that Apache has for a host without a name", `127.0.1.1:80 1.2.3.4 - - ${TIME} "GET /a HTTP/1.1" 200 1`, { hostname: "127.0.1.1", url: "/a", metadata: { status: 200, bytes: 1, method: "GET" } }],
    ["IPv6", `::1 - - ${TIME} "-" 408 -`, { userId: "::1", metadata: { status: 408 } }],
    ["IPv6 in brackets, of a host in brackets", `[2001:db8::1]:443 [2001:db8::7] - - ${TIME} "-" 408 -`, { userId: "2001:db8::7", hostname: "[2001:db8::1]", metadata: { status: 408 } }],
    ["bytes of UTF-8 that nginx escapes", `1.2.3.4 - - ${TIME} "GET /caf\\xC3\\xA9?q=\\x22a\\x5Cb\\x22 HTTP/1.1" 200 1 "-" "-"`, { url: '/café?q="a\\b"', metadata: { status: 200, bytes: 1, method: "GET" } }],
    ["bytes of another encoding, and control characters, as they are written", `1.2.3.4 - - ${TIME} "GET /\\xe4\\x00\\n\\xC2\\x85 HTTP/1.1" 200 1`, { url: "/\\xe4\\x00\\n\\xC2\\x85", metadata: { status: 200, bytes: 1, method: "GET" } }],
    ["a backslash before what looks like an escaped byte", `1.2.3.4 - - ${TIME} "GET /\\\\x41 HTTP/1.1" 200 1`, { url: "/\\x41", metadata: { status: 200, bytes: 1, method: "GET" } }],
    ["a number of bytes that is none", `1.2.3.4 - - ${TIME} "GET /a HTTP/1.1" 200 99999999999999999999`, { url: "/a", metadata: { status: 200, method: "GET" } }],
  ])("reads %s", (_, line, expected) => {
    const parsed = parseClfLine(line, describeAgent);
    // What bowser makes of half an agent is not ours to say.
    if (typeof parsed === "object") expect({ ...parsed, browser: undefined }).toEqual({ ...common, ...expected, browser: undefined });
    else expect(parsed).toBe("an event");
  });

  test("an offset moves the instant, a missing address leaves the event without user", () => {
    const event = parseClfLine('- - - [17/May/2015:12:05:03 +0200] "GET / HTTP/1.1" 200 1', describeAgent);
    expect(event).toEqual({ name: "pageview", createdAt: NOW, url: "/", metadata: { status: 200, bytes: 1, method: "GET" } });
  });

  test.each([
    ["no access-log line", "hello world", /^expected an access-log line/],
    ["an impossible day", '1.2.3.4 - - [30/Feb/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 1', /^time: expected a time like 17\/May\/2015:10:05:03 \+0000, got "30\/Feb/],
    ["an unknown month", '1.2.3.4 - - [17/Mai/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 1', /^time: expected a time like/],
    ["a time without a zone", '1.2.3.4 - - [17/May/2015:10:05:03] "GET / HTTP/1.1" 200 1', /^time: expected a time like/],
    ["an open bracket", "1.2.3.4 - - [17/May/2015:10:05:03 +0000", /^expected an access-log line/],
    ["nothing before the time", " [17/May/2015:10:05:03 +0000]", /^address: expected one IP address, got ""$/],
    ["a date of syslog in front", `Nov 28 10:00:00 web1 nginx: 1.2.3.4 - - ${TIME} "-" 408 -`, /^address: expected one IP address, got "Nov"$/],
    ["a time of syslog in front", `<190>2026-11-28T10:00:00Z web1.example.com nginx: 1.2.3.4 - - ${TIME} "-" 408 -`, /^address: /],
    ["a list of addresses", `1.2.3.4, 10.0.0.1 - - ${TIME} "-" 408 -`, /^address: expected one IP address, got "1.2.3.4,"$/],
    ["a list of addresses without blanks", `1.2.3.4,10.0.0.1 - - ${TIME} "-" 408 -`, /^address: /],
    ["a list of addresses in quotes", `"1.2.3.4, 10.0.0.1" - - ${TIME} "-" 408 -`, /^address: /],
    ["a list of addresses in brackets", `[1.2.3.4, 10.0.0.1] - - ${TIME} "-" 408 -`, /^address: /],
    ["two addresses, of which either may be the visitor's", `1.2.3.4 10.0.0.1 - - ${TIME} "-" 408 -`, /^ident: expected - or a name after the address, got "10.0.0.1"$/],
    ["a list of addresses behind one", `10.0.0.1 1.2.3.4, 10.0.0.2 - - ${TIME} "-" 408 -`, /^ident: /],
    ["an address of unknown place", `- 1.2.3.4 - - ${TIME} "-" 408 -`, /^ident: /],
    ["an address in the place of the user", `10.0.0.1 - "1.2.3.4, 10.0.0.2" ${TIME} "-" 408 -`, /^user: expected - or a name before the time, got /],
    ["an address with the port of a visitor before another", `1.2.3.4:51234 10.0.0.4 - - ${TIME} "-" 408 -`, /^address: expected one IP address, got "1.2.3.4:51234"$/],
    ["a virtual host in the place of the address", `shop.example.com - - ${TIME} "-" 408 -`, /^address: expected one IP address, got "shop.example.com"$/],
    ["a virtual host with a port in the place of the address", `shop.example.com:80 - - ${TIME} "-" 408 -`, /^address: /],
    ["a socket for an address", `unix: - - ${TIME} "-" 408 -`, /^address: /],
    ["no user", `1.2.3.4 - ${TIME} "-" 408 -`, /^user: /],
    ["a line cut off after the time", `1.2.3.4 - - ${TIME}`, /^request: /],
    ["a line cut off in the request", `1.2.3.4 - - ${TIME} "GET /a`, /^request: expected a quoted request after the time, got " \\"GET \/a"$/],
    ["a line cut off after the status", `1.2.3.4 - - ${TIME} "GET /a HTTP/1.1" 200`, /^bytes: /],
    ["a line cut off in the referrer", `1.2.3.4 - - ${TIME} "GET /a HTTP/1.1" 200 1 "http://exam`, /^referrer: /],
    ["a referrer without an agent", `1.2.3.4 - - ${TIME} "GET /a HTTP/1.1" 200 1 "-"`, /^agent: /],
    ["a status in words", `1.2.3.4 - - ${TIME} "GET /a HTTP/1.1" OK 1`, /^status: expected three digits or - after the request, got " OK 1"$/],
    ["a column between bytes and referrer", `1.2.3.4 - - ${TIME} "GET /a HTTP/1.1" 200 1 0.004 "http://example.com" "-"`, /^referrer: /],
    ["a quote within the agent", `1.2.3.4 - - ${TIME} "GET /a HTTP/1.1" 200 1 "-" "a "b" c"`, /further fields after the agent, got "b\\" c\\""$/],
    ["two lines in one", `1.2.3.4 - - ${TIME} "GET /a HTTP/1.1" 200 1 "-" "-" 5.6.7.8 - - ${TIME} "GET /b HTTP/1.1" 200 1 "-" "-"`, /further fields after the agent, got " 5.6.7.8/],
    ["two lines with a carriage return between", `1.2.3.4 - - ${TIME} "-" 408 -\r5.6.7.8 - - ${TIME} "-" 408 -`, /^expected one line, got a carriage return within it$/],
  ])("rejects %s, saying what was expected", (_, line, reason) => {
    expect(parseClfLine(line, describeAgent)).toMatch(reason);
  });

  test("a line made to be slow takes no time to speak of", () => {
    for (const unit of [" [", '"', "\\", '" "', " "]) parseClfLine(`1.2.3.4 - - ${TIME} "${unit.repeat(300_000)}`, describeAgent);
    expect(parseClfLine(" [".repeat(500_000), describeAgent)).toBeTypeOf("string");
  });
});

describe("readClf", () => {
  test("numbers lines, skips blank ones and rejects by line", async () => {
    const text = `1.2.3.4 - - ${TIME} "GET / HTTP/1.1" 200 1\r\n\nnonsense`;
    const rows = await rowsOf(readClf(chunksOf(text, 11), "log"));
    expect(rows.map((row) => [row.line, "event" in row])).toEqual([
      [1, true],
      [3, false],
    ]);
  });

  test("takes the visitor from the place of the address, and from nowhere else", async () => {
    const text = [
      `shop.example.com:443 203.0.113.7 - - ${TIME} "GET / HTTP/1.1" 200 1`,
      `shop.example.com:443 203.0.113.8 - - ${TIME} "GET / HTTP/1.1" 200 1`,
      `shop.example.com:80 ::1 - - ${TIME} "GET / HTTP/1.1" 200 1`,
      `203.0.113.9, 10.0.0.1 - - ${TIME} "GET / HTTP/1.1" 200 1`,
    ].join("\n");
    const rows = await rowsOf(readClf(chunksOf(text, 50), "log"));
    expect(rows.map((row) => ("event" in row ? row.event.userId : row.reason))).toEqual(["203.0.113.7", "203.0.113.8", "::1", 'address: expected one IP address, got "203.0.113.9,"']);
  });

  test("reads all lines of a file that end with carriage returns alone", async () => {
    const text = `\ufeff1.2.3.4 - - ${TIME} "-" 408 -\r\r5.6.7.8 - - ${TIME} "-" 408 -\r`;
    const rows = await rowsOf(readClf(chunksOf(text, 50), "log"));
    expect(rows.map((row) => ("event" in row ? [row.line, row.event.userId] : row))).toEqual([[1, "1.2.3.4"], [3, "5.6.7.8"]]);
  });

  const good = `1.2.3.4 - - ${TIME} "-" 408 -\n`;

  test("stops where more than half of the first 100 lines are of another format, before any row", async () => {
    const reading = rowsOf(readClf(chunksOf(good.repeat(49) + "{}\n".repeat(51) + good.repeat(1_000), 64), "log"));
    await expect(reading).rejects.toThrow(
      "51 of the first 100 lines cannot be read, so nothing is stored; expected common, combined and vhost_combined of Apache, and combined of nginx " +
        '(address - - [time] "request" status bytes "referrer" "agent"); line 50: expected an access-log line (address - - [time] "request" status bytes "referrer" "agent"), got "{}"; line 51: ',
    );
  });

  test("reads on where half of them are, and whatever comes later", async () => {
    const rows = await rowsOf(readClf(chunksOf(good.repeat(50) + "{}\n".repeat(1_000) + good, 64), "log"));
    expect([rows.filter((row) => "event" in row).length, rows.filter((row) => "reason" in row).length, rows.at(-1)?.line]).toEqual([51, 1_000, 1_051]);
  });
});
