import { AMOUNT_KEYS, CURRENCY_KEY, ORDER_KEYS, REFUND_KEY } from "../../storage/derived/stored.js";
import { TAG } from "../sql/value-test.js";
import { FIELDS } from "../../core/schema/fields.js";
import { name, NO_ID_TEXT, sql, type Sql } from "../sql/sql.js";

/** Bound of the cache, which is cleared when full. */
const KEPT_COUNT = 16_384;

/** Caches the results of a function of a text: in most fields the same texts recur. */
export function remembered<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size >= KEPT_COUNT) known.clear();
    const made = make(text);
    known.set(text, made);
    return made;
  };
}

const encoder = new TextEncoder();

const escaped = remembered((key) => {
  const names = Array.from(encoder.encode(key), (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9]/.test(character) ? character : `_${byte.toString(16).padStart(2, "0")}`;
  });
  return names.join("");
});

/** A metadata value, and the leaves of an array or object. Letters and digits of keys stay, other bytes become `_` and hex, without a meaning. */
export interface MetadataColumns {
  readonly value: string;
  readonly leaves: string;
}

export const keyColumns = remembered((key): MetadataColumns => ({ value: `k_${escaped(key)}`, leaves: `e_${escaped(key)}` }));
/** Of the value at a path within an object. Keys with dots are on no path. */
export const pathColumns = remembered((path): MetadataColumns => ({ value: `w_${escaped(path)}`, leaves: `v_${escaped(path)}` }));

/** What an event has to do with money, under any rules: nothing, an amount that counts in any event, or one that counts in payments only. */
export const MONEY_KIND = { none: 0, anyEvent: 1, paymentOnly: 2 } as const;

const tagged = (key: string) => `ifNull(metadata.${keyColumns(key).value}.:String, '')`;
const isNumber = (key: string) => `startsWith(${tagged(key)}, '${TAG.number}')`;
const body = (key: string) => `substring(${tagged(key)}, 2)`;
const isText = (key: string) => `startsWith(${tagged(key)}, '${TAG.text}')`;
const [inAnyEvent, ...inPayments] = AMOUNT_KEYS;

const KIND = `multiIf(value != '' OR ${isNumber(inAnyEvent)}, ${MONEY_KIND.anyEvent},
    ${inPayments.map(isNumber).join(" OR ")}, ${MONEY_KIND.paymentOnly}, ${MONEY_KIND.none})`;

const AMOUNT = `multiIf(value != '', value, ${AMOUNT_KEYS.map((key) => `${isNumber(key)}, ${body(key)}`).join(", ")}, '')`;

/** A non-empty text, or a number. */
const isKey = (key: string) => `${tagged(key)} != '${TAG.text}' AND (${isText(key)} OR ${isNumber(key)})`;
const ORDER_KEY = `multiIf(externalId != '', externalId, ${ORDER_KEYS.map((key) => `${isKey(key)}, ${body(key)}`).join(", ")}, '')`;

const CURRENCIES = `[toString(currency), if(${isText(CURRENCY_KEY)}, ${body(CURRENCY_KEY)}, '')]`;

/** Members of a payment: name, type, value for an event with money, and value for any other. */
const MEMBERS: readonly (readonly [name: string, type: string, value: string, none: string])[] = [
  ["id", "UUID", "id", NO_ID_TEXT],
  ["ms", "UInt64", "ms", "0"],
  ["day", "UInt32", "day", "0"],
  ["project", "LowCardinality(String)", "project", "''"],
  ["userId", "String", "userId", "''"],
  ["anonymousId", "String", "anonymousId", "''"],
  ["companyId", "String", "companyId", "''"],
  ["amount", "String", AMOUNT, "''"],
  ["orderKey", "String", ORDER_KEY, "''"],
  ["currencies", "Array(String)", CURRENCIES, "[]"],
];

export const MONEY_MEMBERS: readonly string[] = MEMBERS.filter(([name, , value]) => name === value).map(([name]) => name);

const tuple = (values: readonly string[]) => `tuple(${values.join(", ")})`;

/** Derived columns: empty in most rows. */
const MONEY_COLUMNS: readonly (readonly [name: string, type: string])[] = [
  ["moneyKind", `UInt8 MATERIALIZED ${KIND}`],
  ["money", `Tuple(${MEMBERS.map(([name, type]) => `${name} ${type}`).join(", ")}) MATERIALIZED
    if(moneyKind = ${MONEY_KIND.none}, ${tuple(MEMBERS.map(([, , , none]) => none))}, ${tuple(MEMBERS.map(([, , value]) => value))})`],
  ["refundId", `String MATERIALIZED if(moneyKind != ${MONEY_KIND.none} AND ${isKey(REFUND_KEY)}, ${body(REFUND_KEY)}, '')`],
];

