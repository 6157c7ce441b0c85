import { segmentsQuestion } from "../ask/questions/house.js";
import { eventNamesQuestion, fieldValuesQuestion } from "../ask/questions/trends.js";
import { COMMON_FIELDS, fieldName, fieldValue } from "../format/value.js";
import { usePage } from "./page-context.js";
import { useReply } from "./reply.js";

type Suggestions = readonly (readonly [string, string])[];

/** Names of events that the period has, the most frequent first. */
export function useEventNames(): Suggestions {
  const { scope } = usePage();
  const { answer } = useReply(eventNamesQuestion(scope));
  return (answer?.series ?? []).flatMap(({ values: [name = ""] }) => (name === "" ? [] : [[name, name] as const]));
}

/** Values of a field that the period has. */
export function useFieldValues(field: string): Suggestions {
  const { scope } = usePage();
  const isAsked = field !== "" && !field.startsWith("metadata.") && !PRIVATE.includes(field);
  const { answer } = useReply(isAsked ? fieldValuesQuestion(scope, field) : null);
  return (answer?.series ?? []).flatMap(({ values: [value = ""] }) => (value === "" ? [] : [[value, fieldValue(field, value)] as const]));
}

/** Names of the segments that are saved. */
export function useSegmentNames(isAsked: boolean): Suggestions {
  const { token } = usePage();
  const { answer } = useReply(isAsked && token.project === null ? segmentsQuestion : null);
  return (answer?.segments ?? []).map(({ name }) => [name, name]);
}

/** Their values are single events or visitors: they are not listed. */
const PRIVATE = ["id", "created_at", "anonymous_id", "external_id"];

export const FIELD_SUGGESTIONS: Suggestions = COMMON_FIELDS.map((field) => [field, fieldName(field)]);
