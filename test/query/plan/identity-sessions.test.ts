import { expect, test } from "vitest";
import { encodeCursor } from "../../../src/query/plan/cursor.js";
import { planIdentitySessions } from "../../../src/query/plan/reports/identity.js";
import { planSearchEvents } from "../../../src/query/plan/reports/events.js";
import { ruled } from "./ruled-context.js";
import { thrown } from "./thrown.js";

const query = { userId: "u1", startDate: "2026-03-01", endDate: "2026-03-20" };
const position = { createdAtMs: 5, id: "0190c7a0-1234-7abc-8def-0123456789ab", project: "shop", sequence: 9 };
const cursorOf = (input: object, context = ruled) =>
  encodeCursor("identitySessions", position, planIdentitySessions(input, context).fingerprint, ruled.cursorKey);
const cursor = cursorOf(query);

test("a cursor continues its query, also with another limit and the same dates written otherwise", () => {
  expect(planIdentitySessions({ ...query, cursor }, ruled).cursor).toEqual(position);
  expect(planIdentitySessions({ ...query, startDate: "2026-03-01T00:00:00Z", cursor, limit: 3 }, ruled)).toMatchObject({ limit: 3, cursor: position });
  expect(planIdentitySessions({ ...query, cursor: null }, ruled).cursor).toBeNull();
});

test("without dates a cursor outlives the minute in which it was given", () => {
  const later = { ...ruled, nowMs: ruled.nowMs + 60_000 };
  const open = cursorOf({ userId: "u1" });
  expect(planIdentitySessions({ userId: "u1", cursor: open }, later)).toMatchObject({
    cursor: position,
    window: { toMs: later.nowMs + 1 },
  });
});

test.each<[string, object]>([
  ["user", { userId: "u2" }],
  ["kind of id", { userId: null, email: "u1" }],
  ["start", { startDate: "2026-03-02" }],
  ["end", { endDate: "2026-03-21" }],
  ["start, left out,", { startDate: null }],
  ["end, left out,", { endDate: null }],
])("another %s is a cursor_mismatch", (_, change) => {
  expect(thrown(() => planIdentitySessions({ ...query, ...change, cursor }, ruled))).toEqual(["cursor_mismatch", "cursor"]);
});

test("a cursor of a search, of another store, an altered and an empty one are invalid", () => {
  const search = encodeCursor("searchEvents", position, planSearchEvents({}, ruled).fingerprint, ruled.cursorKey);
  const foreign = encodeCursor("identitySessions", position, planIdentitySessions(query, ruled).fingerprint, new Uint8Array(32));
  for (const text of [search, foreign, `${cursor.slice(0, -2)}AA`, cursor.toUpperCase(), ""])
    expect(thrown(() => planIdentitySessions({ ...query, cursor: text }, ruled)), text).toEqual(["invalid_cursor", "cursor"]);
  expect(thrown(() => planIdentitySessions({ ...query, cursor: 5 }, ruled))).toEqual(["invalid_parameter", "cursor"]);
});