/** The columns of the projection `money`: a GROUP BY with the same columns reads its few rows. */
export const MONEY_GROUP = MONEY_COLUMNS.map(([column]) => column).join(", ");

export interface Table {
  readonly name: string;
  readonly columns: readonly (readonly [name: string, type: string])[];
  /** An engine of the MergeTree family, without the parameters of replicas. */
  readonly engine: string;
  readonly order: string;
  /** How many inserts the servers remember, so that a repeated one is stored once. Default: none. */
  readonly knownInsertCount?: number;
  /** The expression whose hash assigns a row to a shard. */
  readonly placedBy: string;
}

/** Entries of `columns` that are no columns. */
const NO_COLUMN = /^(?:INDEX|PROJECTION) /;
const AFTER_TYPE = /\s(?:CODEC|DEFAULT|MATERIALIZED)\b.*$/s;

export function columnTypes({ columns }: Table): ReadonlyMap<string, string> {
  const own = columns.filter(([column]) => !NO_COLUMN.test(column));
  return new Map(own.map(([column, type]) => [column, type.replace(AFTER_TYPE, "")]));
}

/** Whether two types are the same: servers place blanks differently. */
export function isSameType(one: string, other: string): boolean {
  return one.replace(/\s/g, "") === other.replace(/\s/g, "");
}

export const VIEW_ENGINE = "MaterializedView";

export interface FillingView {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** Whether the rows it makes stay on the shard of their source rows. */
  readonly staysOnShard: boolean;
  /** The parts of the SELECT before and after FROM. */
  readonly select: string;
  readonly rest: string;
}

const FEW_VALUES = new Set([
  "name", "slug", "project", "location_country", "location_city", "location_region",
  "device", "os", "browser", "screen", "language", "hostname", "notify", "currency",
]);

/** One column per metadata key: a part keeps the names of all keys that it ever had. */
export const METADATA_TYPE = "JSON(max_dynamic_paths = 512)";
export const YEAR = "intDiv(day, 366)";

const STORED: readonly [string, string][] = [
  ["batch", "UUID"],
  ["storedMs", "UInt64 DEFAULT toUnixTimestamp64Milli(now64(3))"],
];

const EVENTS: Table = {
  name: "events",
  columns: [
    ["day", "UInt32"],
    ["ms", "UInt64 CODEC(Delta, ZSTD)"],
    ["id", "UUID"],
    ...FIELDS.map(({ column }): [string, string] => [column, FEW_VALUES.has(column) ? "LowCardinality(String)" : "String CODEC(ZSTD)"]),
    ["metadata", METADATA_TYPE],
    ["keys", "Array(LowCardinality(String))"],
    ["referrerDomain", "LowCardinality(String)"],
    ["isCampaign", "Bool"],
    ["touchSource", "LowCardinality(String)"],
    ["touchMedium", "LowCardinality(String)"],
    ["touchCampaign", "LowCardinality(String)"],
    ["touchHost", "LowCardinality(String)"],
    ...STORED,
    ["INDEX byUser userId TYPE", "bloom_filter GRANULARITY 4"],
    ["INDEX byAnonymous anonymousId TYPE", "bloom_filter GRANULARITY 4"],
    // A projection, not a second table: an insert that fails half way leaves both or neither.
    ["PROJECTION byKey", "(SELECT id, project, batch, storedMs ORDER BY id) WITH SETTINGS (index_granularity = 256)"],
    ...MONEY_COLUMNS,
    ["PROJECTION money", `(SELECT slug, ${MONEY_GROUP} GROUP BY slug, ${MONEY_GROUP})`],
    ["PROJECTION actors", "(SELECT userId, anonymousId, companyId, project, min(day) GROUP BY userId, anonymousId, companyId, project)"],
    ["PROJECTION byPerson", "(SELECT * ORDER BY userId, anonymousId, ms)"],
  ],
  engine: "MergeTree",
  order: `PARTITION BY ${YEAR} ORDER BY (day, project, name, ms, id)`,
  knownInsertCount: 1_000,
  placedBy: "multiIf(anonymousId != '', anonymousId, userId != '', userId, toString(id))",
};

const LINKS: Table = {
  name: "links",
  columns: [["anonymousId", "String"], ["userId", "String"], ["record", "UUID"], ["firstMs", "SimpleAggregateFunction(min, UInt64)"]],
  engine: "AggregatingMergeTree",
  order: "ORDER BY (anonymousId, userId, record)",
  placedBy: "anonymousId",
};

const RECORDS: Table = {
  name: "records",
  columns: [
    ["kind", "LowCardinality(String)"],
    ["id", "UUID"],
    ["ms", "UInt64"],
    ...["userId", "anonymousId", "fromUserId", "email", "companyId", "traits"].map((column): [string, string] => [column, "String CODEC(ZSTD)"]),
    ...STORED,
  ],
  engine: "MergeTree",
  order: "ORDER BY (kind, id)",
  placedBy: "id",
};

