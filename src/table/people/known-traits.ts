import type { Dictionaries } from "../../column/dictionaries.js";
import type { Missing } from "../../derived/missing.js";
import type { KnownValues } from "../../filter/known-fields.js";
import { TraitPath } from "../../filter/trait-key.js";
import type { IdentityView } from "../../identity/identity-view.js";
import type { RecordTable } from "../../identity/record-table.js";
import type { IdentityResolver } from "../../identity/resolver.js";
import { NamedCompanies, People } from "./trait-owners.js";
import { TraitTable, type ReadTrait } from "./trait-table.js";

/** What records tell of people and companies, a table for each name that was asked for. */
export class KnownTraits {
  readonly #people: People;
  readonly #companies: NamedCompanies;
  readonly #ofPeople = new Map<string, TraitTable>();
  readonly #ofCompanies = new Map<string, TraitTable>();

  constructor(
    readonly resolver: IdentityResolver,
    readonly dictionaries: Dictionaries,
  ) {
    this.#people = new People(resolver);
    this.#companies = new NamedCompanies(resolver);
  }

  get byteLength(): number {
    let byteLength = 0;
    for (const tables of [this.#ofPeople, this.#ofCompanies]) for (const table of tables.values()) byteLength += table.byteLength;
    return byteLength;
  }

  /** A trait of each identity, or its newest email; null where something is missing. */
  person(path: string, identities: IdentityView, missing: Missing): KnownValues | null {
    const read = () => (path === "email" ? this.#readEmail() : this.#readTrait(path));
    return tableOf(this.#ofPeople, path, () => new TraitTable(this.#people, read())).of(identities, missing);
  }

  /** A trait of each company, by its code; null where something is missing. */
  company(path: string, identities: IdentityView, missing: Missing): KnownValues | null {
    return tableOf(this.#ofCompanies, path, () => new TraitTable(this.#companies, this.#readTrait(path))).of(identities, missing);
  }

  #readEmail(): ReadTrait {
    const { table } = this.resolver;
    const emails = this.dictionaries.named("email");
    return (rows) => {
      const named = rows.filter((row) => table.code(row, "email") > 0);
      return named.length === 0 ? undefined : emails.valueOf(table.code(newestOf(named, table), "email"));
    };
  }

  #readTrait(path: string): ReadTrait {
    const { table } = this.resolver;
    const traits = this.dictionaries.named("traits");
    const read = new TraitPath(path);
    return (rows) => {
      const inOrder = [...rows].sort((a, b) => table.compare(a, b));
      return read.newest(inOrder.map((row) => ({ ms: table.timeOf(row), traits: traits.valueOf(table.code(row, "traits")) })));
    };
  }
}

/** In order of (createdAt, id). */
function newestOf(rows: readonly number[], table: RecordTable): number {
  return rows.reduce((newest, row) => (table.compare(row, newest) > 0 ? row : newest));
}

function tableOf(tables: Map<string, TraitTable>, path: string, make: () => TraitTable): TraitTable {
  let table = tables.get(path);
  if (table === undefined) tables.set(path, (table = make()));
  return table;
}
