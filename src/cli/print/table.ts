/** Lays rows out in columns, two blanks apart; `align` has `<` or `>` per column. Trailing blanks are cut. */
export function table(rows: readonly (readonly string[])[], align: string, indent = ""): string {
  const widths = [...align].map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (align[column] === ">" ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return lines.map((line) => `${indent}${line}\n`).join("");
}
