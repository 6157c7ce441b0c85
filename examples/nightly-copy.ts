// Copies new events to DuckDB, late ones too, and repeats deletions there: npx tsx examples/nightly-copy.ts STORE FOLDER
import { writeFile } from "node:fs/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import { openDaybook } from "daybook";
import { fileStorage } from "daybook/node";

const [store = "./data/embed", folder = "."] = process.argv.slice(2);
const [events, deletions] = [`${folder}/new.parquet`, `${folder}/deletions.ndjson`];
const duckdb = await (await DuckDBInstance.create(`${folder}/copy.duckdb`)).connect();
const valueOf = async (sql: string) => Number((await duckdb.runAndReadAll(sql)).getRows()[0]?.[0]);
await duckdb.run("CREATE TABLE IF NOT EXISTS copy AS SELECT 0::BIGINT AS sequence");
const afterSequence = await valueOf("SELECT sequence FROM copy");
let reached = 0;

await using daybook = await openDaybook({ storage: fileStorage(store), readOnly: true });
await writeFile(events, daybook.exportParquet({ afterSequence }, { onSequence: (sequence) => void (reached = sequence) }));
const lines: string[] = [];
for await (const deletion of daybook.exportDeletions({ afterSequence })) lines.push(`${JSON.stringify(deletion)}\n`);
await writeFile(deletions, lines);
const types = "{ action: 'TEXT', fromSequence: 'INT8', toSequence: 'INT8', projectSha256: 'TEXT', before: 'TIMESTAMPTZ', idPrefix: 'TEXT' }";
const concerned = `sequence BETWEEN fromSequence AND toSequence
  AND coalesce(projectSha256 = sha256(project), true) AND coalesce(createdAt < before, true) AND coalesce(starts_with(id::VARCHAR, idPrefix), true)`;
await duckdb.run(`CREATE TABLE IF NOT EXISTS events AS FROM '${events}' LIMIT 0; BEGIN; INSERT INTO events FROM '${events}';
  CREATE TEMP TABLE deletions AS FROM read_json('${deletions}', columns = ${types});
  DELETE FROM events USING deletions WHERE action = 'delete' AND ${concerned};
  UPDATE events SET anonymousId = NULL FROM deletions WHERE action = 'clearAnonymousId' AND ${concerned};
  UPDATE copy SET sequence = ${reached}; COMMIT`);
console.log(`${await valueOf("SELECT count(*) FROM events")} events`);
