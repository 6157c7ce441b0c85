import { useState } from "preact/hooks";
import { sentence } from "../format/value.js";
import { withFilter, type Filter } from "../state/filter.js";
import { FilterDialog } from "./filter-dialog.js";
import { Icon } from "./icon.js";

interface FilterChipsProps {
  readonly filters: readonly Filter[];
  readonly onChange: (filters: readonly Filter[]) => void;
  /** What the button that adds one says. */
  readonly add?: string;
}

/** Filters as sentences, each with a button that takes it away. */
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
