/** Signed numbers are not formulas, even if a cell separator follows them in the text. */
const NUMBER = String.raw`[+-](?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?(?![^;\t\r\n])`;
/** Characters that start a formula, in half and full width. */
const OPENING = "=+\\-@＝＋－＠";
/**
 * Where a spreadsheet may read text as a formula: at its start, and after anything that ends a cell in other dialects. NUL counts too: some drop it.
 * If the separator is a semicolon or tab, quotes of a comma-separated cell are literal: its line breaks end rows, and quotes in its text open cells.
 */
const FORMULA = new RegExp(`(^|[;\\t\\r\\n]"*)(?!${NUMBER})(?=[${OPENING}\\0])`, "gi");
const FORMULA_IN_JSON = new RegExp(`;([${OPENING}])`, "g");

/** Inserts an apostrophe wherever a spreadsheet would read text as a formula. Numbers stay unchanged. */
export function withoutFormulas(text: string): string {
  const guarded = text.replace(FORMULA, "$1'");
  return /^[\t\r\n]/.test(guarded) ? `'${guarded}` : guarded;
}

/** Equivalent JSON of an object in which no cell can start with a formula. */
export function jsonWithoutFormulas(json: string): string {
  return json.replace(FORMULA_IN_JSON, (_, opening: string) => `;\\u${opening.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A cell as in RFC 4180, quoted if it contains a character that ends a cell in any dialect. */
export function quotedCell(text: string): string {
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

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

export function sheetOfSeries(
  buckets: readonly { readonly local: string | null }[],
  series: readonly { readonly name: string; readonly data: readonly (number | null)[] }[],
): Sheet {
  return {
    columns: ["bucket", ...series.map(({ name }) => name)],
    rows: buckets.map(({ local }, at) => [local, ...series.map(({ data }) => data[at] ?? null)]),
  };
}
