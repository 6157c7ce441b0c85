/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import { areSameParts } from "../base/same-parts.js";
import { dayStartMs } from "../base/time.js";
import { compareIds } from "../base/uuid.js";
import { codeAt } from "../column/column.js";
import { ID_COLUMN, TIME_COLUMN } from "../schema/fields.js";
import type { Rows } from "../segment/rows.js";
import { COMPANY_COLUMNS, companyRowsOf } from "./company-rows.js";
import type { CompanyView, IdentityView } from "./identity-view.js";
import type { IdentityResolver } from "./resolver.js";

/** Somebody was seen with a company, or was said to belong to it. */
interface Association {
  readonly ms: number;
  /** 16 bytes of the id of the event or record, from `idAt` on. */
  readonly ids: Uint8Array;
  readonly idAt: number;
  readonly company: number;
}

const MIXED = -1;

/**
 * Learns who belongs to which company from the rows of a snapshot and from group records. Nearly everybody has one company:
 * a code each, 4 bytes an actor; the others get the list of all their associations in order. What sealed segments tell is
 * kept as long as they and the identities are the same.
 */
export class CompanyViews {
  #sealed: { readonly key: readonly object[]; readonly only: OnlyCompanies } | null = null;
  #last: { readonly key: readonly object[]; readonly view: Promise<CompanyView> } | null = null;
  #made: { readonly identities: IdentityView; readonly only: OnlyCompanies; readonly view: CompanyView } | null = null;

