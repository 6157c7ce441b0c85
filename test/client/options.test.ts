import { inspect } from "node:util";
import { build } from "esbuild";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { connectDaybook, DaybookError } from "../../src/client/index.js";
import type { ClientOptions } from "../../src/client/index.js";

const TOKEN = "sk_planted_0123456789abcdef";
const BUNDLE_BUDGET_BYTES = 14 * 1024;

function refusalOf(options: unknown): DaybookError {
  try {
    connectDaybook(options as ClientOptions);
  } catch (error) {
    return error as DaybookError;
  }
  throw new Error("nothing was thrown");
}

describe("the options of connectDaybook", () => {
  const good = { url: "http://127.0.0.1:8787", token: TOKEN };

  it.each<[string, unknown, string, string]>([
    ["no options", undefined, "options", "options: expected an object, got undefined"],
    ["no url", { token: TOKEN }, "url", "url: expected an http or https URL, got undefined"],
    ["no URL", { ...good, url: "localhost:8787" }, "url", 'url: expected an http or https URL, got "localhost:8787"'],
    ["another protocol", { ...good, url: "ftp://host/" }, "url", 'url: expected an http or https URL, got "ftp://host/"'],
    ["a password in the URL", { ...good, url: "http://me:secret@host" }, "url", "url: expected no user name or password in the URL: use the token option instead"],
    ["a query", { ...good, url: "http://host/?a=1" }, "url", 'url: expected no query and no fragment, got "http://host/?a=1"'],
    ["a token in the URL", { ...good, url: `http://host/?token=${TOKEN}` }, "url", "url: expected no query and no fragment"],
    ["url and token exchanged", { url: TOKEN, token: good.url }, "url", "url: expected an http or https URL"],
    ["no token", { url: good.url }, "token", "token: expected the value of a token (sk_ or ds_, and letters, digits and ._~+/-), got undefined"],
    ["no value of a token", { ...good, token: `Bearer ${TOKEN}` }, "token", "token: expected the value of a token (sk_ or ds_, and letters, digits and ._~+/-), got other text"],
    ["a line break in the token", { ...good, token: `${TOKEN}\n` }, "token", "token: expected the value of a token (sk_ or ds_, and letters, digits and ._~+/-), got other text"],
    ["no attempts", { ...good, retry: { attempts: 0 } }, "retry.attempts", "retry.attempts: expected an integer from 1 to 100, got 0"],
    ["half an attempt", { ...good, retry: { attempts: 1.5 } }, "retry.attempts", "retry.attempts: expected an integer from 1 to 100, got 1.5"],
    ["a pause that is none", { ...good, retry: { baseMs: Number.NaN } }, "retry.baseMs", "retry.baseMs: expected a number from 0 to 2147483647, got NaN"],
    ["no time at all", { ...good, timeoutMs: 0 }, "timeoutMs", "timeoutMs: expected a number from 1 to 2147483647, got 0"],
    ["a fetch that is none", { ...good, fetch: "fetch" }, "fetch", 'fetch: expected a function from Request to Response, got "fetch"'],
    ["another way to report", { ...good, onRejected: "ignore" }, "onRejected", 'onRejected: expected "list" or "throw", got "ignore"'],
    ["no room for events", { ...good, track: { queuedEventCount: 0 } }, "track.queuedEventCount", "track.queuedEventCount: expected an integer from 1 to 9007199254740991, got 0"],
    ["batches too large", { ...good, track: { batchEventCount: 10_001 } }, "track.batchEventCount", "track.batchEventCount: expected an integer from 1 to 10000, got 10001"],
    ["no time in ms", { ...good, track: { giveUpAfterMs: "5m" } }, "track.giveUpAfterMs", 'track.giveUpAfterMs: expected a number from 0 to 2147483647, got "5m"'],
    ["no hook", { ...good, track: { onError: "log" } }, "track.onError", 'track.onError: expected a function, got "log"'],
    ["another option of track", { ...good, track: { maxEvents: 1 } }, "track.maxEvents", "track.maxEvents: unknown; allowed: queuedEventCount, queuedBytes, batchEventCount, batchMs, giveUpAfterMs, onError"],
    ["another option", { ...good, tokens: [] }, "tokens", "tokens: unknown; allowed: url, token, retry, timeoutMs, onRejected, track, fetch"],
    ["another option of retry", { ...good, retry: { attempt: 1 } }, "retry.attempt", "retry.attempt: unknown; allowed: attempts, baseMs, maxMs"],
  ])("are refused clearly, and without a token in the words: %s", (_, options, param, message) => {
    const error = refusalOf(options);
    expect([error instanceof DaybookError, error.details.param, error.message]).toEqual([true, param, message]);
    for (const text of [inspect(error, { depth: 9 }), JSON.stringify(error)]) for (const secret of [TOKEN, "secret"]) expect(text).not.toContain(secret);
  });

  it("may have a URL object, and a path before all routes", async () => {
    const urls: string[] = [];
    const fetch = (request: Request) => {
      urls.push(request.url);
      return Promise.resolve(Response.json({ answer: 1 }));
    };
    for (const url of [new URL("https://host"), "https://host/", "https://host/a/b/", new URL("https://host/a/b")]) await connectDaybook({ url, token: TOKEN, fetch }).countEvents();
    expect(urls).toEqual(["", "", "/a/b", "/a/b"].map((path) => `https://host${path}/v1/query/countEvents`));
  });
});

describe("the token", () => {
  it("shows in nothing that can be printed, and goes to no other place", async () => {
    const seen: (string | null)[] = [];
    const client = connectDaybook({
      url: "http://host",
      token: TOKEN,
      retry: { attempts: 1 },
      fetch: (request) => {
        seen.push(`${request.headers.get("authorization")} ${request.redirect}`);
        return Promise.reject(new TypeError("fetch failed"));
      },
    });
    const errors = await Promise.all([client.countEvents(), client.ingest([{ name: "a" }]), client.privacyRequests.list()].map((asked) => asked.catch((error: unknown) => error)));
    for (const value of [client, client.privacyRequests, client.segments, client.timeToLive, ...errors]) {
      expect(inspect(value, { depth: 20, showHidden: true })).not.toContain(TOKEN);
      expect(JSON.stringify(value) ?? "").not.toContain(TOKEN);
      expect(String(value)).not.toContain(TOKEN);
    }
    expect(seen).toEqual(Array(3).fill(`Bearer ${TOKEN} manual`));
  });
});

describe("the bundle of daybook/client", () => {
  it("is for browsers, small, and has nothing of the engine", async () => {
    const entryPoint = fileURLToPath(new URL("../../src/client/index.ts", import.meta.url));
    const { outputFiles, metafile } = await build({ entryPoints: [entryPoint], bundle: true, format: "esm", platform: "browser", target: "es2022", minify: true, write: false, metafile: true });
    const byteLength = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
    expect(byteLength).toBeGreaterThan(1_000);
    expect(byteLength).toBeLessThan(BUNDLE_BUDGET_BYTES);
    // Of queries it has only their names.
    expect(Object.keys(metafile.inputs).filter((path) => !/src\/(core\/base|core\/schema|client)\//.test(path))).toEqual(["src/query/queries.ts"]);
  });
});
