import { UserMerges } from "../../identity/user-merges.js";
import type { Connection } from "../connection/connection.js";
import { sql } from "../sql/sql.js";
import type { TableNames } from "../tables/names.js";
import type { Records, Survivors } from "./who.js";

type AliasPair = [from: string, to: string];

type AliasRecordRow = readonly [kind: string, id: string, ...alias: AliasPair];

/** Of more, a statement does not name them but finds them itself. */
const NAMED_COUNT = 1_000;

/**
 * Which records were taken back, and which users became which: the aliases in force, settled as the embedded engine settles them. Cost: all of both,
 * of which there are few.
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
  // They come in order: a row is its place.
  const merges = new UserMerges((row) => pairs[row] ?? { from: 0, to: 0 }, (a, b) => a - b);
  pairs.forEach((_, row) => merges.add(row));
  const merged: AliasPair[] = [];
  merges.settle((user, survivor) => {
    if (user !== survivor) merged.push([ids[user] as string, ids[survivor] as string]);
  });
  const survivors = { from: merged.map(([from]) => from), to: merged.map(([, to]) => to) };
  return { survivors, unlinked: unlinked.size <= NAMED_COUNT ? [...unlinked] : null };
}
