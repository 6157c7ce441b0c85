import { sql } from "../sql/sql.js";
import { answerOfPerson } from "./one-person.js";
import type { Report } from "./report.js";
import { SERVER_NOW, isStoredUntil, sequenceOf } from "./stored-moment.js";

/** Greater than the sequence of any row of a copy. */
const ALL_ROWS = 2 ** 32 - 1;

export const identityProfile: Report<"identityProfile"> = (plan, asking) => answerOfPerson<"identityProfile">(plan, asking, sql`true`);

export const identityReferrers: Report<"identityReferrers"> = (plan, asking) => answerOfPerson<"identityReferrers">(plan, asking, sql`true`);

export const identityDeviceGeo: Report<"identityDeviceGeo"> = (plan, asking) => answerOfPerson<"identityDeviceGeo">(plan, asking, sql`true`);

/** A page of sessions, of the events that were stored until the first page was asked. */
export const identitySessions: Report<"identitySessions"> = async (plan, asking) => {
  const { connection, signal } = asking;
  const [[nowMs] = [0]] = plan.cursor === null ? await connection.rows<[number]>(sql`SELECT ${SERVER_NOW}`, signal) : [];
  const sequence = plan.cursor?.sequence ?? sequenceOf(nowMs);
  const cursor = plan.cursor === null ? null : { ...plan.cursor, sequence: ALL_ROWS };
  const { next, ...page } = await answerOfPerson<"identitySessions">({ ...plan, cursor }, asking, isStoredUntil(sequence));
  return { ...page, next: next === null ? null : { ...next, sequence } };
};
