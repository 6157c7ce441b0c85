/** An answer as a table: what is downloaded as CSV. */
export interface Sheet {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** RFC 4180, with CRLF. Text that a spreadsheet would take for a formula, and is no number, gets an apostrophe before it. */
export function csvOf({ columns, rows }: Sheet): string {
  return [columns, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(value: string | number | boolean | null): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const safe = /^[=+\-@\t\r\n]/.test(value) && !NUMBER.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Rows of objects as a sheet, with the names of their members as columns; objects within become JSON. */
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

/** Buckets and the series over them: a line for each bucket. */
export function sheetOfSeries(
  buckets: readonly { readonly local: string | null }[],
  series: readonly { readonly name: string; readonly data: readonly (number | null)[] }[],
): Sheet {
  return {
    columns: ["bucket", ...series.map(({ name }) => name)],
    rows: buckets.map(({ local }, at) => [local, ...series.map(({ data }) => data[at] ?? null)]),
  };
}
