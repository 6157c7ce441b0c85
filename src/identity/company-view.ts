import { compareKeys, type EventKey } from "../segment/event-order.js";
import type { FrozenCodes } from "../column/paged-codes.js";
import { newestTexts } from "../schema/traits.js";
import type { CompanyView } from "./identity-view.js";
import type { IdentityResolver } from "./resolver.js";

/** Somebody was seen with a company, or was said to belong to it. */
export interface Association {
  readonly ms: number;
  /** Of the event; a record is of no project, so it comes before an event of its id. */
  readonly key: EventKey;
  readonly company: number;
}

/** In place of a company's code: there are several. */
export const MIXED = -1;

/** In the order of (createdAt, id, project). */
export function compareAssociations(a: Association, b: Association): number {
  return a.ms - b.ms || compareKeys(a.key, b.key);
}

/** Who belonged to which company, as it was known at one moment. */
export class Companies implements CompanyView {
  constructor(
    readonly resolver: IdentityResolver,
    readonly only: FrozenCodes,
    /** Of identities with several companies. */
    readonly lists: ReadonlyMap<number, readonly Association[]>,
    readonly membersOf: (companyCode: number) => Iterable<number>,
    /** Records that were there then. */
    readonly recordEnd: number,
  ) {}

  onlyCompany(identity: number): number {
    return this.only.of(identity);
  }

  lastCompany(identity: number): number {
    const company = this.only.of(identity);
    return company === MIXED ? (this.lists.get(identity)?.at(-1)?.company ?? 0) : company;
  }

  changedIdentities(): number[] {
    return [...this.lists.keys()];
  }

  get hasChanges(): boolean {
    return this.lists.size > 0;
  }

  companyAt(identity: number, createdAtMs: number, key: EventKey): number {
    const company = this.only.of(identity);
    if (company !== MIXED) return company;
    const list = this.lists.get(identity) ?? [];
    const moment = { ms: createdAtMs, key, company: 0 };
    const behind = firstNotBefore(list, (association) => compareAssociations(association, moment));
    return (behind === 0 ? list[0] : list[behind - 1])?.company ?? 0;
  }

  needsId(identity: number, createdAtMs: number): boolean {
    const list = this.lists.get(identity) ?? [];
    return list[firstNotBefore(list, ({ ms }) => ms - createdAtMs)]?.ms === createdAtMs;
  }

  has(companyCode: number): boolean {
    return this.resolver.companies.isKnown(companyCode);
  }

  traitsOf(companyCode: number): Readonly<Record<string, unknown>> | null {
    const { table, groupsOfCompany, dictionaries } = this.resolver;
    const rows = groupsOfCompany.of(companyCode).filter((row) => table.code(row, "traits") > 0 && this.resolver.isLive(row, this.recordEnd));
    if (rows.length === 0) return null;
    const traits = dictionaries.named("traits");
    const oldestFirst = [...rows].sort((a, b) => table.compare(a, b));
    return newestTexts(oldestFirst.map((row) => traits.valueOf(table.code(row, "traits"))));
  }
}

/** Place of the first association that is not before what it is compared to. */
function firstNotBefore(list: readonly Association[], compare: (association: Association) => number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(list[middle] as Association) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
