import type { EventChoice } from "../state/event-choice.js";
import { Entry } from "./field.js";
import { FilterChips } from "./filter-chips.js";
import { useEventNames } from "./suggestions.js";

interface EventEntryProps {
  readonly label: string;
  readonly choice: EventChoice;
  readonly onChange: (choice: EventChoice) => void;
  /** The label is for screen readers only. */
  readonly isBare?: boolean;
}

/** Selects events by name and filters. */
export function EventEntry({ label, choice, onChange, isBare = false }: EventEntryProps) {
  const names = useEventNames();
  return (
    <div class="event-entry">
      <Entry
        label={label}
        isBare={isBare}
        value={choice.event}
        suggestions={names}
        placeholder="any event"
        onSettle={(event) => onChange({ ...choice, event })}
      />
      <FilterChips filters={choice.filters} add="where" onChange={(filters) => onChange({ ...choice, filters })} />
    </div>
  );
}
