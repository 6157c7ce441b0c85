import { DaybookError } from "../../core/base/errors.js";
import { Findings, type Finding } from "../../store/files/findings.js";
import { MS_PER_DAY } from "../../core/base/time.js";
import { inRange } from "../query/where.js";
import { allOf, joined, name, NO_ID, raw, sql, text, whole, wholes, type Sql } from "../sql/sql.js";
import { type Servers, systemTable } from "../tables/servers.js";
import { columnTypes, isSameType, TABLES, VIEW_ENGINE, VIEWS, EVENT_TABLES, type Table, type TableNames } from "../tables/layout.js";

interface Invariant {
  readonly table: string;
  /** Rows that violate it. A violation keeps its key between checks, so that temporary ones can be dropped. */
  violations(servers: Servers): Promise<readonly Violation[]>;
}

type Violation = readonly [key: string, expected: string, found: string];

/** Violations that are listed; all are counted. */
const NAMED_COUNT = 10;
/** Size in bytes from which a server groups on disk: the ids of all events do not fit into memory. */
const SPILL = { max_bytes_before_external_group_by: 1_000_000_000, distributed_aggregation_memory_efficient: 1 };
const spilling = raw(`SETTINGS ${Object.entries(SPILL).map(([setting, value]) => `${setting} = ${value}`).join(", ")}`);

/** An id is unique in its project; among records it is unique apart from the unlink that takes it back. */
function idsOnce(table: "events" | "records"): Invariant {
  const key = table === "events" ? sql`id, project` : sql`id, kind = ${text("unlink")}`;
  return {
    table,
    violations: async ({ connection, names }) => {
      const copies = sql`SELECT id, count() AS copies FROM ${names.all(table)} GROUP BY ${key} HAVING copies > 1`;
      const rows = await connection.rows<[string, number, number]>(
        sql`SELECT id, copies, count() OVER () FROM (${copies}) ORDER BY id LIMIT ${whole(NAMED_COUNT)} ${spilling}`);
      const hidden = (rows[0]?.[2] ?? 0) - rows.length;
      const violations = rows.map(([id, times]): Violation => [id, `${id} once`, `it ${times} times`]);
      return hidden <= 0 ? violations : [...violations, ["more", "each id once", `${hidden} more ids that are stored more than once`]];
    },
  };
}

/** An invariant whose violations the rows of one statement count, in the order of `violations`. */
function countedInvariant(table: string, violations: readonly Violation[], statementOf: (servers: Servers) => Sql | Promise<Sql | null>): Invariant {
  return {
    table,
    violations: async (servers) => {
      const statement = await statementOf(servers);
      const [counts = []] = statement === null ? [] : await servers.connection.rows<readonly number[]>(statement);
      return violations.flatMap(([key, expected, found], at): Violation[] => ((counts[at] ?? 0) > 0 ? [[key, expected, `${found}: ${counts[at]}`]] : []));
    },
  };
}

/** The columns by which rows are found: a day that matches the time, a name, a project. */
const PLACED_IN_TIME = countedInvariant("events", [
  ["day", "the day of its time in each row", "rows with another day"],
  ["name", "a name in each row", "rows without one"],
  ["project", "a project in each row", "rows without one"],
], ({ names }) => sql`SELECT countIf(day != intDiv(ms, ${whole(MS_PER_DAY)})), countIf(name = ''), countIf(project = '') FROM ${names.all("events")}`);

/** Each row is on the shard of its key, as the cluster is now. */
function onItsShard({ name: table, placedBy }: Table): Invariant {
  return countedInvariant(table, [["shard", "each row on the shard of its ids", "rows on another shard"]], async ({ connection, names, cluster }) => {
    if (cluster === null) return null;
    const weights = await connection.systemRows<[number]>(
      sql`SELECT any(shard_weight) FROM system.clusters WHERE cluster = ${text(cluster)} GROUP BY shard_num ORDER BY shard_num`);
    const ends = weights.map((_, at) => weights.slice(0, at + 1).reduce((sum, [weight]) => sum + weight, 0));
    // As ClickHouse does it: each shard has as many remainders as its weight.
    const slot = sql`cityHash64(${raw(placedBy)}) % toUInt64(${whole(ends.at(-1) ?? 1)})`;
    return sql`SELECT countIf(arrayFirstIndex(upTo -> ${slot} < upTo, ${wholes(ends)}) != _shard_num) FROM ${names.all(table)}`;
  });
}

