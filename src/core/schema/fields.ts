/** One stored text field of an event. */
export interface FieldRow {
  /** Name of the column, and of the field on the wire. */
  readonly column: string;
  /** Name in the library. */
  readonly camel: string;
  /** Other names that `ingest` accepts. */
  readonly aliases: readonly string[];
  /** What `ingest` accepts besides text. */
  readonly accepts: "text" | "id" | "textOrNumber" | "boolean" | "number";
}

function text(column: string, camel = column, aliases: readonly string[] = []): FieldRow {
  return { column, camel, aliases, accepts: "text" };
}

/** Every dictionary-encoded field, in the order of the stored columns. To add a field, add an entry. */
export const FIELDS: readonly FieldRow[] = [
  text("name"),
  text("slug"),
  { column: "userId", camel: "userId", aliases: ["user_id"], accepts: "id" },
  { column: "anonymousId", camel: "anonymousId", aliases: ["anonymous_id"], accepts: "id" },
  text("project"),
  text("location_country", "locationCountry", ["location_country"]),
  text("location_city", "locationCity", ["location_city"]),
  text("location_region", "locationRegion", ["location_region"]),
  { ...text("location_lon", "locationLon", ["location_lon"]), accepts: "textOrNumber" },
  { ...text("location_lat", "locationLat", ["location_lat"]), accepts: "textOrNumber" },
  text("device"),
  text("os"),
  text("browser"),
  text("screen"),
  text("language"),
  text("referrer"),
  text("url"),
  text("hostname"),
  { ...text("notify"), accepts: "boolean" },
  { ...text("value"), accepts: "number" },
  text("currency"),
  text("externalId", "externalId", ["external_id"]),
  text("companyId", "companyId", ["company_id"]),
];

export const FIELD_COUNT = FIELDS.length;

const byColumn = new Map(FIELDS.map((field, index) => [field.column, index]));

/** Index of a column in `FIELDS`; -1 if it is not a field. */
export function fieldIndex(column: string): number {
  return byColumn.get(column) ?? -1;
}

export const PROJECT_COLUMN = "project";
/** Columns that do not hold dictionary codes of a field. */
export const TIME_COLUMN = "ms";
export const ID_COLUMN = "id";
export const SEQUENCE_COLUMN = "sequence";
/** The metadata keys of a row, in order: codes of lists of key numbers. */
export const SHAPE_COLUMN = "shape";
/** Dictionaries of metadata key names and of shapes. */
export const KEY_DICTIONARY = "metadataKey";
export const SHAPE_DICTIONARY = "shape";

/** Column and dictionary of the metadata key with this number. */
export function metadataColumn(keyCode: number): string {
  return `m${keyCode}`;
}
