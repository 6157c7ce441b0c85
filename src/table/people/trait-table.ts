import { Turns } from "../../base/turn.js";
import { PagedCodes } from "../../column/paged-codes.js";
import type { Missing } from "../../derived/missing.js";
import { KnownValues } from "../../filter/known-fields.js";
import { canonicalJson, isSetJson } from "../../filter/operand-value.js";
import type { IdentityView } from "../../identity/identity-view.js";
import type { TraitOwners, TraitsSeen } from "./trait-owners.js";

/** Owners whose value is found in the turn of a question; of more of them it is in turns. */
const FEW_OWNERS = 1_024;
/** What finding the value of one takes, in values. */
const VALUES_PER_OWNER = 512;
/** Estimate of a distinct value: its text, twice, and what names it. */
const VALUE_BYTES = 200;

/** Finds what some records, all of one owner, say under one name. */
export type ReadTrait = (rows: readonly number[]) => unknown;

/**
 * What is known of each identity, or company, under one name: 4 bytes an owner, and the distinct values. Follows records and links: what changes
 * costs what it concerns.
 */
export class TraitTable {
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

  /** What is known at a moment that is no earlier than the last one; null where it is missing. Later changes do not change the answer. */
  of(identities: IdentityView, missing: Missing): KnownValues | null {
    const changed = this.#seen === null ? null : this.owners.changedSince(this.#seen, identities);
    if (this.#building !== null || changed === null || changed.size > FEW_OWNERS) {
      missing.add(() => (this.#building ??= this.#build(changed, identities).finally(() => (this.#building = null))));
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

  /** In turns. What changes meanwhile is behind the count of changes that it began with. @param changed null for all */
  async #build(changed: ReadonlySet<number> | null, identities: IdentityView): Promise<void> {
    const seen = this.#now(identities);
    if (changed === null) this.#clear();
    const turns = new Turns();
    for (const owner of changed ?? this.owners.all(identities)) {
      this.#find(owner, identities);
      await turns.took(VALUES_PER_OWNER);
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
