import {
  BOOLEAN,
  DECIMAL,
  DOUBLE,
  DuckDBDecimalValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBUUIDValue,
  type DuckDBValue,
  TIMESTAMP,
  UUID,
  VARCHAR,
} from "@duckdb/node-api";
import { METADATA_TYPES, type TrafficEvent } from "../traffic.js";

interface Column {
  readonly name: string;
  readonly type: DuckDBType;
  /** Few enough values for an ENUM to pay. */
  readonly isEnum: boolean;
  value(event: TrafficEvent): DuckDBValue;
}

const uuidValue = (id: string) => DuckDBUUIDValue.fromUint128(BigInt(`0x${id.replaceAll("-", "")}`));

const textColumn = (name: string, value: (event: TrafficEvent) => string | null | undefined): Column => ({
  name,
  type: VARCHAR,
  isEnum: true,
  value: (event) => value(event) ?? null,
});

const metadataColumns = Object.entries(METADATA_TYPES).map(
  ([name, type]): Column => ({
    name,
    type: type === "text" ? VARCHAR : type === "number" ? DOUBLE : BOOLEAN,
    isEnum: type === "text",
    value: (event) => event.metadata[name] ?? null,
  }),
);

const hosts = new Map<string, string>();

/** The host of a referrer, as Daybook takes it out of the text while it answers. */
function referrerHost({ referrer }: TrafficEvent): string | null {
  if (referrer === null || referrer === undefined) return null;
  const known = hosts.get(referrer) ?? new URL(referrer).hostname.replace(/^www\./, "");
  hosts.set(referrer, known);
  return known;
}

const moneyScale = 2;
const moneyType = DECIMAL(18, moneyScale);

const moneyValue = (value: number | null) =>
  value === null ? null : new DuckDBDecimalValue(BigInt(Math.round(value * 10 ** moneyScale)), moneyType.width, moneyScale);

// In DuckDB's favour: every metadata key is a column of its own type, known in advance, and so is the host of the referrer.
export const columns: readonly Column[] = [
  { name: "id", type: UUID, isEnum: false, value: (event) => uuidValue(event.id) },
  { name: "created_at", type: TIMESTAMP, isEnum: false, value: (event) => new DuckDBTimestampValue(BigInt(event.createdAt) * 1_000n) },
  textColumn("name", (event) => event.name),
  textColumn("user_id", (event) => event.userId),
  textColumn("project", (event) => event.project),
  textColumn("location_country", (event) => event.locationCountry),
  textColumn("location_region", (event) => event.locationRegion),
  textColumn("location_city", (event) => event.locationCity),
  textColumn("device", (event) => event.device),
  textColumn("os", (event) => event.os),
  textColumn("browser", (event) => event.browser),
  textColumn("screen", (event) => event.screen),
  textColumn("language", (event) => event.language),
  textColumn("referrer", (event) => event.referrer),
  textColumn("url", (event) => event.url),
  textColumn("hostname", (event) => event.hostname),
  textColumn("referrer_host", referrerHost),
  textColumn("company_id", (event) => event.companyId),
  textColumn("currency", (event) => event.currency),
  { name: "external_id", type: VARCHAR, isEnum: false, value: (event) => event.externalId },
  { name: "value", type: moneyType, isEnum: false, value: (event) => moneyValue(event.value) },
  ...metadataColumns,
];