/** Each pair of ids in an event or a record has a link, from the first time on. Further links may exist: see `strayLinks`. */
const LINKS_OF_ALL = countedInvariant("links", [
  ["events", "a link for each pair of ids in events, from the first event on", "pairs without one"],
  ["records", "a link for each record that makes one", "records without one"],
], ({ names }) => linkCounts(names, sql`given > 0 AND (there = 0 OR thereMs > givenMs)`));

/** Links without an event or a record, or earlier than these. */
async function strayLinks({ connection, names }: Servers): Promise<number> {
  const counts = linkCounts(names, sql`there > 0 AND (given = 0 OR thereMs < givenMs)`);
  const [[events, records] = [0, 0]] = await connection.rows<[number, number]>(counts);
  return events + records;
}

function linkCounts(names: TableNames, isSuch: Sql): Sql {
  const givenBy = (table: string) => {
    const views = VIEWS.filter(({ from, to }) => from === table && to === "links");
    return views.map(({ select, rest }) => sql`SELECT ${raw(select)}, true AS isGiven FROM ${names.all(table)} ${raw(rest)}`);
  };
  const stored = sql`SELECT anonymousId, userId, record, min(firstMs) AS firstMs, false AS isGiven FROM ${names.all("links")}
    GROUP BY anonymousId, userId, record`;
  const all = joined([...givenBy("events"), ...givenBy("records"), stored], " UNION ALL ");
  const links = sql`SELECT record, countIf(isGiven) AS given, minIf(firstMs, isGiven) AS givenMs, countIf(NOT isGiven) AS there,
    minIf(firstMs, NOT isGiven) AS thereMs FROM (${all}) GROUP BY anonymousId, userId, record`;
  const isOfEvents = sql`record = ${NO_ID}`;
  return sql`SELECT countIf(${isOfEvents}), countIf(NOT ${isOfEvents}) FROM (${links}) WHERE ${isSuch} ${spilling}`;
}

/** Ranges of time, from the first event on, whose events are counted in two ways. */
const RANGE_COUNT = 16;

/** What queries count by a filter is what one scan of all rows counts: a server may take a count from elsewhere than the rows. */
const COUNTS_OF_RANGES: Invariant = {
  table: "events",
  violations: async ({ connection, names }) => {
    const rows = names.all("events");
    const [[firstMs, lastMs] = [0, 0]] = await connection.rows<[number, number]>(sql`SELECT min(ms), max(ms) FROM ${rows}`);
    const conditions = Array.from({ length: RANGE_COUNT }, (_, at) =>
      allOf(inRange({ fromMs: 0, toMs: firstMs + Math.ceil(((lastMs + 1 - firstMs) * (at + 1)) / RANGE_COUNT) })));
    const byFilter = sql`SELECT ${joined(conditions.map((condition) => sql`(SELECT count() FROM ${rows} WHERE ${condition})`), ", ")}`;
    const byScan = sql`SELECT ${joined(conditions.map((condition) => sql`countIf(${condition})`), ", ")} FROM ${rows}`;
    const [[before = []], [scanned = []], [after = []]] =
      [await connection.rows<number[]>(byFilter), await connection.rows<number[]>(byScan), await connection.rows<number[]>(byFilter)];
    // A range that changes meanwhile is not compared.
    const otherCount = before.filter((count, at) => count === after[at] && count !== scanned[at]).length;
    return otherCount === 0 ? [] : [["counts", "the same count of a range by a filter and by a scan", `${otherCount} of ${RANGE_COUNT} ranges with another`]];
  },
};

