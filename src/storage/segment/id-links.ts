import { Turns } from "../../core/base/turn.js";
import { denseCodes } from "../column/column.js";
import { LINK_SPAN, NO_LINKS, type LinkList } from "./link-list.js";
import type { Rows } from "./rows.js";

/** Cost of a lookup of a pair, in values of a plain loop. */
const VALUES_PER_ROW = 16;

/** The earliest time of each (anonymous id, user id) that a row has together. Cost: two reads per row. */
export async function linksOf(rows: Pick<Rows, "column" | "times">, turns = new Turns()): Promise<LinkList> {
  const anonymous = rows.column("anonymousId");
  const user = rows.column("userId");
  if (anonymous.codes.length === 0 || user.codes.length === 0) return NO_LINKS;
  const anonymousIds = denseCodes(anonymous);
  const userIds = denseCodes(user);
  const times = rows.times();
  const earliest = new Map<number, number>();
  const note = (from: number, to: number) => {
    for (let row = from; row < to; row += 1) {
      const anonymousId = anonymousIds[row] as number;
      const userId = userIds[row] as number;
      if (anonymousId === 0 || userId === 0) continue;
      const ms = times[row] as number;
      const key = anonymousId * LINK_SPAN + userId;
      const known = earliest.get(key);
      if (known === undefined || ms < known) earliest.set(key, ms);
    }
  };
  await turns.inPieces(anonymousIds.length, note, VALUES_PER_ROW);
  const list = { anonymousIds: new Uint32Array(earliest.size), userIds: new Uint32Array(earliest.size), times: new Uint32Array(earliest.size) };
  let at = 0;
  for (const [key, ms] of earliest) {
    const anonymousId = Math.floor(key / LINK_SPAN);
    list.anonymousIds[at] = anonymousId;
    list.userIds[at] = key - anonymousId * LINK_SPAN;
    list.times[at] = ms;
    at += 1;
  }
  await turns.took(earliest.size * VALUES_PER_ROW);
  return list;
}
