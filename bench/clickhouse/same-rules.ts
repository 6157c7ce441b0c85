import { dialectOf } from "../peers/chdb.js";
import { columns } from "../peers/columns.js";
import type { Peer } from "../peers/peer.js";
import type { BenchQuery } from "../bench-query.js";
import { METADATA_TYPES } from "../traffic.js";
import type { Plain } from "./plain.js";

const keys = Object.keys(METADATA_TYPES);
const textKeys = Object.entries(METADATA_TYPES).flatMap(([key, type]) => (type === "text" ? [key] : []));
const fields = columns.map(({ name }) => name).filter((name) => !keys.includes(name));

/** Events as they are sent: with a user or an anonymous id, with or without a company, and with metadata of any keys. */
const sent = `CREATE TABLE IF NOT EXISTS plain.sent ENGINE = MergeTree ORDER BY (toDate(created_at), name, created_at) SETTINGS allow_nullable_key = 1 AS
  SELECT ${fields.join(", ")}, CAST(NULL AS Nullable(String)) AS anonymous_id,
    CAST(formatRowNoNewline('JSONEachRow', ${keys.join(", ")}) AS JSON) AS metadata
  FROM plain.events`;

const links = `CREATE TABLE IF NOT EXISTS plain.links (anonymous_id String, user_id String, first_at DateTime64(3, 'UTC'))
  ENGINE = MergeTree ORDER BY anonymous_id`;

const of = (row: string, names: readonly string[]) => names.map((name) => `${row}.${name} AS ${name}`).join(", ");
const without = (name: string) => fields.filter((one) => one !== name);

/** The same events, each with the user who has its anonymous id. */
const people = `CREATE OR REPLACE VIEW plain.people AS
  SELECT ${of("sent", without("user_id"))}, coalesce(nullIf(sent.user_id, ''), owners.user_id, sent.anonymous_id) AS user_id,
    ${textKeys.map((key) => `sent.metadata.${key}.:String AS ${key}`).join(", ")}
  FROM plain.sent AS sent
  LEFT JOIN (SELECT anonymous_id, argMin(user_id, (first_at, user_id)) AS user_id FROM plain.links GROUP BY anonymous_id) AS owners
    ON owners.anonymous_id = sent.anonymous_id`;

/** And each with a company: its own, else the one that its user was last seen with, else the first. */
const members = `CREATE OR REPLACE VIEW plain.members AS
  WITH seen AS (SELECT user_id, created_at, company_id FROM plain.people WHERE company_id IS NOT NULL)
  SELECT ${of("people", [...without("company_id"), ...textKeys])},
    coalesce(people.company_id, before.company_id, firsts.company_id) AS company_id
  FROM plain.people AS people
  ASOF LEFT JOIN seen AS before ON before.user_id = people.user_id AND before.created_at <= people.created_at
  LEFT JOIN (SELECT user_id, argMin(company_id, created_at) AS company_id FROM seen GROUP BY user_id) AS firsts ON firsts.user_id = people.user_id`;

const text = "metadata.plan.:String";
const list = "metadata.plan.:`Array(Nullable(String))`";

/** The same events, each under every text that a key of metadata holds. */
const texts = `CREATE OR REPLACE VIEW plain.texts AS
  SELECT created_at, arrayJoin(if(empty(${list}), [${text}], arrayDistinct(${list}))) AS plan FROM plain.sent`;

/** One part, as the other tables are; nothing where it is one. */
const merged = "OPTIMIZE TABLE plain.sent FINAL SETTINGS optimize_skip_merged_partitions = 1";

/** Makes what is asked, if it is not there. */
export async function makeSameRules(plain: Plain): Promise<void> {
  for (const statement of [sent, merged, links, people, members, texts]) await plain.run(statement);
}

/** `windowFunnel` knows no order within a millisecond. */
const FUNNEL = "funnel of three steps, 30 days";

/** SQL by hand again, of tables that know as little beforehand as Daybook does, and by the rules that it keeps. */
export function sameRules(query: BenchQuery, plain: Plain): Peer {
  const isOfKey = query.name.includes("metadata");
  const isOfCompanies = /compan|account/.test(query.name);
  const dialect = dialectOf(isOfKey ? "plain.texts" : isOfCompanies ? "plain.members" : "plain.people");
  return plain.peer(dialect, query.name === FUNNEL ? "duckdb" : "clickhouse");
}