const PROJECTS_OF_EVENTS = countedInvariant("projects", [["projects", "the name of each project that has events", "missing names"]], ({ names }) =>
  sql`SELECT count() FROM (SELECT DISTINCT project FROM ${names.all("events")})
    WHERE project GLOBAL NOT IN (SELECT name FROM ${names.all("projects")})`);

/** Invariants that hold whenever nothing is being written. Each costs the columns that it names. */
const INVARIANTS: readonly Invariant[] = [
  idsOnce("events"),
  idsOnce("records"),
  PLACED_IN_TIME,
  ...TABLES.filter(({ name }) => EVENT_TABLES.includes(name)).map(onItsShard),
  LINKS_OF_ALL,
  PROJECTS_OF_EVENTS,
  COUNTS_OF_RANGES,
];

interface TableCounts {
  readonly eventCount: number;
  readonly dayCount: number;
  readonly recordCount: number;
}

export interface ClickHouseReport {
  /** By table: at most 20 of each. */
  readonly findings: readonly Finding[];
  readonly findingCount: number;
  /** Null where unreadable. */
  readonly held: TableCounts | null;
  /** Null: tables are missing or different, so that nothing in them was checked. */
  readonly parts: CheckedParts | null;
  /** Servers of the cluster; 1 without one. */
  readonly serverCount: number;
  /** Links that no event or record makes any more: allowed, but rare. */
  readonly strayLinkCount: number;
}

/** How long a write in progress may break an invariant, in ms: an insert is visible before the rows that its views make. */
const SETTLED_MS = 3_000;

/** Checks the tables, the files of the answering server, and the invariants of rows. @param settledMs delay before a second check of violations */
export async function reportOf(servers: Servers, serverCount: number, settledMs = SETTLED_MS): Promise<ClickHouseReport> {
  const findings = new Findings();
  await verifyTables(servers, findings);
  if (findings.count > 0) return { findings: findings.kept, findingCount: findings.count, held: null, parts: null, serverCount, strayLinkCount: 0 };
  const parts = await checkParts(servers, findings);
  await verifyDetached(servers, findings);
  await verifyInvariants(servers, findings, settledMs);
  const held = await readable(findings, "events", () => heldBy(servers));
  const strayLinkCount = (await readable(findings, "links", () => strayLinks(servers))) ?? 0;
  return { findings: findings.kept, findingCount: findings.count, held, parts, serverCount, strayLinkCount };
}

/** Reports violations that exist both now and after writes in progress have settled. */
async function verifyInvariants(servers: Servers, findings: Findings, settledMs: number): Promise<void> {
  const suspects: [invariant: Invariant, before: readonly Violation[]][] = [];
  for (const invariant of INVARIANTS) {
    const violations = await readable(findings, invariant.table, () => invariant.violations(servers));
    if (violations !== null && violations.length > 0) suspects.push([invariant, violations]);
  }
  if (suspects.length > 0) await new Promise((resolve) => setTimeout(resolve, settledMs));
  for (const [invariant, before] of suspects) {
    const now = (await readable(findings, invariant.table, () => invariant.violations(servers))) ?? [];
    for (const [key, expected, found] of now) if (before.some(([known]) => known === key)) findings.add(invariant.table, expected, found);
  }
}

async function heldBy({ connection, names }: Servers): Promise<TableCounts> {
  const [[eventCount, dayCount] = [0, 0]] = await connection.rows<[number, number]>(sql`SELECT count(), uniqExact(day) FROM ${names.all("events")}`);
  const [[recordCount] = [0]] = await connection.rows<[number]>(sql`SELECT count() FROM ${names.all("records")}`);
  return { eventCount, dayCount, recordCount };
}

const READABLE = "rows that can be read";
/** Damage that no checksum reveals has no code of its own. */
const UNREADABLE: ReadonlySet<string> = new Set(["corruption", "internal"]);

/** What `read` returns; null where a server cannot read the table, which is a finding. */
async function readable<T>(findings: Findings, table: string, read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof DaybookError) || !UNREADABLE.has(error.code)) throw error;
    const isReported = findings.kept.some(({ file, expected }) => file === table && expected === READABLE);
    if (!isReported) findings.add(table, READABLE, error.message);
    return null;
  }
}

