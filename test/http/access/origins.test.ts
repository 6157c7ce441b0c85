import { describe, expect, it } from "vitest";
import { allowedOrigin, originPattern } from "../../../src/core/base/origin.js";

const PATTERN = "https://*.shop.example";

function isAllowed(origin: string | null, ...patterns: string[]): boolean {
  try {
    return allowedOrigin(origin, patterns.map((pattern) => originPattern(pattern) ?? expect.unreachable(pattern))) === origin;
  } catch (error) {
    expect(error).toMatchObject({ code: "origin_not_allowed" });
    return false;
  }
}

describe("a pattern of origins", () => {
  it.each(["https://a.shop.example", "https://a.b.shop.example", "https://xn--bcher-kva.shop.example", "https://a_b-1.shop.example"])("matches %s", (origin) => {
    expect(isAllowed(origin, PATTERN)).toBe(true);
  });

  it.each([
    ["the domain itself", "https://shop.example"],
    ["a longer label", "https://evil-shop.example"],
    ["a host that only begins so", "https://x.shop.example.evil.com"],
    ["a path", "https://evil.com/.shop.example"],
    ["a path behind a port", "https://evil.com:443/x.shop.example"],
    ["a query", "https://evil.com?x.shop.example"],
    ["a fragment", "https://evil.com#x.shop.example"],
    ["a backslash", "https://evil.com\\x.shop.example"],
    ["a user", "https://x@y.shop.example"],
    ["a user and a password", "https://evil.com:1@y.shop.example"],
    ["a port that is none", "https://evil.com:x.shop.example"],
    ["an empty label", "https://.shop.example"],
    ["an empty label between others", "https://a..shop.example"],
    ["a blank", "https://evil.com x.shop.example"],
    ["a line break", "https://evil.com\nx.shop.example"],
    ["another port", "https://a.shop.example:8443"],
    ["another scheme", "http://a.shop.example"],
    ["the pattern itself", "https://*.shop.example"],
    ["a final dot", "https://a.shop.example."],
    ["an opaque origin", "null"],
    ["no origin", null],
  ])("does not match %s", (_, origin) => {
    expect(isAllowed(origin, PATTERN)).toBe(false);
  });

  it("with a port matches this port only", () => {
    expect(isAllowed("https://a.shop.example:8443", "https://*.shop.example:8443")).toBe(true);
    expect(isAllowed("https://a.shop.example", "https://*.shop.example:8443")).toBe(false);
    expect(isAllowed("https://a.shop.example:18443", "https://*.shop.example:8443")).toBe(false);
  });

  it.each(["https://*shop.example", "https://a.*.example", "https://*.shop.example/a", "https://*.a@shop.example", "*.shop.example", "https://*.", "https://*.*"])("is not %s", (text) => {
    expect(originPattern(text)).toBeNull();
  });
});
