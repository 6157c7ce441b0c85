import { useState } from "preact/hooks";
import { sentence, fieldName } from "../format/value.js";
import { withFilter, type Filter, OPERATORS, filterOf, takesValue, type OperatorName } from "../state/filter.js";
import { Icon } from "./inline.js";
import { Dialog } from "./dialog.js";
import { Select, TextField, FIELD_SUGGESTIONS, useFieldValues, useSegmentNames } from "./field.js";

interface FilterDialogProps {
  readonly onAdd: (filter: Filter) => void;
  readonly onClose: () => void;
}

const OPERATOR_NAMES = Object.entries(OPERATORS) as [OperatorName, string][];

function FilterDialog({ onAdd, onClose }: FilterDialogProps) {
  const [field, setField] = useState("path");
  const [operator, setOperator] = useState<OperatorName>("is");
  const [value, setValue] = useState("");
  const isSegment = operator === "in_segment" || operator === "not_in_segment";
  const values = useFieldValues(isSegment ? "" : field);
  const segments = useSegmentNames(isSegment);
  const filter = filterOf(isSegment ? "identity_id" : field.trim(), operator, value);
  const submit = (event: Event) => {
    event.preventDefault();
    if (filter === null) return;
    onAdd(filter);
    onClose();
  };
  return (
    <Dialog title="Add a filter" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {!isSegment && (
          <TextField
            label="Field or metadata key"
            value={field}
            suggestions={FIELD_SUGGESTIONS}
            onCommit={setField}
            placeholder="path, plan, metadata.a.b"
          />
        )}
        <Select label="Condition" value={operator} names={OPERATOR_NAMES} onChoose={setOperator} />
        {takesValue(operator) && (
          <ValueEntry
            value={value}
            suggestions={isSegment ? segments : values}
            onInput={setValue}
            isList={operator === "in" || operator === "not_in" || operator === "between"}
          />
        )}
        <p class="remark">A page filter selects visits that include the page. Figures of visits cover everything in these visits.</p>
        <div class="row end">
          <button type="submit" class="button primary" disabled={filter === null}>
            Add {filter === null ? "filter" : `“${fieldName(filter.field)}”`}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface ValueEntryProps {
  readonly value: string;
  readonly suggestions: readonly (readonly [string, string])[];
  readonly onInput: (value: string) => void;
  readonly isList: boolean;
}

function ValueEntry({ value, suggestions, onInput, isList }: ValueEntryProps) {
  const read = (event: Event) => {
    if (event.target instanceof HTMLInputElement) onInput(event.target.value);
  };
  return (
    <label class="choice">
      <span class="label">{isList ? "Values, separated by commas" : "Value"}</span>
      <input type="text" value={value} list="filter-values" autoComplete="off" spellcheck={false} onInput={read} />
      <datalist id="filter-values">
        {suggestions.map(([name, shown]) => (
          <option key={name} value={name} label={shown === name ? undefined : shown} />
        ))}
      </datalist>
    </label>
  );
}

interface FilterChipsProps {
  readonly filters: readonly Filter[];
  readonly onChange: (filters: readonly Filter[]) => void;
  /** Label of the button that adds a filter. */
  readonly add?: string;
}

/** Filters as sentences, each with a button that removes it. */
export function FilterChips({ filters, onChange, add = "Filter" }: FilterChipsProps) {
  const [isAdding, setAdding] = useState(false);
  return (
    <div class="chips">
      {filters.map((filter, at) => (
        <span class="chip" key={JSON.stringify(filter)}>
          <span class="chip-text" title={sentence(filter)}>
            {sentence(filter)}
          </span>
          <button type="button" aria-label={`Remove: ${sentence(filter)}`} onClick={() => onChange(filters.filter((_, index) => index !== at))}>
            <Icon name="close" />
          </button>
        </span>
      ))}
      <button type="button" class="chip-add" onClick={() => setAdding(true)}>
        <Icon name="plus" /> {add}
      </button>
      {filters.length > 1 && (
        <button type="button" class="chip-add" onClick={() => onChange([])}>
          Clear
        </button>
      )}
      {isAdding && <FilterDialog onAdd={(filter) => onChange(withFilter(filters, filter))} onClose={() => setAdding(false)} />}
    </div>
  );
}
