import type { CursorPosition } from "../../query/plan/plan.js";
import type { FoundEvent } from "../../core/schema/event.js";
import { EVENT_COLUMNS, foundEventOf, recordOf, sentIdsOf, type EventTuple } from "../query/event-columns.js";
import { sql, text, uuid, whole, type Sql } from "../sql/sql.js";
import { identityIdsOf } from "../query/identity-ids.js";
import { SERVER_NOW, isStoredUntil, sequenceOf } from "./stored-snapshot.js";
import { selectRows, type ReportContext, type StatementReport } from "./report.js";

type FoundRow = readonly [nowMs: number, ...EventTuple];

/** Matching events, newest first, a page at a time: those stored before the first page was requested. */
export const searchEvents: StatementReport<"searchEvents"> = async (plan, asking) => {
  const behind = plan.cursor === null ? sql`` : sql`AND ${isBehind(plan.cursor)}`;
  const order = sql`ORDER BY day DESC, ms DESC, toUInt128(id) DESC, project DESC LIMIT ${whole(plan.limit + 1)}`;
  const statement = selectRows(plan, asking, () => sql`${SERVER_NOW}, ${EVENT_COLUMNS}`, sql`${behind} ${order}`);
  const rows = await asking.connection.rows<FoundRow>(statement, asking.signal);
  const page = rows.slice(0, plan.limit).map(([, ...columns]): EventTuple => columns);
  const events = plan.allFields ? await foundEvents(page, asking) : page.map(recordOf);
  const last = page.at(-1);
  if (rows.length <= plan.limit || last === undefined) return { next: null, events };
  const [[nowMs] = [0]] = rows;
  const { id, project } = recordOf(last);
  const [, createdAtMs] = last;
  return { next: { createdAtMs, id, project, sequence: plan.cursor?.sequence ?? sequenceOf(nowMs) }, events };
};

/** Looks identities up for the events of the page only. */
async function foundEvents(page: readonly EventTuple[], asking: ReportContext): Promise<FoundEvent[]> {
  const identityIds = await identityIdsOf(page.map(sentIdsOf), asking.connection, asking, asking.signal);
  return page.map((columns, at) => foundEventOf(columns, identityIds[at] ?? null));
}

/** After the last event of the previous page, and stored before the first page was requested. */
function isBehind({ createdAtMs, id, project, sequence }: CursorPosition): Sql {
  return sql`(ms, toUInt128(id), project) < (${whole(createdAtMs)}, toUInt128(${uuid(id)}), ${text(project)}) AND ${isStoredUntil(sequence)}`;
}
