import { useState } from "preact/hooks";
import { sentence, fieldName, fieldValue } from "../format/text.js";
import { withFilter, OPERATORS, filterByValue, filterOf, takesValue, type EventChoice, type Filter, type OperatorName } from "../state/filter.js";
import { Button, Cut, Icon } from "./inline.js";
import { Dialog } from "./dialog.js";
import { useFilterBy } from "./page-context.js";
import { Select, TextField, EventNameField, FIELD_SUGGESTIONS, useFieldValues, useSegmentNames } from "./fields.js";

function FilterDialog({ onAdd, onClose }: { readonly onAdd: (filter: Filter) => void; readonly onClose: () => void }) {
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
        <Select label="Condition" value={operator} names={OPERATORS} onChoose={setOperator} />
        {takesValue(operator) && (
          <TextField
            label={operator === "in" || operator === "not_in" || operator === "between" ? "Values, separated by commas" : "Value"}
            value={value}
            suggestions={isSegment ? segments : values}
            onInput={setValue}
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

interface FilterChipsProps {
  readonly filters: readonly Filter[];
  readonly onChange: (filters: readonly Filter[]) => void;
  readonly add?: string;
}

export function FilterChips({ filters, onChange, add = "Filter" }: FilterChipsProps) {
  const [isAdding, setAdding] = useState(false);
  return (
    <div class="chips">
      {filters.map((filter, at) => (
        <span class="chip" key={JSON.stringify(filter)}>
          <Cut class="chip-text" text={sentence(filter)} />
          <button type="button" aria-label={`Remove: ${sentence(filter)}`} onClick={() => onChange(filters.filter((_, index) => index !== at))}>
            <Icon name="close" />
          </button>
        </span>
      ))}
      <Button class="chip-add" onClick={() => setAdding(true)}>
        <Icon name="plus" /> {add}
      </Button>
      {filters.length > 1 && (
        <Button class="chip-add" onClick={() => onChange([])}>
          Clear
        </Button>
      )}
      {isAdding && <FilterDialog onAdd={(filter) => onChange(withFilter(filters, filter))} onClose={() => setAdding(false)} />}
    </div>
  );
}

export function ValueButton({ by, value }: { readonly by: string; readonly value: string }) {
  const filterBy = useFilterBy();
  return (
    <Button class="cell-button" onClick={() => filterBy(filterByValue(by, value))}>
      {fieldValue(by, value)}
    </Button>
  );
}

interface EventFieldProps {
  readonly label: string;
  readonly choice: EventChoice;
  readonly onChange: (choice: EventChoice) => void;
  /** The label is for screen readers only. */
  readonly isBare?: boolean;
}

export function EventField({ label, choice, onChange, isBare = false }: EventFieldProps) {
  return (
    <div class="event-entry">
      <EventNameField label={label} isBare={isBare} value={choice.event} onCommit={(event) => onChange({ ...choice, event })} />
      <FilterChips filters={choice.filters} add="where" onChange={(filters) => onChange({ ...choice, filters })} />
    </div>
  );
}
