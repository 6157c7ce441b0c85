import { compileSelector } from "../filter/compile.js";
import { compileRegexes } from "../filter/regex.js";
import { CompanyViews } from "../identity/company-view.js";
import { IdentityIds } from "../identity/identity-ids.js";
import type { IdentityView } from "../identity/identity-view.js";
import type { Comparison, Plan, TouchRule } from "../plan/plan.js";
import type { Rates } from "../plan/input.js";
import type { ReportContext } from "../report/report.js";
import { touchReader } from "../report/touch.js";
import type { Snapshot } from "../store/catalog.js";
import type { Store } from "../store/store.js";
import { LastValues } from "./memo.js";
import { reportOf } from "./report-of.js";

/** Makes what reports look at besides rows, and keeps what several questions share. */
export class ReportContexts {
  #memo = new LastValues();
  #identities: { resolver: object; version: string; view: IdentityView } | null = null;
  #companies = new CompanyViews();
  #identityIds: { readonly truncationCount: number; readonly ids: IdentityIds } | null = null;

  constructor(
    readonly store: Store,
    readonly rates: Rates,
    readonly touchRule: TouchRule,
  ) {}

  /**
   * Compiles a plan's filters against dictionaries and identities as they are at the call: that is in the turn of the snapshot.
   * @param pause called between filters @throws invalid_regex, corruption, and what `pause` throws
   */
  async of(plan: Plan, snapshot: Snapshot, pause: () => Promise<void> = () => Promise.resolve()): Promise<ReportContext> {
    const { dictionaries } = this.store;
    const identities = this.#identityView();
    const { ends } = this.store.resolver;
    // Those of this moment: an erasure puts others in their place.
    const [memo, companyViews] = [this.#memo, this.#companies];
    const needsCompanies = some(plan, ({ operand }) => operand.kind === "companyId") || reportOf(plan).needsCompanies?.(plan) === true;
    const companies = needsCompanies ? await companyViews.of(snapshot.rows, this.store.resolver, identities) : null;
    const needsRegex = some(plan, ({ test }) => test.op === "regex");
    const regexes = needsRegex ? await compileRegexes(plan.where) : new Map<string, never>();
    const identityIds = some(plan, ({ operand, test }) => operand.kind === "identityId" && test.op === "equals") ? await this.#hashedIds(pause) : null;
    const touches = some(plan, ({ operand }) => operand.kind === "touch") ? touchReader(this.touchRule, { dictionaries, memo }) : null;
    const compiling = compileSelector(plan, { dictionaries, identities, identityIds, companies, touches, regexes });
    let step = compiling.next();
    for (; step.done !== true; step = compiling.next()) await pause();
    const selector = step.value;
    return { dictionaries, identities, ends, selector, sequence: snapshot.sequence, companies, rates: this.rates, touchRule: this.touchRule, memo };
  }

  /** Forgets everything that was made from rows; questions under way keep what they began with. */
  clear(): void {
    this.#memo = new LastValues();
    this.#identities = null;
    this.#identityIds = null;
    this.#companies = new CompanyViews();
  }

  /** Knows at least the ids of all rows that a snapshot taken before shows. */
  async #hashedIds(pause: () => Promise<void>): Promise<IdentityIds> {
    const { store } = this;
    const { truncationCount } = store;
    if (this.#identityIds?.truncationCount !== truncationCount) this.#identityIds = { truncationCount, ids: new IdentityIds(store.dictionaries) };
    const { ids } = this.#identityIds;
    const sizes = store.journaledSizes();
    while (!ids.grow(sizes)) await pause();
    return ids;
  }

  /** The same object as long as nobody's identity changes: what was made with it stays good. */
  #identityView(): IdentityView {
    const { resolver } = this.store;
    const { version } = resolver;
    // An erasure brings another resolver, whose versions begin anew.
    if (this.#identities?.resolver !== resolver || this.#identities.version !== version) this.#identities = { resolver, version, view: resolver.view() };
    return this.#identities.view;
  }
}

function some({ where }: Plan, test: (comparison: Comparison) => boolean): boolean {
  return where.some((group) => group.some(test));
}
