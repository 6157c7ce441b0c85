import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createToken, formatTokens, memoryTokens, parseTokens, tokenHash } from "../../../src/http/index.js";
import type { TokenEntry, TokenOptions } from "../../../src/http/index.js";
import { NOW_MS } from "../kit.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const entry = { token: "sk_secret_0123456789abcdefgh", role: "owner", scopes: ["*"] } as const;

describe("memoryTokens", () => {
  it("finds a token by the hash of its value, and keeps the value nowhere", () => {
    const tokens = memoryTokens([entry]);
    expect(tokens.find(sha256("sk_secret_0123456789abcdefgh"))).toEqual({
      id: `tok_${sha256("sk_secret_0123456789abcdefgh").slice(0, 16)}`,
      sha256: sha256("sk_secret_0123456789abcdefgh"),
      organization: "default",
      project: null,
      role: "owner",
      scopes: ["*"],
      created_at: null,
      expires_at: null,
      revoked_at: null,
    });
    expect(tokens.find(sha256("sk_other_0123456789abcdefgh"))).toBeUndefined();
    expect(JSON.stringify(tokens.find(sha256("sk_secret_0123456789abcdefgh")))).not.toContain("sk_secret_0123456789abcdefgh");
  });

  it("finds a token that is there twice revoked if one of the entries is, and else as the last of them", () => {
    const revoked = { ...entry, role: "viewer", revoked_at: "2026-01-01T00:00:00Z" } as const;
    const found = (...entries: TokenEntry[]) => memoryTokens(entries).find(sha256("sk_secret_0123456789abcdefgh"));
    for (const entries of [[entry, revoked], [revoked, entry]])
      expect(found(...entries)).toMatchObject({ role: "viewer", revoked_at: revoked.revoked_at });
    expect(found(entry, { ...entry, role: "admin" })).toMatchObject({ role: "admin" });
  });

  it.each([["memoryTokens", memoryTokens], ["parseTokens", (entries: readonly TokenEntry[], options?: TokenOptions) => parseTokens(JSON.stringify(entries), options)]])(
    "%s refuses secret tokens that can be guessed, unless told otherwise, and shows none of them",
    (_, read) => {
      const short = { ...entry, token: "sk_0123456789abcdefgh" };
      const reason = "expected at least 22 characters, got 21: shorter tokens can be guessed";
      expect(() => read([entry, short])).toThrow(expect.objectContaining({ code: "invalid_parameter", message: `tokens[1].token: ${reason}` }));
      expect(() => read([entry, { ...short, token: `${short.token}i` }])).not.toThrow();
      expect(() => read([short], { insecure: true })).not.toThrow();
      // What stands in pages is no secret, and of a hash nobody knows.
      expect(() => read([{ token: "pk_1", project: "shop", public: { origins: ["*"] } }, { ...entry, token: undefined, sha256: sha256("sk_1") }])).not.toThrow();
    },
  );

  it("takes a hash instead of a value, in either case", () => {
    const tokens = memoryTokens([{ sha256: sha256("sk_x_0123456789abcdefgh").toUpperCase(), role: "viewer", scopes: ["events:read"], project: "shop" }]);
    expect(tokens.find(sha256("sk_x_0123456789abcdefgh"))).toMatchObject({ project: "shop", scopes: ["events:read"] });
  });

  it.each<[string, object, string, string]>([
    ["neither value nor hash", { role: "owner", scopes: [] }, "exactly_one_required", "tokens[1]"],
    ["both value and hash", { ...entry, sha256: sha256("x") }, "exactly_one_required", "tokens[1]"],
    ["a value without the prefix", { ...entry, token: "topsecret" }, "invalid_parameter", "tokens[1].token"],
    ["a hash that is none", { sha256: "topsecret", role: "owner", scopes: [] }, "invalid_parameter", "tokens[1].sha256"],
    ["an unknown role", { ...entry, role: "root" }, "invalid_parameter", "tokens[1].role"],
    ["an unknown scope", { ...entry, scopes: ["events:read", "all"] }, "invalid_parameter", "tokens[1].scopes[1]"],
    ["a time without a zone", { ...entry, expires_at: "2026-03-01T00:00:00" }, "invalid_parameter", "tokens[1].expires_at"],
    ["a bad organization name", { ...entry, organization: "../x" }, "invalid_parameter", "tokens[1].organization"],
    ["an unknown member", { ...entry, expires: "x" }, "unknown_parameter", "tokens[1].expires"],
    ["no object", [], "invalid_parameter", "tokens[1]"],
  ])("refuses %s, naming the place and no secret", (_, bad, code, param) => {
    let thrown: unknown;
    try {
      memoryTokens([entry, bad as TokenEntry]);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code, details: { param } });
    expect(String(thrown)).not.toContain("topsecret");
  });
});

describe("createToken", () => {
  it("makes a value of sk_ and 192 random bits, and a record that finds it", () => {
    const { value, record } = createToken({ role: "admin", scopes: ["analytics:read"], organization: "acme", nowMs: NOW_MS });
    expect(value).toMatch(/^sk_[0-9a-f]{48}$/);
    expect(record).toMatchObject({ sha256: sha256(value), organization: "acme", created_at: "2026-03-10T12:00:00.000Z" });
    expect(memoryTokens([record]).find(tokenHash(value))).toEqual(record);
    expect(createToken({ role: "admin", scopes: [], nowMs: 0 }).value).not.toBe(value);
  });

  it("takes its randomness from outside", () => {
    const { value } = createToken({ role: "viewer", scopes: [], nowMs: 0, random: (bytes) => void bytes.fill(0xab) });
    expect(value).toBe(`sk_${"ab".repeat(24)}`);
  });

  it("refuses what no token can have", () => {
    expect(() => createToken({ role: "root" as "owner", scopes: [], nowMs: 0 })).toThrow("token.role");
  });
});

describe("token files", () => {
  it("read back as they were written", () => {
    const records = [
      createToken({ role: "owner", scopes: ["*"], nowMs: NOW_MS }).record,
      createToken({ role: "viewer", scopes: ["events:read"], project: "shop", expires_at: "2027-01-01T00:00:00Z", nowMs: NOW_MS }).record,
    ];
    expect(parseTokens(formatTokens(records))).toEqual(records);
  });

  it.each(["{", '{"token":"sk_x_0123456789abcdefgh"}', "null"])("the text %s is refused", (text) => {
    expect(() => parseTokens(text)).toThrow("tokens: expected");
  });
});
