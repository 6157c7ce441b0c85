import { describe, expect, it } from "vitest";
import { fixedClock } from "../../../src/core/base/time.js";
import { sha256Hex } from "../../../src/core/base/hash.js";
import { SERVER_LIMITS } from "../../../src/core/base/server-limits.js";
import { Repeats } from "../../../src/http/clients/client.js";

const START_MS = 1_000_000;

/** Ids handed out for the same text, each asked for at its ms and answered at once. */
function idsAt(atMs: readonly number[], text: (nth: number) => string = () => "a", named: ((nth: number) => string) | null = null): number[] {
  const clock = fixedClock(START_MS);
  const repeats = new Repeats(clock, sha256Hex);
  const ids = atMs.map((ms, nth) => {
    clock.set(START_MS + ms);
    const handed = repeats.assign(text(nth), clock.now(), named);
    repeats.answered(handed, false);
    return handed.id;
  });
  return ids.map((id) => ids.indexOf(id));
}

describe("equal calls without an id", () => {
  it("are one that is sent again where the second comes after a pause of the client, and several where it comes sooner or later", () => {
    expect(idsAt([0, 500])).toEqual([0, 0]);
    // The pauses of one call: 500, 1,000 and 2,000 ms.
    expect(idsAt([0, 510, 1_530, 3_560])).toEqual([0, 0, 0, 0]);
    expect(idsAt([0, SERVER_LIMITS.repeatPauseMs - 1])).toEqual([0, 1]);
    expect(idsAt([0, SERVER_LIMITS.repeatMs])).toEqual([0, 1]);
  });

  it("that came at once and are sent again are as many as they were", () => {
    expect(idsAt([0, 1, 2, 502, 503, 504])).toEqual([0, 1, 2, 0, 1, 2]);
    expect(idsAt([0, 1, 502, 503, 504])).toEqual([0, 1, 0, 1, 4]);
  });

  it("are several however long they come, where they come without a pause", () => {
    const atMs = Array.from({ length: 100 }, (_, nth) => nth * 100);
    expect(idsAt(atMs)).toEqual(atMs.map((_, nth) => nth));
  });

  it("differ by their text, and random ids by the process", () => {
    expect(idsAt([0, 500], (nth) => `of sender ${nth}`)).toEqual([0, 1]);
    const [one, other] = [0, 1].map(() => new Repeats(fixedClock(START_MS), sha256Hex).assign("a", START_MS, null).id);
    expect(one).not.toBe(other);
  });

  it("with a time are numbered, so that the first of them is the same for ever", () => {
    expect(idsAt([0, 0, 60_000], () => "a", (nth) => `number ${nth}`)).toEqual([0, 1, 0]);
  });

  it("are sent again for certain where they were refused, so these are meant first", () => {
    const clock = fixedClock(START_MS);
    const repeats = new Repeats(clock, sha256Hex);
    const [stored, refused] = [repeats.assign("a", START_MS, null), repeats.assign("a", START_MS, null)];
    repeats.answered(stored, false);
    repeats.answered(refused, true);
    clock.set(START_MS + 500);
    expect([1, 2].map(() => repeats.assign("a", START_MS + 500, null).id)).toEqual([refused.id, stored.id]);
  });

  it("may be sent again while the first is under way, however long that takes", () => {
    const clock = fixedClock(START_MS);
    const repeats = new Repeats(clock, sha256Hex);
    const { id } = repeats.assign("a", START_MS, null);
    clock.set(START_MS + 60_000);
    expect(repeats.assign("a", START_MS + 60_000, null).id).toBe(id);
  });

  it("are remembered up to a bound, the newest", () => {
    const count = SERVER_LIMITS.equalRepeatCount + 1;
    const ids = idsAt([...Array.from({ length: count }, () => 0), 500]);
    expect([ids[1], ids.at(-1)]).toEqual([1, 1]);
  });
});
