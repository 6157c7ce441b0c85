import { expect, test } from "vitest";
import { encodeCursor } from "../../../src/query/plan/cursor.js";
import { planSearchEvents } from "../../../src/query/plan/reports/events.js";
import { context, thrown } from "./thrown.js";

const query = {
  project: "shop",
  eventName: "Signup",
  userId: "u1",
  startDate: "2026-03-01",
  endDate: "2026-03-31",
  filterGroups: [{ filters: [{ fieldName: "device", operator: "=", value: "mobile" }] }],
};
const position = { createdAtMs: 5, id: "0190c7a0-1234-7abc-8def-0123456789ab", project: "shop", sequence: 9 };
const cursor = encodeCursor("searchEvents", position, planSearchEvents(query, context).fingerprint, context.cursorKey);

test("the first page has no cursor and 100 rows", () => {
  expect(planSearchEvents({}, context)).toMatchObject({ report: "searchEvents", limit: 100, cursor: null });
  expect(planSearchEvents({ limit: null, cursor: null }, context)).toEqual(planSearchEvents(undefined, context));
});

test("a cursor continues its query, also with another limit and in another spelling", () => {
  expect(planSearchEvents({ ...query, cursor }, context).cursor).toEqual(position);
  expect(planSearchEvents({ ...query, cursor, limit: 7 }, context)).toMatchObject({ limit: 7, cursor: position });
  const spelled = [{ filters: [{ fieldName: "device", operator: " EQ ", value: "mobile" }] }, { filters: [] }];
  const startDate = "2026-03-01T00:00:00Z";
  expect(planSearchEvents({ ...query, startDate, filterGroups: spelled, cursor }, context).cursor).toEqual(position);
});

test.each<[string, object]>([
  ["project", { project: "blog" }],
  ["no project", { project: null }],
  ["event name", { eventName: "Login" }],
  ["user", { userId: "u2" }],
  ["start", { startDate: "2026-03-02" }],
  ["end", { endDate: "2026-03-30" }],
  ["no filters", { filterGroups: null }],
  ["operator", { filterGroups: [{ filters: [{ fieldName: "device", operator: "!=", value: "mobile" }] }] }],
  ["field", { filterGroups: [{ filters: [{ fieldName: "os", operator: "=", value: "mobile" }] }] }],
  ["value", { filterGroups: [{ filters: [{ fieldName: "device", operator: "=", value: "Mobile" }] }] }],
])("another %s is a cursor_mismatch", (_, change) => {
  expect(thrown(() => planSearchEvents({ ...query, ...change, cursor }, context))).toEqual(["cursor_mismatch", "cursor"]);
});

test("an empty cursor is invalid, a cursor that is no text is of a wrong type", () => {
  expect(thrown(() => planSearchEvents({ cursor: "" }, context))).toEqual(["invalid_cursor", "cursor"]);
  expect(thrown(() => planSearchEvents({ cursor: 5 }, context))).toEqual(["invalid_parameter", "cursor"]);
});

test.each([1, 1_000])("a limit of %d is accepted", (limit) => {
  expect(planSearchEvents({ limit }, context).limit).toBe(limit);
});

test.each([0, -1, 1_001, 1.5, "10", Number.NaN, Number.POSITIVE_INFINITY, true, [10]])("a limit of %j is refused", (limit) => {
  expect(thrown(() => planSearchEvents({ limit }, context))).toEqual(["invalid_parameter", "limit"]);
});
