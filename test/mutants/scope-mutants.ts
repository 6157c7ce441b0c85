import { of, type Mutant } from "./mutant.js";

/** What a scope forgets. */
export const scopeMutants: readonly Mutant[] = [
  ...of("ScopedStore.snapshot", ["that other events are not its own", "return this.#catalog.snapshot(this.rowCount);", "return this.store.snapshot();"]),
  ...of("ScopedStore.resolver", ["that links of other events are not its own", "return this.#identities.resolver;", "return this.store.resolver;"]),
  ...of("Scopes.#made",
    ["that tables of all events are not its own", "this.#reading(scoped, own)", "this.#reading(scoped, this.contexts)"],
    ["that projects of other events do not exist", "[...new Set([DEFAULT_PROJECT, ...scoped.projects])]", "projectsOf(this.store)"]),
  ...of("ScopedStore.#clear", ["that ids of other events do not exist", "    this.#identities.resolver.knowOnlySeen();\n"]),
  ...of("ScopedStore.hasKey", ["that keys of other events do not exist", " && this.#catalog.heads.some((head) => head.hasKey(code))"]),
  ...of("ScopedStore.#report",
    ["that a late record moves events", "!this.#dependsOnCompanies", "this.#sequence > 0"],
    ["records", "records.slice(this.#recordCount, recordEnd)", "records.slice(0, 0)"]),
  ...of("ScopedStore.#copy",
    ["whose events they are", "          this.#identities.addEvents(batch);\n"],
    ["the projects of its events", "this.#projects.add(code)", "void code"]),
  ...of("passingAll", ["the second scope", "kept = kept.filter((row) => passing.has(row));", "void passing;"]),
  ...of("conditionsOfRows", ["its projects", "if (projects === null) return [own];", "return [own];"]),
  ...of("conditionsOf", ["the range of the outer scope", ".reduce(intersection, EVER)", ".at(-1) ?? EVER"]),
  ...of("rangeAt", ["its last days", "if (lastDays === null) return range;", "return range;"]),
];
