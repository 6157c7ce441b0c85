import { dayStartMs } from "../base/time.js";
import { Turns } from "../base/turn.js";
import { denseCodes } from "../column/column.js";
import type { IdLink, Rows } from "./rows.js";

/** A look-up of a pair takes as long as so many values of a plain loop. */
const VALUES_PER_ROW = 16;

/** For each (anonymous id, user id) that some row carries together, the earliest time. Cost: two reads a row. */
export async function linksOf(rows: Pick<Rows, "day" | "column" | "times">, turns = new Turns()): Promise<IdLink[]> {
  const anonymous = rows.column("anonymousId");
  const user = rows.column("userId");
  if (anonymous.codes.length === 0 || user.codes.length === 0) return [];
  const anonymousIds = denseCodes(anonymous);
  const userIds = denseCodes(user);
  const times = rows.times();
  const earliest = new Map<number, IdLink>();
  const start = dayStartMs(rows.day);
  const note = (from: number, to: number) => {
    for (let row = from; row < to; row += 1) {
      const anonymousId = anonymousIds[row] as number;
      const userId = userIds[row] as number;
      if (anonymousId === 0 || userId === 0) continue;
      const createdAtMs = start + (times[row] as number);
      const key = anonymousId * 2 ** 26 + userId;
      const known = earliest.get(key);
      if (known === undefined || createdAtMs < known.createdAtMs) earliest.set(key, { anonymousId, userId, createdAtMs });
    }
  };
  await turns.inPieces(anonymousIds.length, note, VALUES_PER_ROW);
  return [...earliest.values()];
}
