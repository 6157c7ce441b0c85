import { UserMerges } from "../../identity/user-merges.js";
import type { Connection } from "../connection/connection.js";
import { sql } from "../sql/sql.js";
import type { TableNames } from "../tables/names.js";
import { unlinked, type Survivors } from "./who.js";

type Alias = [from: string, to: string];

/** Which users became which: the aliases in force, settled as the embedded engine settles them. Cost: all aliases, of which there are few. */
export async function survivorsNow(connection: Connection, tables: TableNames, signal?: Pick<AbortSignal, "aborted">): Promise<Survivors> {
  const aliases = await connection.rows<Alias>(sql`SELECT fromUserId, userId FROM ${tables.all("records")}
    WHERE kind = 'alias' AND fromUserId != userId AND id GLOBAL NOT IN (${unlinked(tables)}) ORDER BY ms, toUInt128(id)`, signal);
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
  const merged: Alias[] = [];
  merges.settle((user, survivor) => {
    if (user !== survivor) merged.push([ids[user] as string, ids[survivor] as string]);
  });
  return { from: merged.map(([from]) => from), to: merged.map(([, to]) => to) };
}
