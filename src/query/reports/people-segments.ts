/* eslint-disable @typescript-eslint/no-non-null-assertion -- identities are below the end of all */
import { assert } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { runYielding, piecesOf, type Steps } from "../../core/base/yield.js";
import { complement, emptyBitmap, hasBit, intersect, subtract, unite, type Bitmap } from "../../storage/column/bitmap.js";
import type { SegmentMembers, MembersOf } from "../filter/predicate.js";
import type { IdentityView } from "../../identity/identity-view.js";
import type { ConditionPlan, PeopleSegmentPlan, PlannedFilter, Range, QueryScope } from "../plan/plan.js";
import { rangeOf } from "../plan/insights/segments.js";
import type { AnyPass, Pass, StateOf } from "./form/report.js";
import { eachAddedCount, actorCountsPass, type ActorCounts } from "./events/actor-counts.js";
import { actorsPass, eachActor, unitedActors, type DistinctActors } from "./events/distinct-actors.js";

/** Identities tested in one step: some milliseconds. */
const IDENTITIES_PER_STEP = 32_768;

/** What members are found with, besides the states of the passes. */
export interface MembersContext {
  readonly identities: IdentityView;
  /** All identities are below it. */
  readonly identityEnd: number;
  readonly testOf: (comparison: PlannedFilter) => Steps<(identity: number) => boolean>;
  /** Yields to other work. @throws aborted */
  readonly pause: () => Promise<void>;
}

type ActorsPass = Pass<DistinctActors[]>;

/** A condition, with the passes that it reads. */
type SettledCondition =
  /** People in the first pass and not in the second; negated: everyone else. */
  | { readonly kind: "seen"; readonly within: ActorsPass; readonly notIn: ActorsPass | null; readonly negated: boolean }
  | { readonly kind: "counted"; readonly counts: Pass<ActorCounts[]>; readonly atLeast: number; readonly atMost: number }
  | { readonly kind: "is"; readonly comparison: PlannedFilter };

/**
 * The segments that a query names: the passes over rows they need, and their members by what these find. Passes collect ids and are cached with spans
 * of days; the ids are mapped to identities last, and only then are conditions decided.
 */
export class PeopleSegments {
  /** By what they compute: equal conditions share a pass. */
  readonly #passes = new Map<string, AnyPass>();
  readonly #segments = new Map<PeopleSegmentPlan, readonly (readonly SettledCondition[])[]>();

