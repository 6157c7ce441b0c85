import { expect, test } from "vitest";
import { checkedText, readCheckedTokens } from "../../src/cli/token-check.js";
import { createToken, formatTokens } from "../../src/http/index.js";
import { flipped } from "../format/damage-kit.js";

const records = [
  createToken({ role: "viewer", scopes: ["events:read"], organization: "shop", project: "web", nowMs: 1_000_000 }).record,
  createToken({ role: "admin", scopes: ["*"], expires_at: "2027-01-01T00:00:00Z", nowMs: 2_000_000 }).record,
];

test("Any byte of the stored tokens may be flipped or be the last: the same tokens are read, or an error.", () => {
  const bytes = new TextEncoder().encode(checkedText(records));
  const right = JSON.stringify(records);
  const outcome = (damaged: Uint8Array) => {
    try {
      return JSON.stringify(readCheckedTokens(new TextDecoder("utf-8", { fatal: true }).decode(damaged)));
    } catch {
      return right;
    }
  };
  expect(readCheckedTokens(checkedText(records))).toEqual(records);
  for (let at = 0; at < bytes.length; at += 1) {
    for (let bit = 1; bit < 256; bit *= 2) expect(outcome(flipped(bytes, at, bit)), `byte ${at}, bit ${bit}`).toBe(right);
    expect(outcome(bytes.subarray(0, at)), `cut at ${at}`).toBe(right);
  }
});

test("A file of tokens without checks, as older programs wrote it, is read.", () => {
  expect(readCheckedTokens(formatTokens(records))).toEqual(records);
  expect(readCheckedTokens("[]")).toEqual([]);
});
