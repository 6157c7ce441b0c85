import { segmentsQuery } from "../ask/queries/store.js";
import { eventNamesQuery, fieldValuesQuery } from "../ask/queries/trends.js";
import { COMMON_FIELDS, fieldName, fieldValue } from "../format/value.js";
import { usePage } from "./page-context.js";
import { useQuery } from "./use-query.js";

type Suggestions = readonly (readonly [string, string])[];

/** Names of events in the period, most frequent first. */
export function useEventNames(): Suggestions {
  const { scope } = usePage();
  const { answer } = useQuery(eventNamesQuery(scope));
  return (answer?.series ?? []).flatMap(({ values: [name = ""] }) => (name === "" ? [] : [[name, name] as const]));
}

/** Values of a field in the period. */
export function useFieldValues(field: string): Suggestions {
  const { scope } = usePage();
  const isAsked = field !== "" && !field.startsWith("metadata.") && !PRIVATE.includes(field);
  const { answer } = useQuery(isAsked ? fieldValuesQuery(scope, field) : null);
  return (answer?.series ?? []).flatMap(({ values: [value = ""] }) => (value === "" ? [] : [[value, fieldValue(field, value)] as const]));
}

/** Names of the saved segments. */
export function useSegmentNames(isAsked: boolean): Suggestions {
  const { token } = usePage();
  const { answer } = useQuery(isAsked && token.project === null ? segmentsQuery : null);
  return (answer?.segments ?? []).map(({ name }) => [name, name]);
}

/** Fields whose values identify single events or visitors, so they are not listed. */
const PRIVATE = ["id", "created_at", "anonymous_id", "external_id"];

export const FIELD_SUGGESTIONS: Suggestions = COMMON_FIELDS.map((field) => [field, fieldName(field)]);
