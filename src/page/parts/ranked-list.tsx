import { useRef, useState } from "preact/hooks";
import type { FormattedNumber } from "../format/number.js";
import type { Filter } from "../state/filter.js";
import { sentence } from "../format/value.js";
import { Num } from "./inline.js";
import { useFilterBy } from "./page-context.js";
import type { EventChoice } from "../state/event-choice.js";
import { TextField, useEventNames } from "./field.js";
import { FilterChips } from "./filter-chips.js";

export interface RankedRow {
  /** Unique among the rows. */
  readonly key: string;
  readonly label: string;
  readonly figure: number;
  readonly shown: FormattedNumber;
  readonly more?: FormattedNumber;
  /** Filters that a click adds; null: no filters select this row. */
  readonly filters: readonly Filter[] | null;
}

interface RankedListProps {
  readonly label: string;
  /** Headings of the labels and the figures. */
  readonly heads: readonly [string, string, ...string[]];
  readonly rows: readonly RankedRow[];
}

/** Rows with bars, largest first. While the list is hovered or focused, rows keep their order when new data arrives. */
export function RankedList({ label, heads, rows }: RankedListProps) {
  const [isFrozen, setFrozen] = useState(false);
  const order = useRef<readonly string[]>([]);
  const filterBy = useFilterBy();
  const shown = isFrozen ? inPreviousOrder(rows, order.current) : rows;
  order.current = shown.map(({ key }) => key);
  const largest = Math.max(1, ...rows.map(({ figure }) => figure));
  const [name, figure, ...others] = heads;
  return (
    <div
      class="ranked"
      onPointerEnter={() => setFrozen(true)}
      onPointerLeave={() => setFrozen(false)}
      onFocusCapture={() => setFrozen(true)}
      onBlurCapture={() => setFrozen(false)}
    >
      <table aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{name}</th>
            <th scope="col" class="right">
              {figure}
            </th>
            {others.map((head) => (
              <th key={head} scope="col" class="right">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.key}>
              <th scope="row">
                <span class="bar" style={{ width: `${(row.figure / largest) * 100}%` }} />
                {row.filters === null ? (
                  <RowText text={row.label} />
                ) : (
                  <RowButton label={row.label} filters={row.filters} onChoose={() => filterBy(...(row.filters ?? []))} />
                )}
              </th>
              <td class="right">
                <Num shown={row.shown} figure={`${row.key}:figure`} />
              </td>
              {row.more !== undefined && (
                <td class="right faint">
                  <Num shown={row.more} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RowText({ text }: { readonly text: string }) {
  return (
    <span class="row-label" title={`${text}\nNo filter selects exactly these`}>
      {text}
    </span>
  );
}

function RowButton({ label, filters, onChoose }: { readonly label: string; readonly filters: readonly Filter[]; readonly onChoose: () => void }) {
  return (
    <button type="button" class="row-label" title={`${label}\nFilter: ${filters.map(sentence).join(", ")}`} onClick={onChoose}>
      {label}
    </button>
  );
}

/** Current rows in their previous order; new rows come last. */
function inPreviousOrder(rows: readonly RankedRow[], keys: readonly string[]): readonly RankedRow[] {
  const positions = new Map(keys.map((key, at) => [key, at]));
  const positionOf = ({ key }: RankedRow) => positions.get(key) ?? keys.length;
  return [...rows].sort((a, b) => positionOf(a) - positionOf(b));
}

interface EventFieldProps {
  readonly label: string;
  readonly choice: EventChoice;
  readonly onChange: (choice: EventChoice) => void;
  /** The label is for screen readers only. */
  readonly isBare?: boolean;
}

/** Selects events by name and filters. */
export function EventField({ label, choice, onChange, isBare = false }: EventFieldProps) {
  const names = useEventNames();
  return (
    <div class="event-entry">
      <TextField
        label={label}
        isBare={isBare}
        value={choice.event}
        suggestions={names}
        placeholder="any event"
        onCommit={(event) => onChange({ ...choice, event })}
      />
      <FilterChips filters={choice.filters} add="where" onChange={(filters) => onChange({ ...choice, filters })} />
    </div>
  );
}
