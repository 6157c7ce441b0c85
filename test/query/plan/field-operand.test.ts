import { expect, test } from "vitest";
import { snakeCase } from "../../../src/http/wire/wire-names.js";
import { FIELD_NAMES } from "../../../src/query/plan/field-names.js";
import { operandOf } from "../../../src/query/plan/filters/field-operand.js";

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

test.each(["anonymousId", "externalId", "userId", "locationCountry", "locationLat", "eventName", "createdAt", "referrerDomain", "identityId",
  "companyId", "touchSource", "touchMedium", "touchCampaign", "utmTerm"])("%s is the same in snake_case", (name) => {
  expect(operandOf(name)).toEqual(operandOf(snakeCase(name)));
  expect(FIELD_NAMES).toContain(snakeCase(name));
});

test("every field with two words has both spellings", () => {
  for (const name of FIELD_NAMES) {
    const camel = name.replace(/_[a-z]/g, (letters) => letters.slice(1).toUpperCase());
    expect(operandOf(camel)).toEqual(operandOf(name));
    expect(FIELD_NAMES).toEqual(expect.arrayContaining([camel, snakeCase(name)]));
  }
});

test.each(["value", "currency"])("%s is the event's own, else the metadata key", (name) => {
  expect(operandOf(name)).toEqual({ kind: "member", field: name });
});

test.each(["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"])("%s is the metadata key of that name", (name) => {
  expect(operandOf(name)).toEqual({ kind: "metadataKey", key: name });
});

test.each(["plan", "Device", "a.b", "metadata", "__proto__", "constructor", " device"])("%j is a top-level metadata key", (name) => {
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
