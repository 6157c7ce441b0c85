/** Numbers are no formulas, also where they end with a cell within a text. */
const NUMBER = String.raw`[+-](?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?(?![^;\t\r\n])`;
/** What makes a formula of a cell, in both widths, and a NUL, which some drop. */
const OPENING = "=+\\-@＝＋－＠";
/**
 * Where a spreadsheet may take a text for a formula: at its beginning, and behind whatever ends a cell elsewhere. Where that is a semicolon or a tab,
 * the quotes of a cell between commas are none, so that its lines end rows too, and quotes of the text open a cell.
 */
const FORMULA = new RegExp(`(^|[;\\t\\r\\n]"*)(?!${NUMBER})(?=[${OPENING}\\0])`, "gi");
const FORMULA_IN_JSON = new RegExp(`;([${OPENING}])`, "g");

/** Text with an apostrophe before each place where a spreadsheet would take it for a formula. A number is none. */
export function withoutFormulas(text: string): string {
  const guarded = text.replace(FORMULA, "$1'");
  return /^[\t\r\n]/.test(guarded) ? `'${guarded}` : guarded;
}

/** JSON of an object in which no cell can begin with a formula. It means the same. */
export function jsonWithoutFormulas(json: string): string {
  return json.replace(FORMULA_IN_JSON, (_, opening: string) => `;\\u${opening.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A cell as RFC 4180 has it; in quotes wherever anybody might see an end of it within. */
export function quotedCell(text: string): string {
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
