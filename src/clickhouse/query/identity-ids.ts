import { identityIdOf } from "../../identity/identity-id.js";
import { sql, texts } from "../sql/sql.js";
import type { Connection } from "../connection/connection.js";
import type { QueryContext } from "./needs.js";
import { survivingId } from "./person-lookup.js";
import { ownersOf } from "./who.js";

/** The ids that an event was sent with; `""` for none. */
export interface SentIds {
  readonly userId: string;
  readonly anonymousId: string;
}

/**
 * The identity ids of a few events; null for an event without ids.
 * Cost: reads the links of their anonymous ids, and searches all aliases for each event.
 */
export async function identityIdsOf(
  sent: readonly SentIds[],
  connection: Connection,
  moment: QueryContext,
  signal: Pick<AbortSignal, "aborted"> | undefined,
): Promise<(string | null)[]> {
  const withoutUser = [...new Set(sent.filter(({ userId }) => userId === "").map(({ anonymousId }) => anonymousId))].filter((id) => id !== "");
  const owned = ownersOf(moment.tables.all("links"), moment, sql`anonymousId IN ${texts(withoutUser)}`);
  const owners = new Map(withoutUser.length === 0 ? [] : await connection.rows<[string, string]>(owned, signal));
  return sent.map(({ userId, anonymousId }) => {
    const user = userId === "" ? (owners.get(anonymousId) ?? "") : userId;
    if (user !== "") return identityIdOf("user", survivingId(user, moment.survivors));
    return anonymousId === "" ? null : identityIdOf("anonymous", anonymousId);
  });
}
