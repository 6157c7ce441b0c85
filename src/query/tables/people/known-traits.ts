import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import { KnownValues } from "../../filter/predicate.js";
import { TraitPath, canonicalJson, isSetJson } from "../../filter/value-test.js";
import type { IdentityView } from "../../../identity/identity-view.js";
import type { RecordTable } from "../../../identity/record-table.js";
import type { IdentityResolver } from "../../../identity/resolver.js";
import { Yielder } from "../../../core/base/yield.js";
import { PagedCodes } from "../../../storage/column/paged-codes.js";

interface TraitsSeen {
  readonly identities: IdentityView;
  readonly changeCount: number;
}

interface TraitOwners {
  readonly changeCount: number;
  /** All owners with records; some of them several times. */
  all(identities: IdentityView): Iterable<number>;
  /** Null when that is too long ago. */
  changedSince(seen: TraitsSeen, identities: IdentityView): ReadonlySet<number> | null;
  /** The live records about an owner in a snapshot. */
  recordsOf(owner: number, identities: IdentityView): readonly number[];
}

class People implements TraitOwners {
  constructor(readonly resolver: IdentityResolver) {}

  get changeCount(): number {
    return this.resolver.identifyMoves.count;
  }

  *all(identities: IdentityView): Iterable<number> {
    for (const actor of this.resolver.identifiesOfActor.codes()) yield identities.identityOf(actor);
  }

  changedSince({ identities: former, changeCount }: TraitsSeen, identities: IdentityView): ReadonlySet<number> | null {
    const identified = this.resolver.identifyMoves.between(changeCount, this.changeCount);
    const moved = identities.changesSince(former);
    if (identified === null || moved === null) return null;
    const changed = new Set<number>();
    for (const actor of identified) changed.add(identities.identityOf(actor));
    for (const actor of moved) changed.add(former.identityOf(actor)).add(identities.identityOf(actor));
    return changed;
  }

  recordsOf(identity: number, identities: IdentityView): readonly number[] {
    const { identifiesOfActor } = this.resolver;
    return identities.actorsOf(identity).flatMap((actor) => identifiesOfActor.of(actor).filter(identities.isLive));
  }
}

class NamedCompanies implements TraitOwners {
  constructor(readonly resolver: IdentityResolver) {}

  get changeCount(): number {
    return this.resolver.companyMoves.count;
  }

  all(): Iterable<number> {
    return this.resolver.groupsOfCompany.codes();
  }

  changedSince({ changeCount }: TraitsSeen): ReadonlySet<number> | null {
    return this.resolver.companyMoves.between(changeCount, this.changeCount);
  }

  recordsOf(company: number, identities: IdentityView): readonly number[] {
    return this.resolver.groupsOfCompany.of(company).filter(identities.isLive);
  }
}

/** Above this number of changed owners, the update yields. */
const FEW_OWNERS = 1_024;
const VALUES_PER_OWNER = 512;
/** Estimated size of a distinct value: its text twice, and its number. */
const VALUE_BYTES = 200;

type ReadTrait = (rows: readonly number[]) => unknown;

/** One trait of each identity or company: 4 bytes an owner, and the distinct values. An update costs the owners it affects. */
class TraitTable {
  #numbers = new PagedCodes();
  #values: unknown[] = [undefined];
  #numberOfText = new Map<string, number>();
  #seen: TraitsSeen | null = null;
  #view: KnownValues | null = null;
  #building: Promise<void> | null = null;

  constructor(
    readonly owners: TraitOwners,
    readonly read: ReadTrait,
  ) {}

  get byteLength(): number {
    return this.#numbers.byteLength + this.#values.length * VALUE_BYTES;
  }

  /** The values in a snapshot that is no earlier than the last one; null when something is missing. Later changes do not affect the result. */
  of(identities: IdentityView, pending: PendingLoads): KnownValues | null {
    const changed = this.#seen === null ? null : this.owners.changedSince(this.#seen, identities);
    if (this.#building !== null || changed === null || changed.size > FEW_OWNERS) {
      pending.add(() => (this.#building ??= this.#build(changed, identities).finally(() => (this.#building = null))));
      return null;
    }
    for (const owner of changed) this.#find(owner, identities);
    this.#seen = this.#now(identities);
    if (this.#view === null || changed.size > 0) this.#view = new KnownValues(this.#numbers.freeze(), this.#values);
    return this.#view;
  }

  #now(identities: IdentityView): TraitsSeen {
    return { identities, changeCount: this.owners.changeCount };
  }

  /** Updates the table, yielding. Later changes have greater change counts, so the next call applies them. @param changed null for all */
  async #build(changed: ReadonlySet<number> | null, identities: IdentityView): Promise<void> {
    const seen = this.#now(identities);
    if (changed === null) this.#clear();
    const yielder = new Yielder();
    for (const owner of changed ?? this.owners.all(identities)) {
      this.#find(owner, identities);
      await yielder.yieldAfter(VALUES_PER_OWNER);
    }
    this.#seen = seen;
    this.#view = null;
  }

  #clear(): void {
    this.#numbers = new PagedCodes();
    this.#values = [undefined];
    this.#numberOfText = new Map();
    this.#seen = null;
  }

  #find(owner: number, identities: IdentityView): void {
    const number = this.#numberOf(this.read(this.owners.recordsOf(owner, identities)));
    if (this.#numbers.of(owner) !== number) this.#numbers.set(owner, number);
  }

  #numberOf(value: unknown): number {
    if (!isSetJson(value)) return 0;
    const text = canonicalJson(value);
    let number = this.#numberOfText.get(text);
    if (number === undefined) this.#numberOfText.set(text, (number = this.#values.push(value) - 1));
    return number;
  }
}

/** The traits of identities and companies, a table for each requested trait. */
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

  /** A trait of each identity, or its newest email; null when something is missing. */
  person(path: string, identities: IdentityView, pending: PendingLoads): KnownValues | null {
    const read = () => (path === "email" ? this.#readEmail() : this.#readTrait(path));
    return tableOf(this.#ofPeople, path, () => new TraitTable(this.#people, read())).of(identities, pending);
  }

  /** A trait of each company, by its code; null when something is missing. */
  company(path: string, identities: IdentityView, pending: PendingLoads): KnownValues | null {
    return tableOf(this.#ofCompanies, path, () => new TraitTable(this.#companies, this.#readTrait(path))).of(identities, pending);
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

function newestOf(rows: readonly number[], table: RecordTable): number {
  return rows.reduce((newest, row) => (table.compare(row, newest) > 0 ? row : newest));
}

function tableOf(tables: Map<string, TraitTable>, path: string, make: () => TraitTable): TraitTable {
  let table = tables.get(path);
  if (table === undefined) tables.set(path, (table = make()));
  return table;
}
