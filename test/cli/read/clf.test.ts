import { beforeAll, describe, expect, test } from "vitest";
import { loadAgentReader, type Agent } from "../../../src/http/index.js";
import { parseClfLine, readClf } from "../../../src/cli/read/clf.js";
import { chunksOf, rowsOf } from "./source.js";

const CHROME =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_9_1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/32.0.1700.77 Safari/537.36";
const TIME = "[17/May/2015:10:05:03 +0000]";
const NOW = Date.UTC(2015, 4, 17, 10, 5, 3);

let describeAgent: (text: string) => Agent;
beforeAll(async () => {
  describeAgent = await loadAgentReader();
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
    ["a line cut off in the request", `1.2.3.4 - - ${TIME} "GET /a`, { url: "/a", metadata: { method: "GET" } }],
    ["a line cut off after the time", `1.2.3.4 - - ${TIME}`, { metadata: {} }],
    ["further fields after the agent", `1.2.3.4 - - ${TIME} "GET /a HTTP/1.1" 200 1 "-" "-" "vhost" 0.004`, { url: "/a", metadata: { status: 200, bytes: 1, method: "GET" } }],
    ["a quote in brackets of a later field", `1.2.3.4 - - ${TIME} "GET /[x] HTTP/1.1" 200 1`, { url: "/[x]", metadata: { status: 200, bytes: 1, method: "GET" } }],
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
    ["an impossible day", '1.2.3.4 - - [30/Feb/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 1', /^expected a time like 17\/May\/2015:10:05:03 \+0000, got "30\/Feb/],
    ["an unknown month", '1.2.3.4 - - [17/Mai/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 1', /^expected a time like/],
    ["a time without a zone", '1.2.3.4 - - [17/May/2015:10:05:03] "GET / HTTP/1.1" 200 1', /^expected a time like/],
    ["an open bracket", "1.2.3.4 - - [17/May/2015:10:05:03 +0000", /^expected an access-log line/],
    ["nothing before the time", " [17/May/2015:10:05:03 +0000]", /^expected an access-log line/],
  ])("rejects %s, saying what was expected", (_, line, reason) => {
    expect(parseClfLine(line, describeAgent)).toMatch(reason);
  });

  test("a line made to be slow takes no time to speak of", () => {
    const startedMs = performance.now();
    for (const unit of [" [", '"', "\\", '" "', " "]) parseClfLine(`1.2.3.4 - - ${TIME} "${unit.repeat(300_000)}`, describeAgent);
    parseClfLine(" [".repeat(500_000), describeAgent);
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});

describe("readClf", () => {
  test("numbers lines, skips blank ones and rejects by line", async () => {
    const text = `1.2.3.4 - - ${TIME} "GET / HTTP/1.1" 200 1\r\n\nnonsense\n`;
    const rows = await rowsOf(readClf(chunksOf(text, 11), "log"));
    expect(rows.map((row) => [row.line, "event" in row])).toEqual([
      [1, true],
      [3, false],
    ]);
  });
});
