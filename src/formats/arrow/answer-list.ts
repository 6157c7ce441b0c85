export interface AnswerList {
  readonly rows: readonly unknown[];
  readonly beside: Readonly<Record<string, unknown>>;
}

/** Members that contain the whole result. */
const WHOLE = ["data", "answer"];
/** Members that may be the list; in a result with several, the first of these is. */
const LISTS = ["events", "sessions", "referrers", "history", "series", "steps", "cohorts", "buckets", "rows", "companies", "users"];

/** The list that a result is or contains, in the names of the library or of the wire; null if there is none. */
export function listOf(answer: unknown): AnswerList | null {
  if (Array.isArray(answer)) return { rows: answer, beside: {} };
  if (typeof answer !== "object" || answer === null) return null;
  const members = answer as Readonly<Record<string, unknown>>;
  const whole = WHOLE.find((name) => Object.hasOwn(members, name));
  if (whole !== undefined) return listOf(members[whole]);
  const [only = "", ...others] = Object.keys(members);
  const list = (others.length === 0 ? [only] : LISTS).find((name) => Array.isArray(members[name]));
  if (list === undefined) return null;
  const { [list]: rows, ...beside } = members;
  return { rows: rows as readonly unknown[], beside };
}
