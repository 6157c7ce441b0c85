import { expect, test } from "vitest";
import { planAggregate } from "../../../src/query/plan/reports/events.js";
import { FIELD_NAMES } from "../../../src/query/plan/field-names.js";
import { operandOf } from "../../../src/query/plan/filters/field-operand.js";
import { context, thrown } from "./thrown.js";

const plan = (input: unknown) => planAggregate(input, context);

test.each(["location_country", "location_city", "location_region", "device", "os", "browser", "screen", "language", "referrer",
  "url", "hostname"])("%s groups by its column", (field) => {
  expect(plan({ field })).toMatchObject({ report: "aggregate", by: { kind: "field", field }, limit: null, userId: null });
});

test("user_id groups by the raw field", () => {
  expect(plan({ field: "user_id" }).by).toEqual({ kind: "field", field: "userId" });
});

test.each(FIELD_NAMES)("%s groups by what a filter of this name reads", (field) => {
  expect(plan({ field }).by).toEqual(operandOf(field));
});

test.each(["metadata.plan", "metadata.cart.total", "person.plan", "person.email", "company.size", "first_touch.source", "last_touch.campaign"])(
  "%s groups by what a filter of this name reads, though it stands in no list of names",
  (field) => {
    expect(plan({ field }).by).toEqual(operandOf(field));
  },
);

test("measure is events or unique_users", () => {
  expect([undefined, null, "events", "unique_users"].map((measure) => plan({ field: "os", measure }).measure)).toEqual(["events", "events", "events", "unique_users"]);
  for (const measure of ["sessions", "", 1]) expect(thrown(() => plan({ field: "os", measure }))).toEqual(["invalid_parameter", "measure"]);
});

test("metadataField groups by a path, null being the same as absent", () => {
  expect(plan({ metadataField: "plan", field: null }).by).toEqual({ kind: "metadataPath", path: "plan" });
  expect(plan({ metadataField: "cart.total" }).by).toEqual({ kind: "metadataPath", path: "cart.total" });
});

test.each([{}, undefined, { field: null, metadataField: null }, { field: "os", metadataField: "plan" }])(
  "%j does not give exactly one",
  (input) => {
    expect(thrown(() => plan(input))).toEqual(["exactly_one_required", "field"]);
  },
);

test.each(["", "Name", "plan", "a.b", "metadata.", "person.", "company.", "first_touch.", "first_touch.who", "constructor", "__proto__", "metadata.\ud800", 7, ["os"]])(
  "%j is no field to aggregate by",
  (field) => {
    expect(thrown(() => plan({ field }))).toEqual(["invalid_parameter", "field"]);
  },
);

test.each(["", 7, "\ud800"])("%j is no metadata field", (metadataField) => {
  expect(thrown(() => plan({ metadataField }))).toEqual(["invalid_parameter", "metadataField"]);
});

test("limit is a positive integer of any size", () => {
  expect(plan({ field: "os", limit: 5_000_000 }).limit).toBe(5_000_000);
  for (const limit of [0, -1, 2.5, "3", 2 ** 53]) {
    expect(thrown(() => plan({ field: "os", limit })), String(limit)).toEqual(["invalid_parameter", "limit"]);
  }
});
