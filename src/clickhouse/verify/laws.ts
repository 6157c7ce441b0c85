import { MS_PER_DAY } from "../../base/time.js";
import { Sql, sql, text, whole, wholes } from "../sql/sql.js";
import type { Servers } from "../tables/change.js";
import { EVENT_TABLES, TABLES, VIEWS, type Table } from "../tables/layout.js";

/** What a law says of the rows of a table, and what does not obey. */
export interface Law {
  readonly table: string;
  /** What breaks it, by a name that is the same when it is asked again. */
  broken(servers: Servers): Promise<readonly Breach[]>;
}

export interface Breach {
  readonly key: string;
  readonly expected: string;
  readonly found: string;
}

/** Breaches that are named one by one; all are counted. */
const NAMED_COUNT = 10;
/** From how many bytes on a server groups on its disk: ids of all events have no room in memory. */
const SPILL = { max_bytes_before_external_group_by: 1_000_000_000, distributed_aggregation_memory_efficient: 1 };
const spilling = new Sql([`SETTINGS ${Object.entries(SPILL).map(([setting, value]) => `${setting} = ${value}`).join(", ")}`], []);

/** An id stands once in a project, or in the table of records, there once beside the one that takes it back. */
function idsOnce(table: "events" | "records"): Law {
  const key = table === "events" ? sql`id, project` : sql`id, kind = ${text("unlink")}`;
  return {
    table,
    broken: async ({ connection, names }) => {
      const copies = sql`SELECT id, count() AS copies FROM ${names.all(table)} GROUP BY ${key} HAVING copies > 1`;
      const rows = await connection.rows<[string, number, number]>(
        sql`SELECT id, copies, count() OVER () FROM (${copies}) ORDER BY id LIMIT ${whole(NAMED_COUNT)} ${spilling}`);
      const hidden = (rows[0]?.[2] ?? 0) - rows.length;
      const breaches = rows.map(([id, times]) => ({ key: id, expected: `${id} once`, found: `it ${times} times` }));
      return hidden <= 0 ? breaches : [...breaches, { key: "more", expected: "each id once", found: `more that are not: ${hidden}` }];
    },
  };
}

/** The columns that rows are found by. */
const PLACED_IN_TIME: Law = {
  table: "events",
  broken: async ({ connection, names }) => {
    const counts = sql`SELECT countIf(day != intDiv(ms, ${whole(MS_PER_DAY)})), countIf(name = ''), countIf(project = '')
      FROM ${names.all("events")}`;
    const [[days, nameless, homeless] = [0, 0, 0]] = await connection.rows<[number, number, number]>(counts);
    return counted([
      ["day", "in each row the day of its time", "rows with another", days],
      ["name", "a name in each row", "rows without", nameless],
      ["project", "a project in each row", "rows without", homeless],
    ]);
  },
};

/** Each row lies on the shard that its key says, as the cluster has it now. */
function onItsShard({ name: table, placedBy }: Table): Law {
  return {
    table,
    broken: async ({ connection, names, cluster }) => {
      if (cluster === null) return [];
      const weights = await connection.systemRows<[number]>(
        sql`SELECT any(shard_weight) FROM system.clusters WHERE cluster = ${text(cluster)} GROUP BY shard_num ORDER BY shard_num`);
      const ends = weights.map((_, at) => weights.slice(0, at + 1).reduce((sum, [weight]) => sum + weight, 0));
      // How ClickHouse places them: each shard has as many remainders as its weight is.
      const slot = sql`cityHash64(${new Sql([placedBy], [])}) % toUInt64(${whole(ends.at(-1) ?? 1)})`;
      const [[astray] = [0]] = await connection.rows<[number]>(
        sql`SELECT countIf(arrayFirstIndex(upTo -> ${slot} < upTo, ${wholes(ends)}) != _shard_num) FROM ${names.all(table)}`);
      return counted([["shard", "each row on the shard that its ids say", "rows on another", astray]]);
    },
  };
}

const NO_RECORD = "00000000-0000-0000-0000-000000000000";

/** Each pair of ids that an event or a record tells is a link, from the first time on. There may be links beside: see `strayLinks`. */
const LINKS_OF_ALL: Law = {
  table: "links",
  broken: async (servers) => {
    const [events, records] = await linkCounts(servers, sql`given > 0 AND (there = 0 OR thereMs > givenMs)`);
    return counted([
      ["events", "a link for each pair of ids of events, since its first", "pairs without", events],
      ["records", "a link for each record that makes one", "records without", records],
    ]);
  },
};

/** Links that nothing gives any more, or not so early. */
export async function strayLinks(servers: Servers): Promise<number> {
  const [events, records] = await linkCounts(servers, sql`there > 0 AND (given = 0 OR thereMs < givenMs)`);
  return events + records;
}

async function linkCounts({ connection, names }: Servers, isSuch: Sql): Promise<readonly [ofEvents: number, ofRecords: number]> {
  const givenBy = (table: string) => {
    const views = VIEWS.filter(({ from, to }) => from === table && to === "links");
    return views.map(({ select, rest }) => sql`SELECT ${new Sql([select], [])}, true AS isGiven FROM ${names.all(table)} ${new Sql([rest], [])}`);
  };
  const stored = sql`SELECT anonymousId, userId, record, min(firstMs) AS firstMs, false AS isGiven FROM ${names.all("links")}
    GROUP BY anonymousId, userId, record`;
  const all = [...givenBy("events"), ...givenBy("records"), stored].reduce((some, next) => sql`${some} UNION ALL ${next}`);
  const links = sql`SELECT record, countIf(isGiven) AS given, minIf(firstMs, isGiven) AS givenMs, countIf(NOT isGiven) AS there,
    minIf(firstMs, NOT isGiven) AS thereMs FROM (${all}) GROUP BY anonymousId, userId, record`;
  const isOfEvents = sql`record = toUUID(${text(NO_RECORD)})`;
  const counts = sql`SELECT countIf(${isOfEvents}), countIf(NOT ${isOfEvents}) FROM (${links}) WHERE ${isSuch} ${spilling}`;
  const [row = [0, 0] as const] = await connection.rows<[number, number]>(counts);
  return row;
}

const PROJECTS_OF_EVENTS: Law = {
  table: "projects",
  broken: async ({ connection, names }) => {
    const named = sql`SELECT DISTINCT project FROM ${names.all("events")}`;
    const [[missing] = [0]] = await connection.rows<[number]>(
      sql`SELECT count() FROM (${named}) WHERE project GLOBAL NOT IN (SELECT name FROM ${names.all("projects")})`);
    return counted([["projects", "the name of each project that events have", "projects without", missing]]);
  },
};

/** Those of which there are some. */
function counted(rows: readonly (readonly [key: string, expected: string, found: string, count: number])[]): Breach[] {
  return rows.filter(([, , , count]) => count > 0).map(([key, expected, found, count]) => ({ key, expected, found: `${found}: ${count}` }));
}

/** What holds of the rows whenever nothing is being written. Each law costs the columns that it names. */
export const LAWS: readonly Law[] = [
  idsOnce("events"),
  idsOnce("records"),
  PLACED_IN_TIME,
  ...TABLES.filter(({ name }) => EVENT_TABLES.includes(name)).map(onItsShard),
  LINKS_OF_ALL,
  PROJECTS_OF_EVENTS,
];
