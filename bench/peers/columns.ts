import { METADATA_TYPES, type TrafficEvent } from "../traffic.js";

/** Of the texts, `text` has some thousand values at most, `userId` one in twenty rows or so, `key` another in each row. */
export type ColumnKind = "uuid" | "instant" | "text" | "userId" | "key" | "money" | "number" | "boolean";

export type ColumnValue = string | number | boolean | null;

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Null where it is not set; an instant in epoch ms. */
  value(event: TrafficEvent): ColumnValue;
}

const column = (name: string, kind: ColumnKind, value: (event: TrafficEvent) => ColumnValue | undefined): Column => ({
  name,
  kind,
  value: (event) => value(event) ?? null,
});

const metadataColumns = Object.entries(METADATA_TYPES).map(([name, kind]) => column(name, kind, ({ metadata }) => metadata[name]));

const hosts = new Map<string, string>();

/** The host of a referrer, as Daybook takes it out of the text while it answers. */
function referrerHost({ referrer }: TrafficEvent): string | null {
  if (referrer === null || referrer === undefined) return null;
  const known = hosts.get(referrer) ?? new URL(referrer).hostname.replace(/^www\./, "");
  hosts.set(referrer, known);
  return known;
}

// In the peers' favour: every metadata key is a column of its own type, known in advance, and so is the host of the referrer.
export const columns: readonly Column[] = [
  column("id", "uuid", (event) => event.id),
  column("created_at", "instant", (event) => event.createdAt),
  column("name", "text", (event) => event.name),
  column("user_id", "userId", (event) => event.userId),
  column("project", "text", (event) => event.project),
  column("location_country", "text", (event) => event.locationCountry),
  column("location_region", "text", (event) => event.locationRegion),
  column("location_city", "text", (event) => event.locationCity),
  column("device", "text", (event) => event.device),
  column("os", "text", (event) => event.os),
  column("browser", "text", (event) => event.browser),
  column("screen", "text", (event) => event.screen),
  column("language", "text", (event) => event.language),
  column("referrer", "text", (event) => event.referrer),
  column("url", "text", (event) => event.url),
  column("hostname", "text", (event) => event.hostname),
  column("referrer_host", "text", referrerHost),
  column("company_id", "text", (event) => event.companyId),
  column("currency", "text", (event) => event.currency),
  column("external_id", "key", (event) => event.externalId),
  column("value", "money", (event) => event.value),
  ...metadataColumns,
];
