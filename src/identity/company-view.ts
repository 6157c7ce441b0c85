import { compareKeys, type EventKey } from "../storage/segment/event-order.js";
import type { FrozenCodes } from "../storage/column/paged-codes.js";
import { newestTexts } from "../core/schema/traits.js";
import type { CompanyView } from "./identity-view.js";
import type { IdentityResolver } from "./resolver.js";

/** An event or a group record that associates an actor with a company. */
export interface Association {
  readonly ms: number;
  /** Key of the event. A record has no project, so it sorts before an event of the same id. */
  readonly key: EventKey;
  readonly company: number;
}

/** Stands for a company's code when there are several. */
export const MIXED = -1;

/** Order of (createdAt, id, project). */
export function compareAssociations(a: Association, b: Association): number {
  return a.ms - b.ms || compareKeys(a.key, b.key);
}

/** The companies of identities in one snapshot. */
export class Companies implements CompanyView {
  constructor(
    readonly resolver: IdentityResolver,
    readonly only: FrozenCodes,
    /** Associations of identities with several companies. */
    readonly lists: ReadonlyMap<number, readonly Association[]>,
    readonly membersOf: (companyCode: number) => Iterable<number>,
    /** Number of records in the snapshot. */
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

/** Index of the first association that does not compare as earlier. */
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
