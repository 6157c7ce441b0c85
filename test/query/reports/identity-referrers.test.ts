import type { EventInput } from "daybook";
import { expect, test } from "vitest";
import { hash128, toHex } from "../../../src/core/base/hash.js";
import { DAY, NOW, inEveryLayout } from "./layouts.js";

const T = Date.UTC(2026, 2, 10);
let nextId = 0;
const from = (referrer: string | null, ms = T, userId = "ann"): EventInput => ({ id: `r${(nextId += 1)}`, name: "x", userId, createdAt: ms, referrer });

test("referrers are counted as they stand, the most frequent first, ties by code point", async () => {
  const events = [
    from("https://a.example/"), from("https://a.example"), from("https://a.example"), from("～"), from("\u{1F600}"), from("B"), from("b"), from(null),
    from("https://a.example", T - 60 * DAY), from("https://a.example", NOW + 1), from("bobs", T, "bob"),
  ];
  await inEveryLayout(events, async (daybook) => {
    const { identityId, referrers } = await daybook.identityReferrers({ userId: "ann" });
    expect(identityId).toBe(`idn_${toHex(hash128("user", "ann"))}`);
    expect(referrers).toEqual([
      { referrer: "https://a.example", count: 2 },
      { referrer: "B", count: 1 },
      { referrer: "b", count: 1 },
      { referrer: "https://a.example/", count: 1 },
      { referrer: "～", count: 1 },
      { referrer: "\u{1F600}", count: 1 },
    ]);
    expect((await daybook.identityReferrers({ userId: "ann", limit: 2 })).referrers).toEqual(referrers.slice(0, 2));
    expect((await daybook.identityReferrers({ userId: "ann", startDate: "2026-03-11" })).referrers).toEqual([]);
    expect((await daybook.identityReferrers({ userId: "ann", startDate: "2026-01-01" })).referrers[0]).toEqual({ referrer: "https://a.example", count: 3 });
  });
});

test("ten are shown when nobody says how many", async () => {
  const events = Array.from({ length: 12 }, (_, n) => from(`r${String(n).padStart(2, "0")}`));
  await inEveryLayout(events, async (daybook) => {
    const { referrers } = await daybook.identityReferrers({ userId: "ann" });
    expect(referrers.map(({ referrer }) => referrer)).toEqual(events.slice(0, 10).map(({ referrer }) => referrer));
  });
});