/** Each server has each table, with the columns and types of this version, and each view. */
async function verifyTables(servers: Servers, findings: Findings): Promise<void> {
  const { connection, database, names } = servers;
  const [[serverCount] = [0]] = await connection.systemRows<[number]>(sql`SELECT count() FROM ${systemTable(servers, "one")}`);
  const engines = await connection.systemRows<ObjectCount>(sql`SELECT name, engine, count() FROM ${systemTable(servers, "tables")}
    WHERE database = ${text(database)} GROUP BY name, engine ORDER BY name, engine`);
  const types = await connection.systemRows<ObjectCount>(sql`SELECT concat(table, ' ', name), type, count() FROM ${systemTable(servers, "columns")}
    WHERE database = ${text(database)} GROUP BY table, name, type ORDER BY table, name, type`);
  /** @returns whether each server has something of that name; `isRight` checks each engine or type */
  const expect = (table: string, what: string, found: readonly ObjectCount[], isRight: (kind: string) => boolean): boolean => {
    const thereCount = found.reduce((sum, [, , count]) => sum + count, 0);
    if (thereCount < serverCount) findings.add(table, `${what} on each server`, `none on ${serverCount - thereCount} of ${serverCount}`);
    for (const [, kind, count] of found)
      if (!isRight(kind)) findings.add(table, `${what} on each server`, `${kind} on ${count} of ${serverCount}`);
    return thereCount === serverCount;
  };
  const of = (rows: readonly ObjectCount[], name: string) => rows.filter(([each]) => each === name);
  for (const table of TABLES) {
    for (const name of names.isCluster ? [table.name, `${table.name}_local`] : [table.name]) {
      if (!expect(name, "the table", of(engines, name), () => true)) continue;
      for (const [column, type] of columnTypes(table))
        expect(name, `its column ${column} of the type ${type}`, of(types, `${name} ${column}`), (found) => isSameType(found, type));
    }
  }
  for (const { name } of VIEWS) expect(name, "the view", of(engines, name), (engine) => engine === VIEW_ENGINE);
}

type ObjectCount = readonly [name: string, kind: string, serverCount: number];

/** What the answering server read from its own disk. */
interface CheckedParts {
  readonly host: string;
  readonly tableCount: number;
  readonly partCount: number;
}

/** Checks the files of every table against their checksums, on the answering server: no statement makes others do it. Cost: reads all bytes. */
async function checkParts(servers: Servers, findings: Findings): Promise<CheckedParts> {
  const { connection, names } = servers;
  const tables = TABLES.map((table) => (names.isCluster ? `${table.name}_local` : table.name));
  let partCount = 0;
  for (const table of tables) {
    const parts = await connection.checkRows<CheckedPart>(sql`CHECK TABLE ${name(table)}`);
    partCount += parts.length;
    for (const [part, isPassed, message] of parts)
      if (Number(isPassed) !== 1) findings.add(table, `files of the part ${part} that match their checksums`, oneLine(message));
  }
  const [[host] = [""]] = await connection.systemRows<[string]>(sql`SELECT hostName()`);
  return { host, tableCount: tables.length, partCount };
}

/** On all servers: parts that were found broken and detached, whose rows are in no answer. */
async function verifyDetached(servers: Servers, findings: Findings): Promise<void> {
  const rows = await servers.connection.systemRows<[string, string, number]>(
    sql`SELECT table, reason, count() FROM ${systemTable(servers, "detached_parts")}
      WHERE database = ${text(servers.database)} AND startsWith(ifNull(reason, ''), 'broken') GROUP BY table, reason ORDER BY table, reason`);
  for (const [table, reason, count] of rows) findings.add(table, "no broken part that a server detached", `${count} with the reason ${reason}`);
}

type CheckedPart = readonly [part: string, isPassed: number | boolean, message: string];

function oneLine(message: string): string {
  return message.replace(/\s*\(version [^()]*\)/g, "").replace(/\s+/g, " ");
}
