import type { IdentityView } from "../../identity/identity-view.js";
import type { IdentityResolver } from "../../identity/resolver.js";

/** What was known when traits were followed last. */
export interface TraitsSeen {
  readonly identities: IdentityView;
  readonly changeCount: number;
}

/** Whom records tell traits of: identities or companies, as numbers. */
export interface TraitOwners {
  readonly changeCount: number;
  /** All of whom something was told; some of them several times. */
  all(identities: IdentityView): Iterable<number>;
  /** Those of whom something else may be known since; null where that is too long ago to tell. */
  changedSince(seen: TraitsSeen, identities: IdentityView): ReadonlySet<number> | null;
  /** The records about one that count at a moment. */
  recordsOf(owner: number, identities: IdentityView): readonly number[];
}

/** Identities, by the identify records of all their ids. */
export class People implements TraitOwners {
  constructor(readonly resolver: IdentityResolver) {}

  get changeCount(): number {
    return this.resolver.identifyMoves.count;
  }

  *all(identities: IdentityView): Iterable<number> {
    for (const actor of this.resolver.identifiesOfActor.codes()) yield identities.identityOf(actor);
  }

  changedSince({ identities: former, changeCount }: TraitsSeen, identities: IdentityView): ReadonlySet<number> | null {
    const told = this.resolver.identifyMoves.between(changeCount, this.changeCount);
    const moved = identities.movedSince(former);
    if (told === null || moved === null) return null;
    const changed = new Set<number>();
    for (const actor of told) changed.add(identities.identityOf(actor));
    for (const actor of moved) changed.add(former.identityOf(actor)).add(identities.identityOf(actor));
    return changed;
  }

  recordsOf(identity: number, identities: IdentityView): readonly number[] {
    const { identifiesOfActor } = this.resolver;
    return identities.actorsOf(identity).flatMap((actor) => identifiesOfActor.of(actor).filter(identities.isLive));
  }
}

/** Companies, by the group records that name them. */
export class NamedCompanies implements TraitOwners {
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
