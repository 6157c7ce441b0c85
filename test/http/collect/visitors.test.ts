import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixedClock } from "../../../src/core/base/time.js";
import { sha256Hex } from "../../../src/core/base/hash.js";
import { memoryStorage, openDaybook } from "../../../src/index.js";
import { organizationsOnDemand } from "../../../src/http/access/organizations.js";
import { Collector, collectOptions } from "../../../src/http/collect/collector.js";
import { readSalts, saltsBytes, saltsOfDay, Visitors } from "../../../src/http/collect/visitors.js";
import type { SaltKeeper, LastSeen, Sender, VisitorsOptions } from "../../../src/http/collect/visitors.js";
import { collect, FIREFOX, NOON_MS, setting } from "./kit.js";

const MINUTE_MS = 60_000;
const MIDNIGHT_MS = Date.parse("2026-03-11T00:00:00.000Z");
const ANN: Sender = { site: "default\0shop", address: "192.0.2.1", userAgent: FIREFOX };

/** Keeps bytes as a file does. */
function keeper(): SaltKeeper & { bytes: Uint8Array | null } {
  const kept = {
    bytes: null as Uint8Array | null,
    read: () => Promise.resolve(kept.bytes),
    keep: (bytes: Uint8Array) => {
      kept.bytes = bytes.slice();
      return Promise.resolve();
    },
  };
  return kept;
}

/** Random bytes that a test can foresee: each draw is another. */
function counting(): (bytes: Uint8Array) => void {
  let draw = 0;
  return (bytes) => void bytes.fill((draw += 1));
}

async function* nobody(): AsyncGenerator<LastSeen> {}

function visitors(options: Partial<VisitorsOptions> = {}) {
  const clock = fixedClock(NOON_MS);
  const made = new Visitors({ keeper: keeper(), clock, random: counting(), seenSince: nobody, onNewSalt: () => undefined, ...options });
  /** Who sends at a time of the clock. */
  const at = async (nowMs: number, sender = ANN, ageMs = 0) => {
    clock.set(nowMs);
    await made.ready();
    return made.idOf(sender, nowMs - ageMs);
  };
  return { at, made, clock };
}

