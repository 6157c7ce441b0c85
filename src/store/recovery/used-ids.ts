/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes are bounded by their dictionary */
import type { Dictionaries } from "../../column/dictionaries.js";
import type { Rows } from "../../segment/rows.js";

type IdColumn = "userId" | "anonymousId" | "companyId";

/** Which codes of ids some event uses: of all others only records, or nothing any more, tell. */
export class UsedIds {
  readonly columns: readonly IdColumn[] = ["userId", "anonymousId", "companyId"];
  readonly #used = new Map<IdColumn, Uint8Array>();

  constructor(readonly dictionaries: Dictionaries) {
    for (const column of this.columns) this.#used.set(column, new Uint8Array(dictionaries.named(column).size));
  }

  /** Notes the ids of rows; their columns are loaded. */
  addRows(rows: Rows): void {
    for (const column of this.columns) {
      const used = this.#used.get(column)!;
      const { codes } = rows.column(column);
      for (let at = 0; at < codes.length; at += 1) used[codes[at]!] = 1;
    }
  }

  /** Codes with a value that no row noted so far uses, ascending. */
  unusedOf(column: IdColumn): number[] {
    const used = this.#used.get(column)!;
    const { values } = this.dictionaries.named(column);
    return [...used.keys()].filter((code) => code > 0 && used[code] === 0 && values[code] !== "");
  }
}
