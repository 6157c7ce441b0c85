import { readInteger, type InputMembers } from "../members.js";

export const LIMIT_MAX = 1_000;

/** The number of rows that a list shows: 1 to 1,000. @throws invalid_parameter */
export function readListLimit(members: InputMembers, absent: number): number {
  return readInteger(members, "limit", 1, LIMIT_MAX) ?? absent;
}
