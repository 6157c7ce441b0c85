import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { segmentsQuery } from "../ask/queries/store.js";
import { eventNamesQuery, fieldValuesQuery } from "../ask/queries/product.js";
import { COMMON_FIELDS, fieldName, fieldValue } from "../format/value.js";
import { usePage, useQuery } from "./page-context.js";

interface SelectProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly names: readonly (readonly [T, string])[];
  readonly onChoose: (value: T) => void;
  /** The label is for screen readers only. */
  readonly isBare?: boolean;
}

/** A drop-down list. */
export function Select<T extends string>({ label, value, names, onChoose, isBare = false }: SelectProps<T>) {
  const onChange = (event: Event) => {
    const chosen = names.find(([name]) => event.target instanceof HTMLSelectElement && name === event.target.value);
    if (chosen !== undefined) onChoose(chosen[0]);
  };
  return (
    <label class={isBare ? "choice bare" : "choice"}>
      <span class={isBare ? "unseen" : "label"}>{label}</span>
      <select value={value} onChange={onChange}>
        {names.map(([name, shown]) => (
          <option key={name} value={name} selected={name === value}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  /** Called when the text is committed: on Enter, on choosing a suggestion, or on blur. */
  readonly onCommit: (value: string) => void;
  readonly suggestions?: readonly (readonly [string, string])[];
  readonly placeholder?: string;
  readonly type?: "text" | "date" | "search" | "number";
  readonly isBare?: boolean;
}

/** A text field with suggestions. */
export function TextField({ label, value, onCommit, suggestions = [], placeholder = "", type = "text", isBare = false }: TextFieldProps) {
  const list = useId();
  const commit = (event: Event) => {
    if (event.target instanceof HTMLInputElement && event.target.value !== value) onCommit(event.target.value);
  };
  return (
    <label class={isBare ? "choice bare" : "choice"}>
      <span class={isBare ? "unseen" : "label"}>{label}</span>
      <input
        type={type}
        value={value}
        placeholder={placeholder}
        list={suggestions.length > 0 ? list : undefined}
        autoComplete="off"
        spellcheck={false}
        onChange={commit}
      />
      {suggestions.length > 0 && (
        <datalist id={list}>
          {suggestions.map(([name, shown]) => (
            <option key={name} value={name} label={shown === name ? undefined : shown} />
          ))}
        </datalist>
      )}
    </label>
  );
}

interface CheckboxProps {
  readonly label: string;
  readonly value: boolean;
  readonly onChoose: (value: boolean) => void;
}

/** A checkbox. */
export function Checkbox({ label, value, onChoose }: CheckboxProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={value} onChange={() => onChoose(!value)} />
      <span>{label}</span>
    </label>
  );
}

/** A row of fields above a panel. */
export function FieldRow({ children }: { readonly children: ComponentChildren }) {
  return <div class="choices">{children}</div>;
}

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
  const isListed = field !== "" && !field.startsWith("metadata.") && !PRIVATE.includes(field);
  const { answer } = useQuery(isListed ? fieldValuesQuery(scope, field) : null);
  return (answer?.series ?? []).flatMap(({ values: [value = ""] }) => (value === "" ? [] : [[value, fieldValue(field, value)] as const]));
}

/** Names of the saved segments. */
export function useSegmentNames(isNeeded: boolean): Suggestions {
  const { token } = usePage();
  const { answer } = useQuery(isNeeded && token.project === null ? segmentsQuery : null);
  return (answer?.segments ?? []).map(({ name }) => [name, name]);
}

/** Fields whose values are not suggested, because they identify single events or visitors. */
const PRIVATE = ["id", "created_at", "anonymous_id", "external_id"];

export const FIELD_SUGGESTIONS: Suggestions = COMMON_FIELDS.map((field) => [field, fieldName(field)]);
