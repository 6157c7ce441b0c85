import type { ComponentChildren } from "preact";
import type { Sheet } from "../format/sheet.js";
import { useRef, useState } from "preact/hooks";
import { BarList, type BarRow } from "../../charts/bar-list.js";
import { sentence, pairsOf, type ChoiceNames } from "../format/text.js";
import type { Filter } from "../state/filter.js";
import { Button } from "./inline.js";
import { useFilterBy } from "./page-context.js";

export interface Column<R> {
  readonly name: string;
  readonly cell: (row: R) => ComponentChildren;
  readonly isNumber?: boolean;
  readonly onSort?: () => void;
  readonly isSorted?: boolean;
}

interface GridProps<R> {
  readonly label: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly keyOf: (row: R, at: number) => string;
  readonly class?: string;
  readonly empty?: string;
}

export function Grid<R>({ label, columns, rows, keyOf, class: name = "", empty }: GridProps<R>) {
  if (rows.length === 0 && empty !== undefined) return <p class="nothing">{empty}</p>;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={label}>
      <table class={`grid ${name}`}>
        <thead>
          <tr>
            {columns.map(({ name: head, isNumber, onSort, isSorted }) => (
              <th key={head} scope="col" class={isNumber === true ? "right" : undefined} aria-sort={isSorted === true ? "descending" : undefined}>
                {onSort === undefined ? (
                  head
                ) : (
                  <Button class="sort" onClick={onSort}>
                    {head}
                    {isSorted === true && " ↓"}
                  </Button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)}>
              {columns.map(({ name: head, cell, isNumber }, at) =>
                at === 0 ? (
                  <th key={head} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={head} class={isNumber === true ? "right" : undefined}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function PlainTable({ sheet: { columns, rows }, label }: { readonly sheet: Sheet; readonly label: string }) {
  return (
    <Grid
      label={label}
      rows={rows}
      keyOf={(_, at) => String(at)}
      columns={columns.map((name, at) => ({
        name,
        isNumber: typeof rows[0]?.[at] === "number",
        cell: (row: Sheet["rows"][number]) => String(row[at] ?? ""),
      }))}
    />
  );
}

interface TabsProps<T extends string> {
  readonly label: string;
  readonly names: ChoiceNames<T>;
  readonly chosen: T;
  readonly onChoose: (name: T) => void;
}

export function Tabs<T extends string>({ label, names, chosen, onChoose }: TabsProps<T>) {
  const list = useRef<HTMLDivElement>(null);
  const tabs = pairsOf(names);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = (tabs.findIndex(([name]) => name === chosen) + step + tabs.length) % tabs.length;
    const next = tabs[at];
    if (next === undefined) return;
    onChoose(next[0]);
    list.current?.querySelectorAll("button").item(at).focus();
  };
  return (
    <div class="tabs" role="radiogroup" aria-label={label} ref={list} onKeyDown={onKeyDown}>
      {tabs.map(([name, shown]) => (
        <button
          type="button"
          role="radio"
          key={name}
          aria-checked={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {shown}
        </button>
      ))}
    </div>
  );
}

export interface RankedRow extends BarRow {
  /** Filters that a click adds; null: no filters select this row. */
  readonly filters: readonly Filter[] | null;
}

interface RankedListProps {
  readonly label: string;
  readonly heads: readonly [string, string, ...string[]];
  readonly rows: readonly RankedRow[];
}

/** Rows with bars, largest first. While the list is hovered or focused, rows keep their order when new data arrives. */
export function RankedList({ label, heads, rows }: RankedListProps) {
  const [isFrozen, setFrozen] = useState(false);
  const order = useRef<readonly string[]>([]);
  const shown = isFrozen ? inPreviousOrder(rows, order.current) : rows;
  order.current = shown.map(({ key }) => key);
  return (
    <div
      class="ranked"
      onPointerEnter={() => setFrozen(true)}
      onPointerLeave={() => setFrozen(false)}
      onFocusCapture={() => setFrozen(true)}
      onBlurCapture={() => setFrozen(false)}
    >
      <BarList label={label} heads={heads} rows={shown} labelOf={(row) => <RowLabel {...row} />} />
    </div>
  );
}

function RowLabel({ label, filters }: RankedRow) {
  const filterBy = useFilterBy();
  if (filters === null)
    return (
      <span class="row-label" title={`${label}\nNo filter selects exactly these`}>
        {label}
      </span>
    );
  return (
    <Button class="row-label" title={`${label}\nFilter: ${filters.map(sentence).join(", ")}`} onClick={() => filterBy(...filters)}>
      {label}
    </Button>
  );
}

function inPreviousOrder(rows: readonly RankedRow[], keys: readonly string[]): readonly RankedRow[] {
  const positions = new Map(keys.map((key, at) => [key, at]));
  const positionOf = ({ key }: RankedRow) => positions.get(key) ?? keys.length;
  return [...rows].sort((a, b) => positionOf(a) - positionOf(b));
}