const PROJECTS: Table = {
  name: "projects",
  columns: [["name", "String"]],
  engine: "ReplacingMergeTree",
  order: "ORDER BY name",
  placedBy: "name",
};

/** Values of the store as a whole: version, keys, whether it has replicas, and which parts were loaded. */
const KEPT: Table = {
  name: "kept",
  columns: [["name", "String"], ["value", "String"], ["storedMs", "UInt64 DEFAULT toUnixTimestamp64Milli(now64(3))"]],
  engine: "MergeTree",
  order: "ORDER BY name",
  placedBy: "name",
};

/** Saved segments as JSON; `""` for deleted ones. */
const SEGMENTS: Table = {
  name: "segments",
  columns: [["name", "String"], ["groups", "String CODEC(ZSTD)"], ["version", "UInt64"]],
  engine: "ReplacingMergeTree(version)",
  order: "ORDER BY name",
  placedBy: "name",
};

/** Privacy requests as JSON: one row per change; the newest of an id counts. */
const PRIVACY_REQUESTS: Table = {
  name: "privacy_requests",
  columns: [["id", "UUID"], ["version", "UInt64"], ["isErased", "Bool"], ["body", "String CODEC(ZSTD)"]],
  engine: "ReplacingMergeTree(version)",
  order: "ORDER BY id",
  placedBy: "id",
};

/** Keyed hashes of what was erased. Rows are never merged: their number shows whether there are new ones. */
const SUPPRESSED: Table = {
  name: "suppressed",
  columns: [["hash", "String"], ["erasedMs", "UInt64"]],
  engine: "MergeTree",
  order: "ORDER BY hash",
  placedBy: "hash",
};

/** Days for which events are kept, by project; `""`: all projects without a rule of their own; 0 days: no rule. */
const TIME_TO_LIVE: Table = {
  name: "time_to_live",
  columns: [["project", "String"], ["days", "UInt32"], ["version", "UInt64"]],
  engine: "ReplacingMergeTree(version)",
  order: "ORDER BY project",
  placedBy: "project",
};

/** Notes of removals. Statements that change rows stay in files of the server, so they refer to rows of this table and contain no user data. */
const REMOVALS: Table = {
  name: "removals",
  columns: [["removal", "UUID"], ["kind", "LowCardinality(String)"], ["text", "String CODEC(ZSTD)"], ["value", "String CODEC(ZSTD)"]],
  engine: "MergeTree",
  order: "PARTITION BY removal ORDER BY (removal, kind)",
  placedBy: "removal",
};

export const TABLES: readonly Table[] = [EVENTS, LINKS, RECORDS, PROJECTS, KEPT, SEGMENTS, PRIVACY_REQUESTS, SUPPRESSED, TIME_TO_LIVE, REMOVALS];

/** Each has `id`, `ms`, `project`, `storedMs`, `userId` and `anonymousId`, and the last is not part of its sort order. */
export const EVENT_TABLES: readonly string[] = [EVENTS.name];

export const VIEWS: readonly FillingView[] = [
  {
    name: "links_of_events", from: "events", to: "links", staysOnShard: true,
    select: `anonymousId, userId, ${NO_ID_TEXT} AS record, min(ms) AS firstMs`,
    rest: "WHERE anonymousId != '' AND userId != '' GROUP BY anonymousId, userId",
  },
  {
    name: "links_of_records", from: "records", to: "links", staysOnShard: false,
    select: "anonymousId, userId, id AS record, ms AS firstMs",
    // An alias of a user to itself makes no link.
    rest: "WHERE kind IN ('identify', 'alias') AND anonymousId != '' AND userId != '' AND fromUserId != userId",
  },
  { name: "projects_of_events", from: "events", to: "projects", staysOnShard: false, select: "DISTINCT project AS name", rest: "" },
];

/** Names of tables: on a cluster each table exists twice, with the rows of a shard and with all of them. */
export class TableNames {
  /** @param cluster null: one server */
  constructor(
    readonly database: string,
    readonly cluster: string | null,
  ) {}

  get isCluster(): boolean {
    return this.cluster !== null;
  }

  all(table: string): Sql {
    return sql`${name(this.database)}.${name(table)}`;
  }

  /** The rows of the shard that the part of a statement runs on. */
  ofShard(table: string): Sql {
    return sql`${name(this.database)}.${name(this.isCluster ? `${table}_local` : table)}`;
  }

  /** What each shard of a cluster answers from its own rows, to follow FROM. */
  onShards(statement: Sql): Sql {
    return sql`cluster(${name(this.cluster ?? "")}, view(${statement}))`;
  }
}