  /** The same object as long as neither identities nor who belongs to which company change: what was made with it stays good. @param identities the newest view of the resolver */
  of(snapshotRows: readonly Rows[], resolver: IdentityResolver, identities: IdentityView): Promise<CompanyView> {
    const showing = snapshotRows.filter((rows) => rows.zone("companyId") !== null);
    const key = [identities, ...showing];
    if (this.#last !== null && areSameParts(this.#last.key, key)) return this.#last.view;
    const view = this.#make(showing, resolver, identities);
    this.#last = { key, view };
    // What failed is made anew when it is asked for again.
    view.catch(() => (this.#last = null));
    return view;
  }

  async #make(showing: readonly Rows[], resolver: IdentityResolver, identities: IdentityView): Promise<CompanyView> {
    for (const rows of showing) rows.pin();
    try {
      for (const rows of showing) await rows.load(COMPANY_COLUMNS);
      const only = this.#ofSealed(showing, resolver, identities).copy();
      for (const rows of showing) if (!rows.sealed) addSegment(only, rows, identities);
      if (this.#made?.identities === identities && only.isSimpleAs(this.#made.only)) return this.#made.view;
      const view = new Companies(resolver, only, await listsOf(only.mixed, showing, resolver, identities));
      this.#made = { identities, only, view };
      return view;
    } finally {
      for (const rows of showing) rows.unpin();
    }
  }

  /** Cost: the actors of all segments that show companies, and all group records. */
  #ofSealed(showing: readonly Rows[], resolver: IdentityResolver, identities: IdentityView): OnlyCompanies {
    const sealed = showing.filter((rows) => rows.sealed);
    const key = [identities, ...sealed];
    if (this.#sealed !== null && areSameParts(this.#sealed.key, key)) return this.#sealed.only;
    const only = new OnlyCompanies();
    for (const rows of sealed) addSegment(only, rows, identities);
    for (const actor of resolver.groupsOfActor.codes())
      for (const row of resolver.groupsOfActor.of(actor)) only.add(identities.identityOf(actor), resolver.table.code(row, "companyId"));
    this.#sealed = { key, only };
    return only;
  }
}

function addSegment(only: OnlyCompanies, rows: Rows, identities: IdentityView): void {
  const { actors, companies } = companyRowsOf(rows);
  for (let place = 0; place < actors.length; place += 1) only.add(identities.identityOf(actors[place]!), companies[place]!);
}

/** The company of each identity that has one; MIXED for those of several. */
class OnlyCompanies {
  #companies = new Int32Array(1024);
  mixed = new Set<number>();

  add(identity: number, company: number): void {
    if (identity >= this.#companies.length) this.#grow(identity);
    const known = this.#companies[identity]!;
    if (known === company || known === MIXED) return;
    this.#companies[identity] = known === 0 ? company : MIXED;
    if (this.#companies[identity] === MIXED) this.mixed.add(identity);
  }

  of(identity: number): number {
    return identity < this.#companies.length ? this.#companies[identity]! : 0;
  }

  /** Whether both say the same, and nobody has several companies: when these were theirs depends on every row. */
  isSimpleAs(other: OnlyCompanies): boolean {
    if (this.mixed.size > 0 || other.mixed.size > 0) return false;
    const end = Math.max(this.#companies.length, other.#companies.length);
    for (let identity = 0; identity < end; identity += 1) if (this.of(identity) !== other.of(identity)) return false;
    return true;
  }

  copy(): OnlyCompanies {
    const copy = new OnlyCompanies();
    copy.#companies = this.#companies.slice();
    copy.mixed = new Set(this.mixed);
    return copy;
  }

  #grow(identity: number): void {
    const companies = new Int32Array(2 ** Math.ceil(Math.log2(identity + 1)));
    companies.set(this.#companies);
    this.#companies = companies;
  }
}

async function listsOf(
  mixed: ReadonlySet<number>,
  showing: readonly Rows[],
  resolver: IdentityResolver,
  identities: IdentityView,
): Promise<Map<number, Association[]>> {
  const lists = new Map<number, Association[]>([...mixed].map((identity) => [identity, []]));
  if (mixed.size === 0) return lists;
  for (const rows of showing) await addRows(lists, rows, identities);
  for (const [identity, list] of lists) {
    for (const actor of identities.actorsOf(identity))
      for (const row of resolver.groupsOfActor.of(actor)) {
        const { table } = resolver;
        list.push({ ms: table.timeOf(row), ids: table.ids, idAt: row * 16, company: table.code(row, "companyId") });
      }
    list.sort((a, b) => a.ms - b.ms || compareIds(a.ids, a.idAt, b.ids, b.idAt));
  }
  return lists;
}

async function addRows(lists: ReadonlyMap<number, Association[]>, rows: Rows, identities: IdentityView): Promise<void> {
  const { actors, starts, rows: list } = companyRowsOf(rows);
  const places: number[] = [];
  for (let place = 0; place < actors.length; place += 1) if (lists.has(identities.identityOf(actors[place]!))) places.push(place);
  if (places.length === 0) return;
  await rows.load([TIME_COLUMN, ID_COLUMN, ...COMPANY_COLUMNS]);
  const times = rows.times();
  const ids = rows.ids();
  const column = rows.column("companyId");
  const start = dayStartMs(rows.day);
  for (const place of places) {
    const associations = lists.get(identities.identityOf(actors[place]!));
    for (let at = starts[place]!; at < starts[place + 1]!; at += 1) {
      const row = list[at]!;
      // The list outlives the columns: its ids are copies.
      associations?.push({ ms: start + times[row]!, ids: ids.slice(row * 16, row * 16 + 16), idAt: 0, company: codeAt(column, row) });
    }
  }
}

class Companies implements CompanyView {
  constructor(
    readonly resolver: IdentityResolver,
    readonly only: OnlyCompanies,
    readonly lists: ReadonlyMap<number, readonly Association[]>,
  ) {}

  onlyCompany(identity: number): number {
    return this.only.of(identity);
  }

  get hasChanges(): boolean {
    return this.lists.size > 0;
  }

  companyAt(identity: number, createdAtMs: number, ids: Uint8Array, idAt: number): number {
    const company = this.only.of(identity);
    if (company !== MIXED) return company;
    const list = this.lists.get(identity) ?? [];
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { ms, ids: otherIds, idAt: otherAt } = list[middle]!;
      if ((ms - createdAtMs || compareIds(otherIds, otherAt, ids, idAt)) < 0) low = middle + 1;
      else high = middle;
    }
    return (low === 0 ? list[0] : list[low - 1])?.company ?? 0;
  }

  has(companyCode: number): boolean {
    return this.resolver.companies.isKnown(companyCode);
  }

  traitsOf(companyCode: number): Readonly<Record<string, unknown>> | null {
    const { table, groupsOfCompany, dictionaries } = this.resolver;
    const rows = groupsOfCompany.of(companyCode).filter((row) => table.code(row, "traits") > 0);
    if (rows.length === 0) return null;
    const traits = dictionaries.named("traits");
    const oldestFirst = [...rows].sort((a, b) => table.compare(a, b));
    const merged = oldestFirst.flatMap((row) =>
      Object.entries(JSON.parse(traits.valueOf(table.code(row, "traits"))) as Record<string, unknown>).filter(([, value]) => typeof value === "string" && value !== ""));
    return Object.fromEntries(merged);
  }
}
