import type { ComponentChildren } from "preact";
import { Num } from "./figures.js";
import type { FormattedNumber } from "./format.js";

export interface BarRow {
  readonly key: string;
  readonly label: string;
  readonly figure: number;
  readonly shown: FormattedNumber;
  readonly more?: FormattedNumber;
}

interface BarListProps<R extends BarRow> {
  readonly label: string;
  readonly heads: readonly [string, string, ...string[]];
  readonly rows: readonly R[];
  /** Default: the label as text. */
  readonly labelOf?: (row: R) => ComponentChildren;
}

/** A table whose rows have bars, in the order of `rows`. */
export function BarList<R extends BarRow>({ label, heads, rows, labelOf = textLabel }: BarListProps<R>) {
  const largest = Math.max(1, ...rows.map(({ figure }) => figure));
  const [name, ...others] = heads;
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{name}</th>
          {others.map((head) => (
            <th key={head} scope="col" class="right">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <th scope="row">
              <span class="bar" style={{ width: `${(row.figure / largest) * 100}%` }} />
              {labelOf(row)}
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
  );
}

function textLabel({ label }: BarRow) {
  return (
    <span class="row-label" title={label}>
      {label}
    </span>
  );
}
