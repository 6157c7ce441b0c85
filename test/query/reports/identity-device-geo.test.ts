import type { EventInput } from "daybook";
import { expect, test } from "vitest";
import { DAY, MINUTE, NOW, inEveryLayout, iso } from "./layouts.js";

const T = Date.UTC(2026, 2, 10, 12);
const none = {
  device: null, os: null, browser: null, screen: null, language: null, locationCountry: null, locationRegion: null, locationCity: null, locationLat: null, locationLon: null,
};
const at = (id: string, ms: number, more: Partial<EventInput>): EventInput => ({ id, name: "x", userId: "ann", createdAt: ms, ...more });

test("current is the newest event that tells anything, history the distinct combinations", async () => {
  const phone = { device: "mobile", os: "iOS", locationCountry: "DE", locationCity: "Berlin" };
  const desk = { device: "desktop", browser: "Firefox", screen: "1440x900", language: "de-DE", locationRegion: "BE" };
  const events = [
    at("before", T - 60 * DAY, phone),
    at("a", T, { ...phone, locationLat: "52.5", locationLon: "13.4" }),
    at("b", T + MINUTE, desk),
    at("c", T + 2 * MINUTE, { ...phone, locationLat: "52.6" }),
    at("d", T + 3 * MINUTE, { locationLon: "9.9" }),
    at("e", T + 4 * MINUTE, {}),
    at("after", NOW + MINUTE, desk),
    at("others", T + 5 * MINUTE, { userId: "bob", device: "tv" }),
  ];
  await inEveryLayout(events, async (daybook) => {
    const answer = await daybook.identityDeviceGeo({ userId: "ann" });
    expect(answer.current).toEqual({ ...none, locationLon: "9.9", seenAt: iso(T + 3 * MINUTE) });
    expect(answer.history).toEqual([
      { ...none, ...phone, locationLat: "52.6", firstSeen: iso(T), lastSeen: iso(T + 2 * MINUTE), events: 2 },
      { ...none, ...desk, firstSeen: iso(T + MINUTE), lastSeen: iso(T + MINUTE), events: 1 },
    ]);
  });
});

test("nothing told is nothing shown", async () => {
  await inEveryLayout([at("a", T, { url: "/" })], async (daybook) => {
    const { current, history } = await daybook.identityDeviceGeo({ userId: "ann" });
    expect([current, history]).toEqual([null, []]);
  });
});

test("combinations last seen at one millisecond are ordered field by field, what is not set first", async () => {
  const combinations: Partial<EventInput>[] = [
    { locationCity: "Ulm" },
    { locationRegion: "A", locationCity: "Aachen" },
    { language: "en", locationCountry: "AT" },
    { os: "B" },
    { device: "\u{1F600}" },
    { device: "～" },
    { device: "a", os: "Z" },
    { device: "a", os: "a" },
    { device: "b" },
  ];
  const order = [0, 1, 2, 3, 6, 7, 8, 5, 4];
  await inEveryLayout(combinations.map((fields, n) => at(`c${n}`, T, fields)), async (daybook) => {
    const { history } = await daybook.identityDeviceGeo({ userId: "ann" });
    const shown = history.map(({ firstSeen: _first, lastSeen: _last, events: _events, ...entry }) => entry);
    expect(shown).toEqual(order.map((n) => ({ ...none, ...combinations[n] })));
  });
});

test("the hundred combinations seen last are shown", async () => {
  const events = Array.from({ length: 130 }, (_, n) => at(`n${n}`, T + n, { screen: `${n}x1`, device: n % 2 === 0 ? "mobile" : "desktop" }));
  await inEveryLayout(events, async (daybook) => {
    const { history } = await daybook.identityDeviceGeo({ userId: "ann" });
    expect(history.map(({ screen }) => screen)).toEqual(Array.from({ length: 100 }, (_, n) => `${129 - n}x1`));
  });
});

test("a combination that comes back is the same one, whatever lay between", async () => {
  const events = Array.from({ length: 60 }, (_, n) => at(`n${n}`, T + n, { os: `os ${n % 7}`, browser: `b ${n % 3}` }));
  await inEveryLayout(events, async (daybook) => {
    const { history } = await daybook.identityDeviceGeo({ userId: "ann" });
    expect(history).toHaveLength(21);
    expect(history.reduce((sum, { events: count }) => sum + count, 0)).toBe(60);
    expect(history[0]).toMatchObject({ os: "os 3", browser: "b 2", events: 3, firstSeen: iso(T + 17), lastSeen: iso(T + 59) });
  });
});

test("history ends with a hundred combinations, of those last seen at one time by their texts", async () => {
  // Names in another order than events.
  const browserOf = (place: number) => `browser ${String((place * 37) % 130).padStart(3, "0")}`;
  const events = Array.from({ length: 130 }, (_, place) => at(`event ${place}`, place < 50 ? T + (place + 1) * MINUTE : T, { browser: browserOf(place) }));
  const newer = events.slice(0, 50).reverse().map(({ browser }) => browser);
  const tied = events.slice(50).map(({ browser }) => browser ?? "").sort();
  await inEveryLayout(events, async (daybook) => {
    const { history } = await daybook.identityDeviceGeo({ userId: "ann" });
    expect(history.map(({ browser }) => browser)).toEqual([...newer, ...tied.slice(0, 50)]);
  });
});
