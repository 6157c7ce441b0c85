import type { Missing } from "../derived/missing.js";
import { compileSelector } from "../filter/compile.js";
import { compileRegexes } from "../filter/regex.js";
import { IdentityIds } from "../identity/identity-ids.js";
import type { CompanyView } from "../identity/identity-view.js";
import type { Rates } from "../plan/input.js";
import type { Comparison, Plan, TouchRule } from "../plan/plan.js";
import type { FoldContext } from "../report/form/report.js";
import { Tables, type TableMoment } from "../table/tables.js";
import type { Snapshot } from "../store/live/catalog.js";
import type { Store } from "../store/live/store.js";
import { reportOf } from "./report-of.js";

/** How others have a turn, and who counts the work of a question. */
export type Look = Pick<TableMoment, "pause" | "looked">;

/** Makes what reports look at besides rows, and keeps the tables that several questions share. */
export class ReportContexts {
  #tables: Tables;
  #identityIds: { readonly truncationCount: number; readonly ids: IdentityIds } | null = null;

  constructor(
    readonly store: Store,
    readonly rates: Rates,
    readonly touchRule: TouchRule,
  ) {
    this.#tables = this.#newTables();
  }

  get tables(): Tables {
    return this.#tables;
  }

  /** Rows, links and tables of the turn in which it is called; null where something is missing. */
  momentOf(plan: Plan, snapshot: Snapshot, { pause, looked }: Look, missing: Missing): TableMoment | null {
    const { dictionaries, resolver } = this.store;
    const tables = this.#tables;
    const identities = resolver.view();
    const momentWith = (companies: CompanyView | null): TableMoment => ({
      // Most questions ask spans of days instead, and are done before a list of all segments is sorted.
      get rows() {
        return snapshot.rows;
      },
      sequence: snapshot.sequence,
      identities,
      companies,
      ids: tables.ids,
      dictionaries,
      ends: resolver.ends,
      rates: this.rates,
      tables,
      pause,
      looked,
    });
    const moment = momentWith(null);
    if (!asksCompanies(plan)) return moment;
    const companies = tables.memberships.of(moment, missing);
    return companies === null ? null : momentWith(companies);
  }

  /**
   * Compiles a plan's filters against dictionaries and identities as they are at the call: that is in the turn of the moment.
   * @throws invalid_regex, corruption, and what the moment's `pause` throws
   */
  async of(plan: Plan, moment: TableMoment): Promise<FoldContext> {
    const { dictionaries, identities, companies, sequence, tables, pause } = moment;
    const subject = plan.userId === null ? 0 : identities.findId(plan.userId);
    const needsRegex = some(plan, ({ test }) => test.op === "regex");
    const identityIds = some(plan, ({ operand, test }) => operand.kind === "identityId" && test.op === "equals") ? this.#hashedIds(pause) : null;
    const touches = tables.touchMaker(this.touchRule);
    const rowTouches = some(plan, ({ operand }) => operand.kind === "touch") ? touches.reader() : null;
    const regexes = needsRegex ? await compileRegexes(plan.where) : new Map<string, never>();
    const compiling = compileSelector(plan, { dictionaries, identities, subject, identityIds: await identityIds, companies, touches: rowTouches, regexes });
    let step = compiling.next();
    for (; step.done !== true; step = compiling.next()) await pause();
    return { dictionaries, identities, selector: step.value, sequence, companies, touches };
  }

  /** Forgets everything that was made from rows; questions under way keep what they began with. */
  clear(): void {
    this.#tables.release();
    this.#tables = this.#newTables();
    this.#identityIds = null;
  }

  #newTables(): Tables {
    const { budget, dictionaries, resolver } = this.store;
    return new Tables(budget, dictionaries, resolver);
  }

  /** Knows at least the ids of all rows that a snapshot taken before shows. */
  async #hashedIds(pause: () => Promise<void>): Promise<IdentityIds> {
    const { store } = this;
    const { truncationCount } = store;
    if (this.#identityIds?.truncationCount !== truncationCount) this.#identityIds = { truncationCount, ids: new IdentityIds(store.dictionaries) };
    const { ids } = this.#identityIds;
    const sizes = store.journaledSizes;
    while (!ids.grow(sizes)) await pause();
    return ids;
  }
}

/** Whether a plan is answered from tables of all time, or with their help. */
export function readsTables(plan: Plan): boolean {
  const report = reportOf(plan);
  return report.kind === "study" || report.read !== undefined || asksCompanies(plan);
}

function asksCompanies(plan: Plan): boolean {
  return some(plan, ({ operand }) => operand.kind === "companyId") || reportOf(plan).needsCompanies?.(plan) === true;
}

function some({ where }: Plan, test: (comparison: Comparison) => boolean): boolean {
  return where.some((group) => group.some(test));
}
