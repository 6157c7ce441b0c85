import { uuidText } from "../../base/uuid.js";
import { IdTable, idParts } from "../batch/id-table.js";

/** Ids that may be there twice which are looked for: of a billion others some 2,000 meet by chance, as fingerprints have 48 bits. */
const SUSPECT_COUNT_MAX = 10_000;

/**
 * Finds events that a store holds twice, by project and id: about 10 bytes an id, and a second look at the ids where fingerprints met.
 */
export class UniqueIds {
  // Nobody prepares ids against a check that changes nothing.
  readonly #table = new IdTable(0x5eed);
  readonly #suspects = new Map<string, string[]>();
  /** There were more suspects than are looked for. */
  isCut = false;

  get hasSuspects(): boolean {
    return this.#suspects.size > 0;
  }

  /** Notes ids of 16 bytes each. */
  add(ids: Uint8Array, projectOf: (row: number) => string): void {
    this.#table.reserve(Math.ceil(ids.length / 16));
    for (const { part, first } of idParts(ids)) {
      this.#table.look(part, part.length / 16, (row) => projectOf(first + row));
      for (let row = 0; row < part.length / 16; row += 1) {
        if (!this.#table.hasSeen(row)) this.#table.addSeen(row);
        else if (this.#suspects.size < SUSPECT_COUNT_MAX) this.#suspects.set(nameOf(part, row, projectOf(first + row)), []);
        else this.isCut = true;
      }
    }
    this.#table.keep();
  }

  /** The second look: each file's ids once more. */
  look(file: string, ids: Uint8Array, projectOf: (row: number) => string): void {
    for (let row = 0; row < ids.length / 16; row += 1) this.#suspects.get(nameOf(ids, row, projectOf(row)))?.push(`${file} row ${row}`);
  }

  /** Ids that stand in two places or more. */
  duplicates(): { readonly id: string; readonly places: readonly string[] }[] {
    return [...this.#suspects].filter(([, places]) => places.length > 1).map(([id, places]) => ({ id, places }));
  }
}

function nameOf(ids: Uint8Array, row: number, project: string): string {
  return `${uuidText(ids, row * 16)} of project ${project}`;
}
