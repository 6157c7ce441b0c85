import { quotedCell, withoutFormulas } from "./csv-cell.js";

/** A response as a table, for download as CSV. */
export interface Sheet {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
}

/** CSV as in RFC 4180, with CRLF. An apostrophe precedes text that a spreadsheet would read as a formula. */
export function csvOf({ columns, rows }: Sheet): string {
  return [columns, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(value: string | number | boolean | null): string {
  if (value === null) return "";
  return typeof value === "string" ? quotedCell(withoutFormulas(value)) : String(value);
}

/** Objects as a sheet, with the names of their members as columns; nested objects become JSON. */
export function sheetOf(items: readonly object[]): Sheet {
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const flat = (value: unknown) =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? value
      : value === null || value === undefined
        ? null
        : JSON.stringify(value);
  const rows = items.map((item) => {
    const members = new Map<string, unknown>(Object.entries(item));
    return columns.map((name) => flat(members.get(name)));
  });
  return { columns, rows };
}

/** Series over buckets, one row per bucket. */
export function sheetOfSeries(
  buckets: readonly { readonly local: string | null }[],
  series: readonly { readonly name: string; readonly data: readonly (number | null)[] }[],
): Sheet {
  return {
    columns: ["bucket", ...series.map(({ name }) => name)],
    rows: buckets.map(({ local }, at) => [local, ...series.map(({ data }) => data[at] ?? null)]),
  };
}
