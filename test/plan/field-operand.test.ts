import { expect, test } from "vitest";
import { operandOf } from "../../src/plan/field-operand.js";

test.each([
  "name", "notify", "slug", "userId", "project", "location_country", "location_city", "location_region",
  "location_lon", "location_lat", "device", "os", "browser", "screen", "language", "referrer", "url", "hostname",
])("%s is the event field of that name", (name) => {
  expect(operandOf(name)).toEqual({ kind: "field", field: name });
});

test.each([
  ["id", { kind: "id" }],
  ["createdAt", { kind: "createdAt" }],
  ["created_at", { kind: "createdAt" }],
  ["user_id", { kind: "field", field: "userId" }],
  ["event_name", { kind: "field", field: "name" }],
  ["country", { kind: "field", field: "location_country" }],
  ["region", { kind: "field", field: "location_region" }],
  ["city", { kind: "field", field: "location_city" }],
  ["path", { kind: "path" }],
  ["referrer_domain", { kind: "referrerDomain" }],
  ["identity_id", { kind: "identityId" }],
  ["company_id", { kind: "companyId" }],
])("%s is %j", (name, operand) => {
  expect(operandOf(name)).toEqual(operand);
});

test.each(["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "plan", "Device", "locationCountry",
  "a.b", "metadata", "__proto__", "constructor", " device"])("%j is a top-level metadata key", (name) => {
  expect(operandOf(name)).toEqual({ kind: "metadataKey", key: name });
});

test("metadata. introduces a path, whatever the path looks like", () => {
  expect(operandOf("metadata.plan")).toEqual({ kind: "metadataPath", path: "plan" });
  expect(operandOf("metadata.cart.total")).toEqual({ kind: "metadataPath", path: "cart.total" });
  expect(operandOf("metadata.device")).toEqual({ kind: "metadataPath", path: "device" });
  expect(operandOf("metadata..")).toEqual({ kind: "metadataPath", path: "." });
});

test("metadata. without a path names nothing", () => {
  expect(operandOf("metadata.")).toBeNull();
});
