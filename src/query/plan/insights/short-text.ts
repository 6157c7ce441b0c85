import { isLongerThan } from "../filters/filter-value.js";
import { memberError, readText, type InputMembers } from "../members.js";

export const CHAR_COUNT_MAX = 200;

/** A text of 1 to 200 characters, or null when absent. @throws invalid_parameter */
export function readShortText(members: InputMembers, name: string): string | null {
  const text = readText(members, name);
  if (text !== null && isLongerThan(text, CHAR_COUNT_MAX))
    throw memberError(members, name, `expected at most ${CHAR_COUNT_MAX} characters, got ${text.length}`);
  return text;
}
