import { DaybookError } from "../../base/errors.js";
import { Findings, type Finding } from "../../store/files/findings.js";
import { sql } from "../sql/sql.js";
import type { Servers } from "../tables/change.js";
import { checkParts, verifyDetached, type CheckedParts } from "./check-parts.js";
import { LAWS, strayLinks, type Breach, type Law } from "./laws.js";
import { verifyTables } from "./tables-there.js";

interface Held {
  readonly eventCount: number;
  readonly dayCount: number;
  readonly recordCount: number;
}

/** What was looked at, and what is not as it must be. */
export interface ClickHouseReport {
  /** By table: no more than 20 of each. */
  readonly findings: readonly Finding[];
  readonly findingCount: number;
  /** Null where that cannot be read. */
  readonly held: Held | null;
  /** Null: tables are missing, so that nothing in them was looked at. */
  readonly parts: CheckedParts | null;
  /** Servers of the cluster; 1 without one. */
  readonly serverCount: number;
  /** Links that no event or record gives any more: what is allowed to happen, but rarely. */
  readonly strayLinkCount: number;
}

/** As long as what is being written may break a law: an insert is seen before what its views make, and until it was looked at a second time. */
const SETTLED_MS = 3_000;

/** Checks the tables, the files of the server that answers, and the laws of the rows. @param settledMs until what broke a law is looked at again */
export async function reportOf(servers: Servers, serverCount: number, settledMs = SETTLED_MS): Promise<ClickHouseReport> {
  const findings = new Findings();
  await verifyTables(servers, findings);
  if (findings.count > 0) return { findings: findings.kept, findingCount: findings.count, held: null, parts: null, serverCount, strayLinkCount: 0 };
  const parts = await checkParts(servers, findings);
  await verifyDetached(servers, findings);
  await verifyLaws(servers, findings, settledMs);
  const held = await readable(findings, "events", () => heldBy(servers));
  const strayLinkCount = (await readable(findings, "links", () => strayLinks(servers))) ?? 0;
  return { findings: findings.kept, findingCount: findings.count, held, parts, serverCount, strayLinkCount };
}

/** What is broken now, and after what was being written is settled. */
async function verifyLaws(servers: Servers, findings: Findings, settledMs: number): Promise<void> {
  const suspects: [law: Law, before: readonly Breach[]][] = [];
  for (const law of LAWS) {
    const breaches = await readable(findings, law.table, () => law.broken(servers));
    if (breaches !== null && breaches.length > 0) suspects.push([law, breaches]);
  }
  if (suspects.length > 0) await new Promise((resolve) => setTimeout(resolve, settledMs));
  for (const [law, before] of suspects) {
    const now = (await readable(findings, law.table, () => law.broken(servers))) ?? [];
    for (const { key, expected, found } of now) if (before.some((breach) => breach.key === key)) findings.add(law.table, expected, found);
  }
}

async function heldBy({ connection, names }: Servers): Promise<Held> {
  const [[eventCount, dayCount] = [0, 0]] = await connection.rows<[number, number]>(sql`SELECT count(), uniqExact(day) FROM ${names.all("events")}`);
  const [[recordCount] = [0]] = await connection.rows<[number]>(sql`SELECT count() FROM ${names.all("records")}`);
  return { eventCount, dayCount, recordCount };
}

const READABLE = "rows that can be read";
/** Damage that no checksum shows has no code of its own. */
const UNREADABLE: ReadonlySet<string> = new Set(["corruption", "internal"]);

/** What is read of a table; null where a server cannot read it, which is a finding. */
async function readable<T>(findings: Findings, table: string, read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof DaybookError) || !UNREADABLE.has(error.code)) throw error;
    const isTold = findings.kept.some(({ file, expected }) => file === table && expected === READABLE);
    if (!isTold) findings.add(table, READABLE, error.message);
    return null;
  }
}
