import type { CursorPosition } from "../../plan/plan.js";
import { EVENT_COLUMNS, foundEventOf, recordOf, type EventColumns } from "../question/event-columns.js";
import { sql, uuid, whole, type Sql } from "../sql/sql.js";
import { identityIdOfWho } from "../question/who.js";
import type { Needs } from "../question/needs.js";
import { SERVER_NOW, isStoredUntil, sequenceOf } from "./stored-moment.js";
import { selectRows, type Report } from "./report.js";

type Row = readonly [nowMs: number, identityId: string, ...EventColumns];

/** Matching events, newest first, a page at a time: those that were stored until the first page was asked. */
export const searchEvents: Report<"searchEvents"> = async (plan, asking) => {
  const behind = plan.cursor === null ? sql`` : sql`AND ${isBehind(plan.cursor)}`;
  const order = sql`ORDER BY day DESC, ms DESC, toUInt128(id) DESC LIMIT ${whole(plan.limit + 1)}`;
  const columns = (needs: Needs) => sql`${SERVER_NOW}, ${plan.allFields ? identityIdOfWho(needs.who()) : sql`''`}, ${EVENT_COLUMNS}`;
  const statement = selectRows(plan, asking, columns, sql`${behind} ${order}`);
  const rows = await asking.connection.rows<Row>(statement, asking.signal);
  const page = rows.slice(0, plan.limit).map(([, identityId, ...columns]) => ({ identityId: identityId === "" ? null : identityId, columns }));
  const events = page.map(({ identityId, columns }) => (plan.allFields ? foundEventOf(columns, identityId) : recordOf(columns)));
  const last = page.at(-1);
  if (rows.length <= plan.limit || last === undefined) return { next: null, events };
  const [[nowMs] = [0]] = rows;
  const [id, createdAtMs] = last.columns;
  return { next: { createdAtMs, id, sequence: plan.cursor?.sequence ?? sequenceOf(nowMs) }, events };
};

/** Behind the last event of the page before, and no younger than the first page. */
function isBehind({ createdAtMs, id, sequence }: CursorPosition): Sql {
  return sql`(ms, toUInt128(id)) < (${whole(createdAtMs)}, toUInt128(${uuid(id)})) AND ${isStoredUntil(sequence)}`;
}
