import { describe, expect, it } from "vitest";
import { SERVER_LIMITS } from "../../../src/core/base/server-limits.js";
import { SenderClocks } from "../../../src/http/tracking/call.js";
import { NOW_MS } from "../kit.js";

const MINUTE_MS = 60_000;

describe("What a sender's clock is off", () => {
  it("is the time of arrival less sentAt, where that can be read", () => {
    const clock = new SenderClocks().of("acme", NOW_MS);
    expect([NOW_MS - 5, new Date(NOW_MS + 7).toISOString(), "soon", undefined, null, {}].map((sentAt) => clock.offsetMs(sentAt, ["m"]))).toEqual([5, -7, null, null, null, null]);
  });

  it("is the smallest seen of any id of a batch that failed before: it comes again with the sentAt of its first sending", () => {
    const clocks = new SenderClocks();
    const first = clocks.of("acme", NOW_MS);
    expect(first.offsetMs(NOW_MS - 20, ["m1", "m2"])).toBe(20);
    first.failed();
    const late = clocks.of("acme", NOW_MS + 10 * MINUTE_MS);
    expect(late.offsetMs(NOW_MS - 20, ["m0", "m2"])).toBe(20);
    late.failed();
    expect(clocks.of("acme", NOW_MS + 20 * MINUTE_MS).offsetMs(NOW_MS - 20, ["m0"])).toBe(20);
  });

  it("of a clock that is ahead is the smallest too: waiting only makes it look less wrong", () => {
    const clocks = new SenderClocks();
    const sentAtMs = NOW_MS + 60 * MINUTE_MS;
    const first = clocks.of("acme", NOW_MS);
    expect(first.offsetMs(sentAtMs, ["m"])).toBe(-60 * MINUTE_MS);
    first.failed();
    expect(clocks.of("acme", NOW_MS + 58 * MINUTE_MS).offsetMs(sentAtMs, ["m"])).toBe(-60 * MINUTE_MS);
  });

  it("is nobody else's: not of another organization, of other ids, of what did not fail, nor of what has no id", () => {
    const clocks = new SenderClocks();
    const first = clocks.of("acme", NOW_MS);
    const long = "x".repeat(SERVER_LIMITS.clockIdChars + 1);
    expect(first.offsetMs(NOW_MS, ["m", null, 5, long])).toBe(0);
    clocks.of("acme", NOW_MS).offsetMs(NOW_MS, ["stored"]);
    first.failed();
    const later = (organization: string, id: unknown) => clocks.of(organization, NOW_MS + 99).offsetMs(NOW_MS, [id]);
    expect([later("acme", "m"), later("bolt", "m"), later("acme", "n"), later("acme", "stored"), later("acme", null), later("acme", 5), later("acme", long)]).toEqual([0, 99, 99, 99, 99, 99, 99]);
  });

  it("is forgotten once very many other ids have failed", () => {
    const clocks = new SenderClocks();
    for (const ids of [["first", "second"], Array.from({ length: SERVER_LIMITS.rememberedClockCount - 1 }, (_, at) => `m${at}`)]) {
      const clock = clocks.of("acme", NOW_MS);
      clock.offsetMs(NOW_MS, ids);
      clock.failed();
    }
    expect(["first", "second"].map((id) => clocks.of("acme", NOW_MS + 99).offsetMs(NOW_MS, [id]))).toEqual([99, 0]);
  });
});
