import type { IdentityView } from "../../../identity/identity-view.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { RevenueByAttributionPlan } from "../../plan/plan.js";
import type { LabelRequest, LabelSnapshot } from "./label-pass.js";
import type { TouchMaker } from "./touch-facts.js";

/** The label of each payment by its position; 0 for none. */
export interface KnownLabels {
  labelOf(place: number): number;
}

/** The labels of the payments of one query, and the snapshot from which they come. */
interface FoundLabels {
  readonly rows: readonly Rows[];
  readonly identities: IdentityView;
  /** By position. */
  readonly labels: ReadonlyMap<number, number>;
}

/** Answers the first query about touches without the table of all touches, and every query if that table is too large for the memory budget. */
export class FirstLabels {
  #isRequested = false;
  /** By plan of a running query; null if it needs the table. */
  readonly #found = new WeakMap<RevenueByAttributionPlan, FoundLabels | null>();

  /** Null when something is missing, or with nothing added to `pending` when the table must answer. */
  of(plan: RevenueByAttributionPlan, request: LabelRequest, isTableTooLarge: boolean, moment: LabelSnapshot, maker: TouchMaker, pending: PendingLoads): KnownLabels | null {
    const found = this.#found.get(plan);
    // One try per query: during constant ingest, each try would come from an earlier snapshot.
    if (found !== undefined) return found === null ? null : labelsAt(moment, found, request);
    if (this.#isRequested && !isTableTooLarge) return null;
    this.#isRequested = true;
    const { rows, identities } = moment;
    pending.add(async () => {
      this.#found.set(plan, null);
      // Loaded when it is first used: most programs in browsers do not need it.
      const { labelsInOnePass } = await import("./label-pass.js");
      const labels = await labelsInOnePass(plan, request, moment, maker);
      if (labels !== null) this.#found.set(plan, { rows, identities, labels });
    });
    return null;
  }
}

/** Null if the labels come from another snapshot, or if a payment is missing. */
function labelsAt(moment: LabelSnapshot, { rows, identities, labels }: FoundLabels, { payments }: LabelRequest): KnownLabels | null {
  if (rows !== moment.rows || identities !== moment.identities || !payments.every(({ place }) => labels.has(place))) return null;
  return { labelOf: (place) => labels.get(place) ?? 0 };
}
