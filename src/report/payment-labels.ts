/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the payments; level account has companies, labels with a base have newer touches */
import type { Plan } from "../plan/plan.js";
import { paymentCompanies } from "./payment-companies.js";
import type { ReportContext } from "./report.js";
import type { Payments } from "./revenue-payments.js";
import type { CompareRows } from "./row-order.js";
import { makeInOrder } from "./row-order.js";
import type { Moment, TouchIndex } from "./touch-index.js";
import type { OwnedTouches } from "./owned-touches.js";

const UNKNOWN = -1;

/**
 * Numbers of the labels that payments go to by their own touches, by one model and level, each found when it is asked for:
 * 4 bytes a payment. What segments alone tell holds for everybody without a touch in a head.
 */
export class PaymentLabels {
  readonly #labels: Int32Array;
  readonly #isFirst: boolean;
  readonly #lookbackMs: number;
  /** Touches that the base does not know; identities that have some. */
  readonly #newer: OwnedTouches | null;
  readonly #newerIdentities: ReadonlySet<number>;
  #companies: Uint32Array | null = null;

  /**
   * @param touches those that are looked at: beside the base's, the last ones are newer
   * @param base labels of the payments that these follow
   */
  constructor(
    readonly payments: Payments,
    readonly touches: readonly OwnedTouches[],
    readonly base: PaymentLabels | null,
    { model, touch }: Plan<"revenueByAttribution">,
    readonly context: ReportContext,
  ) {
    this.#labels = new Int32Array(payments.count).fill(UNKNOWN);
    this.#isFirst = model === "first_touch";
    this.#lookbackMs = touch.lookbackMs ?? Infinity;
    this.#newer = base === null ? null : touches.at(-1)!;
    const actors = this.#newer === null ? [] : this.#newer.byActor.owners();
    this.#newerIdentities = new Set(actors.map((actor) => context.identities.identityOf(actor)));
  }

  /** Finds the labels of some payments. Cost: some 0.3 µs for each that was not asked for before. */
  async settle(places: readonly number[]): Promise<void> {
    const unknown = places.filter((place) => this.#labels[place] === UNKNOWN);
    if (unknown.length === 0) return;
    const { base, payments, context } = this;
    this.#companies ??= context.companies === null ? null : await paymentCompanies(payments, context);
    const old = base === null ? [] : unknown.filter((place) => place < base.payments.count && !this.#hasNewer(place));
    await base?.settle(old);
    for (const place of old) this.#labels[place] = base!.labelOf(place);
    const rest = old.length === 0 ? unknown : unknown.filter((place) => this.#labels[place] === UNKNOWN);
    const found = await makeInOrder((compare) => rest.map((place) => this.#find(place, compare)));
    rest.forEach((place, at) => (this.#labels[place] = found[at]!));
  }

  /** Of a settled payment; 0 for none. */
  labelOf(place: number): number {
    return this.#labels[place]!;
  }

  #companyOf(place: number): number {
    return this.#companies === null || this.payments.actors[place] === 0 ? 0 : this.#companies[place]!;
  }

  #hasNewer(place: number): boolean {
    const company = this.#companyOf(place);
    if (company !== 0) return this.#newer!.byCompany!.has(company);
    return this.#newerIdentities.size > 0 && this.#newerIdentities.has(this.context.identities.identityOf(this.payments.actors[place]!));
  }

  #find(place: number, compare: CompareRows): number {
    const { payments, touches } = this;
    const { identities } = this.context;
    const actor = payments.actors[place]!;
    if (actor === 0) return 0;
    const moment = { ms: payments.timeAt(place), rows: payments.partAt(place), row: payments.rowAt(place) };
    const company = this.#companyOf(place);
    if (company !== 0) return this.#nearest(touches.map(({ byCompany }) => byCompany!), [company], moment, compare);
    return this.#nearest(touches.map(({ byActor }) => byActor), identities.actorsOf(identities.identityOf(actor)), moment, compare);
  }

  #nearest(indexes: readonly TouchIndex[], owners: readonly number[], moment: Moment, compare: CompareRows): number {
    const sinceMs = moment.ms - this.#lookbackMs;
    let best: Moment | null = null;
    let label = 0;
    for (const index of indexes)
      for (const owner of owners) {
        const place = this.#isFirst ? index.firstSince(owner, sinceMs) : index.last(owner, moment, compare);
        if (place === -1 || (this.#isFirst && index.compare(place, moment, compare) > 0)) continue;
        const found = index.momentOf(place);
        if (found.ms < sinceMs) continue;
        const order = best === null ? 0 : index.compare(place, best, compare);
        if (best !== null && (this.#isFirst ? order >= 0 : order <= 0)) continue;
        best = found;
        label = index.labelOf(place);
      }
    return label;
  }
}