  constructor(scopes: readonly QueryScope[]) {
    for (const { operand } of scopes.flatMap(({ where }) => where.flat())) {
      if (operand.kind !== "segment" || this.#segments.has(operand.segment)) continue;
      this.#segments.set(operand.segment, operand.segment.map((group) => group.map((condition) => this.#settle(condition, operand.nowMs))));
    }
  }

  /** Without duplicates. */
  get passes(): readonly AnyPass[] {
    return [...this.#passes.values()];
  }

  get comparisons(): readonly PlannedFilter[] {
    return [...this.#segments.values()].flat(2).flatMap((condition) => (condition.kind === "is" ? [condition.comparison] : []));
  }

  async membersOf(stateOf: StateOf, context: MembersContext): Promise<NonNullable<MembersOf>> {
    const holders = new ConditionHolders(stateOf, context);
    const members = new Map<PeopleSegmentPlan, SegmentMembers>();
    for (const [segment, groups] of this.#segments) {
      const bits = await anyOf(groups, holders, context);
      members.set(segment, { has: (identity) => identity < context.identityEnd && hasBit(bits, identity) });
    }
    return (segment) => {
      const found = members.get(segment);
      assert(found !== undefined, "the members of all segments that a query names are known");
      return found;
    };
  }

  #settle(condition: ConditionPlan, nowMs: number): SettledCondition {
    if (condition.type === "is") return { kind: "is", comparison: condition.comparison };
    const range = rangeOf(condition.window, nowMs);
    if (condition.type === "did") {
      const { atLeast, atMost } = condition;
      const scope = { ...condition.scope, range };
      // Whether at all: needs no counts.
      if (atMost === 0 || (atLeast === 1 && atMost === null)) return { kind: "seen", within: this.#actorsOf(scope), notIn: null, negated: atMost === 0 };
      return { kind: "counted", counts: this.#shared(`how often ${JSON.stringify(scope)}`, () => actorCountsPass(scope)), atLeast, atMost: atMost ?? Infinity };
    }
    const rest = condition.type === "firstSeen" ? { fromMs: 0, toMs: range.fromMs } : { fromMs: range.toMs, toMs: LIMITS.instantMaxMs };
    const ofProject = (within: Range) => this.#actorsOf({ project: condition.project, eventName: null, userId: null, where: [], range: within });
    return { kind: "seen", within: ofProject(range), notIn: rest.fromMs < rest.toMs ? ofProject(rest) : null, negated: false };
  }

  #actorsOf(scope: QueryScope): ActorsPass {
    return this.#shared(`who did ${JSON.stringify(scope)}`, () => actorsPass(scope));
  }

  #shared<S>(key: string, make: () => Pass<S>): Pass<S> {
    const pass = this.#passes.get(key) ?? make();
    this.#passes.set(key, pass);
    // The cast: a key names passes of one kind.
    return pass as Pass<S>;
  }
}

async function anyOf(groups: readonly (readonly SettledCondition[])[], holders: ConditionHolders, { identityEnd, pause }: MembersContext): Promise<Bitmap> {
  const any = emptyBitmap(identityEnd);
  for (const group of groups) {
    const all = emptyBitmap(identityEnd);
    complement(all, identityEnd);
    for (const condition of group) {
      intersect(all, await runYielding(holders.holdsFor(condition), pause));
      await pause();
    }
    unite(any, all);
  }
  return any;
}

/** The identities for which conditions hold, one bit each. */
class ConditionHolders {
  readonly #seen = new Map<ActorsPass, Bitmap>();

  constructor(
    readonly stateOf: StateOf,
    readonly context: MembersContext,
  ) {}

  *holdsFor(condition: SettledCondition): Steps<Bitmap> {
    switch (condition.kind) {
      case "seen":
        return this.#holdsForSeen(condition.within, condition.notIn, condition.negated);
      case "counted":
        return yield* this.#holdsForCounts(this.stateOf(condition.counts), condition.atLeast, condition.atMost);
      case "is":
        return yield* this.#holdsWhere(yield* this.context.testOf(condition.comparison));
    }
  }

  #holdsForSeen(within: ActorsPass, notIn: ActorsPass | null, negated: boolean): Bitmap {
    const bits = this.#seenIn(within).slice();
    if (notIn !== null) subtract(bits, this.#seenIn(notIn));
    if (negated) complement(bits, this.context.identityEnd);
    return bits;
  }

  #seenIn(pass: ActorsPass): Bitmap {
    let bits = this.#seen.get(pass);
    if (bits === undefined) this.#seen.set(pass, (bits = this.#identitiesOf(this.stateOf(pass))));
    return bits;
  }

  #identitiesOf(actors: readonly DistinctActors[]): Bitmap {
    const { identities, identityEnd } = this.context;
    const bits = emptyBitmap(identityEnd);
    eachActor(unitedActors(actors), (actor) => {
      const identity = identities.identityOf(actor);
      bits[identity >>> 5]! |= 1 << (identity & 31);
    });
    return bits;
  }

  *#holdsForCounts(parts: readonly ActorCounts[], atLeast: number, atMost: number): Steps<Bitmap> {
    const { identities, identityEnd } = this.context;
    const bits = emptyBitmap(identityEnd);
    // People who never did it are not among the counted.
    if (atLeast === 0) complement(bits, identityEnd);
    yield* eachAddedCount(parts, (actor) => identities.identityOf(actor), (identity, count) => {
      const holds = count >= atLeast && count <= atMost;
      if (holds !== (atLeast === 0)) bits[identity >>> 5]! ^= 1 << (identity & 31);
    });
    return bits;
  }

  *#holdsWhere(test: (identity: number) => boolean): Steps<Bitmap> {
    const { identityEnd } = this.context;
    const bits = emptyBitmap(identityEnd);
    yield* piecesOf(identityEnd, IDENTITIES_PER_STEP, (from, to) => {
      for (let identity = from; identity < to; identity += 1) if (test(identity)) bits[identity >>> 5]! |= 1 << (identity & 31);
    });
    return bits;
  }
}
