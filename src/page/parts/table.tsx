import type { ComponentChildren } from "preact";
import type { Sheet } from "../format/sheet.js";
import { useRef } from "preact/hooks";

/** A sheet, unformatted. */
export function PlainTable({ sheet, label }: { readonly sheet: Sheet; readonly label: string }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={label}>
      <table class="grid">
        <thead>
          <tr>
            {sheet.columns.map((name, at) => (
              <th key={name} scope="col" class={typeof sheet.rows[0]?.[at] === "number" ? "right" : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sheet.rows.map((row, at) => (
            <tr key={at}>
              {row.map((value, column) => (
                <td key={column} class={typeof value === "number" ? "right" : undefined}>
                  {value === null ? "" : String(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

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
  readonly keyOf: (row: R) => string;
}

/** Rows with columns; the first column names the row. */
export function Grid<R>({ label, columns, rows, keyOf }: GridProps<R>) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={label}>
      <table class="grid">
        <thead>
          <tr>
            {columns.map(({ name, isNumber, onSort, isSorted }) => (
              <th key={name} scope="col" class={isNumber === true ? "right" : undefined} aria-sort={isSorted === true ? "descending" : undefined}>
                {onSort === undefined ? (
                  name
                ) : (
                  <button type="button" class="sort" onClick={onSort}>
                    {name}
                    {isSorted === true && " ↓"}
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, cell, isNumber }, at) =>
                at === 0 ? (
                  <th key={name} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={name} class={isNumber === true ? "right" : undefined}>
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

interface TabsProps<T extends string> {
  readonly label: string;
  readonly names: readonly (readonly [T, string])[];
  readonly chosen: T;
  readonly onChoose: (name: T) => void;
}

/** A radio group, shown as tabs; arrow keys move between them. */
export function Tabs<T extends string>({ label, names, chosen, onChoose }: TabsProps<T>) {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = (names.findIndex(([name]) => name === chosen) + step + names.length) % names.length;
    const next = names[at];
    if (next === undefined) return;
    onChoose(next[0]);
    list.current?.querySelectorAll("button").item(at).focus();
  };
  return (
    <div class="tabs" role="radiogroup" aria-label={label} ref={list} onKeyDown={onKeyDown}>
      {names.map(([name, shown]) => (
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