describe("a visitor without cookies", () => {
  it("is one all day, by site, address and user agent, and another the next day", async () => {
    const { at } = visitors();
    const id = await at(NOON_MS);
    expect(await at(NOON_MS + 5 * 3_600_000)).toBe(id);
    for (const [member, value] of [["site", "default\0blog"], ["address", "192.0.2.2"], ["userAgent", "other"]]) {
      expect(await at(NOON_MS, { ...ANN, [member as string]: value })).not.toBe(id);
    }
    expect(await at(NOON_MS + 24 * 3_600_000)).not.toBe(id);
  });

  it("stays one over midnight until the session ends", async () => {
    const { at } = visitors();
    const id = await at(MIDNIGHT_MS - 10 * MINUTE_MS);
    expect(await at(MIDNIGHT_MS + 20 * MINUTE_MS)).toBe(id);
    expect(await at(MIDNIGHT_MS + 50 * MINUTE_MS)).toBe(id);
    const next = await at(MIDNIGHT_MS + 81 * MINUTE_MS);
    expect(next).not.toBe(id);
    expect(await at(MIDNIGHT_MS + 82 * MINUTE_MS)).toBe(next);
  });

  it("is somebody new at midnight after a pause of more than 30 minutes", async () => {
    const { at } = visitors();
    const id = await at(MIDNIGHT_MS - 10 * MINUTE_MS);
    expect(await at(MIDNIGHT_MS + 20 * MINUTE_MS + 1)).not.toBe(id);
  });

  it("whose event was late is who they were when it happened", async () => {
    const { at } = visitors();
    const id = await at(MIDNIGHT_MS - 50 * MINUTE_MS);
    expect(await at(MIDNIGHT_MS + 5 * MINUTE_MS, ANN, 10 * MINUTE_MS)).toBe(id);
    // That was a part of a session, which goes on.
    expect(await at(MIDNIGHT_MS + 10 * MINUTE_MS)).toBe(id);
  });

  it("stays one over midnight although what told that the session went on came late", async () => {
    const { at } = visitors();
    const id = await at(MIDNIGHT_MS - 10 * MINUTE_MS);
    expect(await at(MIDNIGHT_MS + 50 * MINUTE_MS, ANN, 45 * MINUTE_MS)).toBe(id);
  });

  it("stays one where the clock is put right over midnight", async () => {
    const { at } = visitors();
    const id = await at(MIDNIGHT_MS - MINUTE_MS);
    const next = await at(MIDNIGHT_MS + 40 * MINUTE_MS);
    expect(next).not.toBe(id);
    expect(await at(MIDNIGHT_MS - 1)).toBe(id);
    expect(await at(MIDNIGHT_MS + 40 * MINUTE_MS)).toBe(next);
  });

  it("stays one over a restart, in a session over midnight too", async () => {
    const kept = keeper();
    const id = await visitors({ keeper: kept }).at(MIDNIGHT_MS - 10 * MINUTE_MS);
    const seen: LastSeen[] = [{ id, atMs: MIDNIGHT_MS - 10 * MINUTE_MS }];
    const seenSince = async function* (sinceMs: number) {
      for (const each of seen) if (each.atMs >= sinceMs) yield await Promise.resolve(each);
    };
    const again = visitors({ keeper: kept, random: counting(), seenSince });
    expect(await again.at(MIDNIGHT_MS - MINUTE_MS)).toBe(id);
    const next = visitors({ keeper: kept, random: (bytes) => void bytes.fill(99), seenSince });
    expect(await next.at(MIDNIGHT_MS + 15 * MINUTE_MS)).toBe(id);
    expect(await next.at(MIDNIGHT_MS + 15 * MINUTE_MS, { ...ANN, address: "192.0.2.2" })).not.toBe(id);
  });

  it("whose salt cannot be kept sends again, and nothing is made under it", async () => {
    let isFull = true;
    const kept = keeper();
    const failing = { ...kept, keep: (bytes: Uint8Array) => (isFull ? Promise.reject(new Error("disk full")) : kept.keep(bytes)) };
    const { at, made } = visitors({ keeper: failing });
    await expect(at(NOON_MS)).rejects.toThrow("disk full");
    expect(() => made.idOf(ANN, NOON_MS)).toThrow("expected the salt");
    isFull = false;
    expect(await at(NOON_MS)).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe("salts", () => {
  it("are kept for their day and the next, then nothing of them is left", async () => {
    const kept = keeper();
    const { at } = visitors({ keeper: kept });
    await at(NOON_MS);
    const [first, day] = [readSalts(kept.bytes), 24 * 3_600_000];
    await at(NOON_MS + day);
    const second = readSalts(kept.bytes);
    expect(second?.previous).toEqual(first?.salt);
    await at(NOON_MS + 2 * day);
    const third = readSalts(kept.bytes);
    expect(third?.previous).toEqual(second?.salt);
    expect([third?.salt, third?.previous]).not.toContainEqual(first?.salt);
  });

  it("of a day that lies further back are gone at once", () => {
    const known = { day: 10, salt: new Uint8Array(32).fill(1), previous: new Uint8Array(32).fill(2) };
    expect(saltsOfDay(10, known, counting())).toBe(known);
    expect(saltsOfDay(11, known, counting()).previous).toEqual(known.salt);
    expect(saltsOfDay(12, known, counting()).previous).toBeNull();
    expect(saltsOfDay(8, known, counting()).previous).toBeNull();
    // A clock that was put right a little stands before midnight again.
    expect(saltsOfDay(9, known, counting())).toBe(known);
  });

  it("are read as they were written, and half of them is none", () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99_999_999 }), bytes, fc.option(bytes), fc.nat(150), (day, salt, before, cut) => {
        const written = saltsBytes({ day, salt: Uint8Array.from(salt), previous: before === null ? null : Uint8Array.from(before) });
        expect(readSalts(written)).toEqual({ day, salt: Uint8Array.from(salt), previous: before === null ? null : Uint8Array.from(before) });
        expect(written).toHaveLength(139);
        if (cut < written.length) expect(readSalts(written.subarray(0, cut))).toBeNull();
      }),
    );
  });

  it("take what is remembered of user agents with them", async () => {
    const read: string[] = [];
    const there = await setting({ parseUserAgent: (text) => (read.push(text), { device: "desktop" }) });
    await collect(there);
    await collect(there);
    expect(read).toEqual([FIREFOX]);
    there.clock.set(NOON_MS + 24 * 3_600_000);
    await collect(there);
    await collect(there);
    expect(read).toEqual([FIREFOX, FIREFOX]);
  });
});

it("who was seen is found in the store after a restart", async () => {
  const clock = fixedClock(MIDNIGHT_MS - 10 * MINUTE_MS);
  const daybook = await openDaybook({ storage: memoryStorage(), clock });
  const salts = keeper();
  const organizations = organizationsOnDemand({ default: daybook });
  const take = async (nowMs: number) => {
    clock.set(nowMs);
    // A process of its own each time.
    const collector = new Collector(collectOptions({ salts }), () => ({}), organizations, clock);
    const key = {
      id: "k", sha256: sha256Hex("pk_a"), organization: "default", project: "shop", role: "viewer", scopes: [],
      created_at: null, expires_at: null, revoked_at: null,
    } as const;
    const header = (name: string) => (name === "user-agent" ? FIREFOX : null);
    await collector.collect({ key, rules: { origins: ["*"], ids: [] }, events: [{}], address: "192.0.2.1", header, receivedAtMs: nowMs, onSentNotices: () => undefined });
    collector.stop();
  };
  await take(MIDNIGHT_MS - 10 * MINUTE_MS);
  await take(MIDNIGHT_MS + 15 * MINUTE_MS);
  expect(await daybook.countUniqueUsers({})).toBe(1);
  await take(MIDNIGHT_MS + 46 * MINUTE_MS);
  expect(await daybook.countUniqueUsers({})).toBe(2);
});
