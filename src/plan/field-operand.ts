import type { Operand } from "./plan.js";

const field = (name: string): Operand => ({ kind: "field", field: name });
const metadataKey = (key: string): Operand => ({ kind: "metadataKey", key });

const TEXT_FIELDS = [
  "name", "notify", "slug", "userId", "project", "location_country", "location_city", "location_region",
  "location_lon", "location_lat", "device", "os", "browser", "screen", "language", "referrer", "url", "hostname",
];

const NAMED = new Map<string, Operand>([
  ...TEXT_FIELDS.map((name) => [name, field(name)] as const),
  ["id", { kind: "id" }],
  ["createdAt", { kind: "createdAt" }],
  ["user_id", field("userId")],
  ["event_name", field("name")],
  ["created_at", { kind: "createdAt" }],
  ["country", field("location_country")],
  ["region", field("location_region")],
  ["city", field("location_city")],
  ["path", { kind: "path" }],
  ["referrer_domain", { kind: "referrerDomain" }],
  ["utm_source", metadataKey("utm_source")],
  ["utm_medium", metadataKey("utm_medium")],
  ["utm_campaign", metadataKey("utm_campaign")],
  ["utm_term", metadataKey("utm_term")],
  ["utm_content", metadataKey("utm_content")],
  ["identity_id", { kind: "identityId" }],
  ["company_id", { kind: "companyId" }],
]);

const METADATA_PREFIX = "metadata.";

/**
 * Where a filter's field name finds its value: an event field, an alias, `metadata.<path>`, else the top-level
 * metadata key of that name. Null for `metadata.` without a path.
 */
export function operandOf(fieldName: string): Operand | null {
  const named = NAMED.get(fieldName);
  if (named !== undefined) return named;
  if (!fieldName.startsWith(METADATA_PREFIX)) return metadataKey(fieldName);
  const path = fieldName.slice(METADATA_PREFIX.length);
  return path === "" ? null : { kind: "metadataPath", path };
}
