import { shown } from "../base/errors.js";

export interface FieldRow {
  /** Name of the column, and of the field on the wire. */
  readonly column: string;
  readonly camel: string;
  /** Other names that `ingest` accepts. */
  readonly aliases: readonly string[];
  /** Accepted by `ingest` besides text. */
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

/** The project of events sent without one. It always exists. */
export const DEFAULT_PROJECT = "default";

/** Fraction digits by ISO 4217, for currencies that do not have two. */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ..."JPY KRW VND CLP ISK UGX XAF XOF XPF PYG RWF KMF GNF DJF BIF VUV".split(" ").map((code): [string, number] => [code, 0]),
  ..."BHD IQD JOD KWD LYD OMR TND".split(" ").map((code): [string, number] => [code, 3]),
]);

export function digitsOf(currency: string): number {
  return DIGITS.get(currency) ?? 2;
}

const marks = /\p{M}+/gu;
const others = /[^\p{L}\p{N}]+/gu;
const edges = /^-+|-+$/g;

/** The slug of an event name: NFKD, marks stripped, lower case, each run of anything but letters and digits replaced by `-`, trimmed. */
export function slugOf(name: string): string {
  return name.normalize("NFKD").replace(marks, "").toLowerCase().replace(others, "-").replace(edges, "");
}

/** The target of a file column: an event member or a metadata key. */
export interface ColumnPlace {
  /** In camelCase; null for a metadata key. */
  readonly member: string | null;
  readonly key: string;
}

/** Members that are not in `FIELDS`, and names that other products use. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  id: ["id"],
  createdAt: ["createdAt", "timestamp", "time", "created"],
  metadata: ["metadata"],
  identityId: ["identityId"],
  name: ["event", "eventName"],
  userId: ["distinctId", "user"],
  referrer: ["referer"],
};
const METADATA_PREFIX = "metadata.";

const memberOf = new Map<string, string>([
  ...FIELDS.flatMap(({ camel, aliases }) => [camel, ...aliases].map((name): [string, string] => [plain(name), camel])),
  ...Object.entries(OTHER_NAMES).flatMap(([member, names]) => names.map((name): [string, string] => [plain(name), member])),
]);

/**
 * Maps the columns of a file to event members, ignoring case and separators, or else to metadata keys. `metadata.KEY` always means that key.
 * @throws Error for a column without a name, two columns with the same target, or a near-miss of a member name that no other column fills
 */
export function placesOfColumns(columns: readonly string[]): ColumnPlace[] {
  const filled = new Set(columns.map((column) => memberOf.get(plain(column))));
  const places = columns.map((column, index) => placeOf(column, index, filled));
  const first = new Map<string, string>();
  places.forEach(({ member, key }, index) => {
    const column = columns[index] ?? "";
    const place = member ?? METADATA_PREFIX + key;
    const other = first.get(place);
    if (other !== undefined) throw new Error(`the columns ${shown(other)} and ${shown(column)} both fill ${place}: keep one, or rename the other to ${METADATA_PREFIX}NAME`);
    first.set(place, column);
  });
  return places;
}

function placeOf(given: string, index: number, filled: ReadonlySet<string | undefined>): ColumnPlace {
  // A key after the prefix is used verbatim, including trailing blanks.
  const start = given.trimStart();
  if (start.toLowerCase().startsWith(METADATA_PREFIX) && start.length > METADATA_PREFIX.length) return { member: null, key: start.slice(METADATA_PREFIX.length) };
  const column = given.trim();
  const name = plain(column);
  const member = memberOf.get(name);
  if (member !== undefined) return { member, key: column };
  if (column === "") throw new Error(`column ${index + 1} has no name`);
  // Only an export has a column for each member; elsewhere they are metadata keys.
  if ((column === "sequence" || column === "receivedAt") && FIELDS.every(({ camel }) => filled.has(camel))) return { member: column, key: column };
  const near = [...memberOf].find(([known, nearly]) => !filled.has(nearly) && isSlip(name, known));
  if (near === undefined) return { member: null, key: column };
  throw new Error(`the column ${shown(column)} looks like ${near[1]}: rename it to that, or to ${METADATA_PREFIX}${column} for a metadata key`);
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]/g, "");
}

/** Whether a word differs from another by one extra, missing or wrong letter (not the first), or by two swapped neighbours. */
function isSlip(word: string, known: string): boolean {
  if (known.length < 3 || Math.abs(word.length - known.length) > 1) return false;
  let at = 0;
  while (at < word.length && word[at] === known[at]) at += 1;
  const [rest, knownRest] = [word.slice(at), known.slice(at)];
  if (rest[0] === knownRest[1] && rest[1] === knownRest[0] && rest.slice(2) === knownRest.slice(2)) return true;
  return at > 0 && (rest.slice(1) === knownRest.slice(1) || rest === knownRest.slice(1) || rest.slice(1) === knownRest);
}
