import { UserMerges } from "../../identity/links.js";
import type { Connection } from "../connection/connection.js";
import { sql } from "../sql/sql.js";
import type { TableNames } from "../tables/layout.js";
import type { Records, Survivors } from "./who.js";

type AliasPair = [from: string, to: string];

type AliasRecordRow = readonly [kind: string, id: string, ...alias: AliasPair];

/** Above this number, statements find records that were taken back themselves. */
const NAMED_COUNT = 1_000;

/**
 * Reads which records were taken back, and which users were merged: the aliases in force, settled as in the embedded engine.
 * Cost: reads all unlinks and aliases, of which there are few.
 */
export async function recordsNow(
  connection: Connection,
  tables: TableNames,
  signal?: Pick<AbortSignal, "aborted">,
): Promise<{ readonly survivors: Survivors } & Pick<Records, "unlinked">> {
  const rows = await connection.rows<AliasRecordRow>(sql`SELECT kind, id, fromUserId, userId FROM ${tables.all("records")}
    WHERE kind = 'unlink' OR (kind = 'alias' AND fromUserId != userId) ORDER BY ms, toUInt128(id)`, signal);
  const unlinked = new Set(rows.filter(([kind]) => kind === "unlink").map(([, id]) => id));
  const aliases = rows.filter(([kind, id]) => kind === "alias" && !unlinked.has(id)).map(([, , ...alias]): AliasPair => alias);
  const ids: string[] = [];
  const codes = new Map<string, number>();
  const codeOf = (id: string) => {
    const code = codes.get(id) ?? ids.push(id) - 1;
    codes.set(id, code);
    return code;
  };
  const pairs = aliases.map(([from, to]) => ({ from: codeOf(from), to: codeOf(to) }));
  // The pairs are in order, so that a row number is its rank.
  const merges = new UserMerges((row) => pairs[row] ?? { from: 0, to: 0 }, (a, b) => a - b);
  pairs.forEach((_, row) => merges.add(row));
  const merged: AliasPair[] = [];
  merges.settle((user, survivor) => {
    if (user !== survivor) merged.push([ids[user] as string, ids[survivor] as string]);
  });
  const survivors = { from: merged.map(([from]) => from), to: merged.map(([, to]) => to) };
  return { survivors, unlinked: unlinked.size <= NAMED_COUNT ? [...unlinked] : null };
}
