import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { segmentsQuery, fieldValuesQuery } from "../api/queries.js";
import { COMMON_FIELDS, fieldName, fieldValue, pairsOf, type ChoiceNames } from "../format/text.js";
import { usePage, useQuery } from "./page-context.js";

interface SelectProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly names: ChoiceNames<T>;
  readonly onChoose: (value: T) => void;
  /** The label is for screen readers only. */
  readonly isBare?: boolean;
}

export function Select<T extends string>({ label, value, names, onChoose, isBare = false }: SelectProps<T>) {
  const options = pairsOf(names);
  const onChange = (event: Event) => {
    const chosen = options.find(([name]) => event.target instanceof HTMLSelectElement && name === event.target.value);
    if (chosen !== undefined) onChoose(chosen[0]);
  };
  return (
    <label class={isBare ? "choice bare" : "choice"}>
      <span class={isBare ? "unseen" : "label"}>{label}</span>
      <select value={value} onChange={onChange}>
        {options.map(([name, shown]) => (
          <option key={name} value={name} selected={name === value}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}

interface TextFieldProps {
  readonly label: ComponentChildren;
  readonly value: string;
  /** Called when the text is committed: on Enter, on choosing a suggestion, or on blur. */
  readonly onCommit?: (value: string) => void;
  readonly onInput?: (value: string) => void;
  readonly suggestions?: Suggestions;
  readonly placeholder?: string;
  readonly type?: "text" | "date" | "search" | "number";
  readonly isBare?: boolean;
  readonly required?: boolean;
}

export function TextField(props: TextFieldProps) {
  const { label, value, onCommit, onInput, suggestions = [], placeholder = "", type = "text", isBare = false, required = false } = props;
  const list = useId();
  const pass = (receive: TextFieldProps["onInput"]) => (event: Event) => {
    if (event.target instanceof HTMLInputElement && event.target.value !== value) receive?.(event.target.value);
  };
  return (
    <label class={isBare ? "choice bare" : "choice"}>
      <span class={isBare ? "unseen" : "label"}>{label}</span>
      <input
        type={type}
        value={value}
        placeholder={placeholder}
        required={required}
        list={suggestions.length > 0 ? list : undefined}
        autoComplete="off"
        spellcheck={false}
        onChange={pass(onCommit)}
        onInput={pass(onInput)}
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

export function EventNameField(props: Pick<TextFieldProps, "label" | "value" | "isBare" | "onCommit">) {
  return <TextField {...props} suggestions={useEventNames()} placeholder="any event" />;
}

export function BreakdownField(props: Pick<TextFieldProps, "value" | "onCommit">) {
  return <TextField {...props} label="Break down by" suggestions={FIELD_SUGGESTIONS} placeholder="nothing" />;
}

interface CheckboxProps {
  readonly label: string;
  readonly value: boolean;
  readonly onChoose: (value: boolean) => void;
}

export function Checkbox({ label, value, onChoose }: CheckboxProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={value} onChange={() => onChoose(!value)} />
      <span>{label}</span>
    </label>
  );
}

/** The settings of a view, above its panels. @param before content above the row of fields */
export function Settings({ label, before, children }: { readonly label: string; readonly before?: ComponentChildren; readonly children: ComponentChildren }) {
  return (
    <section class="panel choices-panel" aria-label={label}>
      {before}
      <div class="choices">{children}</div>
    </section>
  );
}

type Suggestions = readonly (readonly [string, string])[];

const NAME_COUNT = 200;

export function useEventNames(): Suggestions {
  return useFieldValues("name", NAME_COUNT);
}

export function useFieldValues(field: string, count?: number): Suggestions {
  const { scope } = usePage();
  const isListed = field !== "" && !field.startsWith("metadata.") && !PRIVATE.includes(field);
  const { answer } = useQuery(isListed ? fieldValuesQuery(scope, field, count) : null);
  return (answer?.series ?? []).flatMap(({ values: [value = ""] }) => (value === "" ? [] : [[value, fieldValue(field, value)] as const]));
}

export function useSegmentNames(isNeeded: boolean): Suggestions {
  const { token } = usePage();
  const { answer } = useQuery(isNeeded && token.project === null ? segmentsQuery : null);
  return (answer?.segments ?? []).map(({ name }) => [name, name]);
}

/** Fields whose values are not suggested, because they identify single events or visitors. */
const PRIVATE = ["id", "created_at", "anonymous_id", "external_id"];

export const FIELD_SUGGESTIONS: Suggestions = COMMON_FIELDS.map((field) => [field, fieldName(field)]);
