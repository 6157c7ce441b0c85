import { assert } from "../../core/base/errors.js";
import { inTurns } from "../../core/base/yield.js";
import type { PendingLoads } from "../../storage/derived/pending-loads.js";
import { SelectorCompiler, type FilterContext } from "../../query/filter/compile.js";
import type { Selector } from "../../query/filter/select.js";
import { identityTest, type KnownFields } from "../../query/filter/predicate.js";
import { compileRegexes } from "../../query/filter/regex.js";
import { IdentityIds } from "../../identity/identity-ids.js";
import type { CompanyView } from "../../identity/identity-view.js";
import type { AnyPlan, ReportRules, PlannedFilter, Operand, QueryScope } from "../../query/plan/plan.js";
import type { Rates } from "../../query/plan/input.js";
import { operandsOf } from "../../query/plan/scopes-of.js";
import type { AnyPass, Report, RowContext } from "../../query/reports/form/report.js";
import type { PeopleSegments } from "../../query/reports/people-segments.js";
import { Tables, type TableSnapshot } from "../../query/tables/tables.js";
import type { Snapshot } from "../../store/live/catalog.js";
import type { VisibleStore } from "../../store/live/store.js";
import { scanAll, type CompiledPass, type QueryStats, type ScanContext, type Slices } from "./scan.js";

/** Reads what a plan names of one kind, each once; the result asserts that it was read. */
function readEach<N extends string, T>(names: readonly N[], read: (name: N) => T | null): (name: N) => T {
  const values = new Map<N, T | null>();
  for (const name of names) if (!values.has(name)) values.set(name, read(name));
  return (name) => {
    const value = values.get(name) ?? null;
    assert(value !== null, "the value is named in the plan");
    return value;
  };
}

/**
 * The values of people, companies and touches that a plan names, in a snapshot; null if something is missing.
 * @param rules what counts as money and as touches
 */
function knownFieldsOf(plan: AnyPlan, rules: Pick<ReportRules, "revenue" | "touch">, moment: TableSnapshot, pending: PendingLoads): KnownFields | null {
  const { tables } = moment;
  const operands = operandsOf(plan).map(({ operand }) => operand);
  const ofKind = <K extends Operand["kind"]>(kind: K) => operands.filter((operand): operand is Extract<Operand, { kind: K }> => operand.kind === kind);
  const known: KnownFields = {
    person: readEach(ofKind("person").map(({ path }) => path), (path) => tables.person(path, moment, pending)),
    company: readEach(ofKind("company").map(({ path }) => path), (path) => tables.company(path, moment, pending)),
    paymentTouch: readEach(ofKind("paymentTouch").map(({ model }) => model), (model) => tables.eventLabels(rules, model, moment, pending)),
  };
  return pending.isEmpty ? known : null;
}

const nothing = readEach<string, never>([], () => null);
const NOTHING_KNOWN: KnownFields = { person: nothing, company: nothing, paymentTouch: nothing };

/** A query under way: its plan and report, what it reads, how it yields, and its work. */
export interface QueryExecution<P extends AnyPlan = AnyPlan, A = unknown> {
  readonly plan: P;
  readonly report: Report<P, A>;
  /** Null if the plan names no segment. */
  readonly PeopleSegments: typeof PeopleSegments | null;
  readonly store: VisibleStore;
  readonly contexts: ReportContexts;
  readonly slices: Slices;
  readonly stats: QueryStats;
}

/** How a query yields, and who counts its work. */
export type TableWork = Pick<TableSnapshot, "pause" | "looked">;

/** Creates what reports read besides rows, and holds the tables that queries share. */
export class ReportContexts {
  #tables: Tables;
  #identityIds: { readonly codeGeneration: number; readonly ids: IdentityIds } | null = null;

  constructor(
    readonly store: VisibleStore,
    readonly rates: Rates,
    readonly rules: ReportRules,
  ) {
    this.#tables = this.#newTables();
  }

  get tables(): Tables {
    return this.#tables;
  }

  /** The rows, links and tables at the call; null if something is missing. */
  of(execution: QueryExecution, snapshot: Snapshot, { pause, looked }: TableWork, pending: PendingLoads): RowContext | null {
    const { dictionaries, resolver } = this.store;
    const { rates, rules } = this;
    const tables = this.#tables;
    const identities = resolver.view();
    const contextWith = (companies: CompanyView | null, known: KnownFields): RowContext => ({
      // Lazy: most queries read spans of days instead, and need no sorted list of all segments.
      get rows() {
        return snapshot.rows;
      },
      get touches() {
        return tables.touchMaker(rules.touch);
      },
      sequence: snapshot.sequence,
      identities,
      companies,
      ids: tables.ids,
      dictionaries,
      ends: resolver.ends,
      rates,
      tables,
      known,
      pause,
      looked,
    });
    const context = contextWith(null, NOTHING_KNOWN);
    const companies = needsCompanies(execution) ? tables.memberships.of(context, pending) : null;
    const known = knownFieldsOf(execution.plan, rules, context, pending);
    return known === null || !pending.isEmpty ? null : contextWith(companies, known);
  }

  /**
   * Compiles filters against dictionaries and identities as they are at the call, which must be in the same turn as the snapshot. Filters of several
   * scopes that are the same object are compiled once. Finds the members of the segments they name first.
   * @param scanning null to read no rows: then every event may pass a filter by segment
   * @throws invalid_regex, corruption, and what the context's `pause` throws
   */
  async compile(
    passes: readonly AnyPass[],
    { dictionaries, identities, companies, touches, known, pause }: RowContext,
    scanning: (ScanContext & Pick<QueryExecution, "PeopleSegments">) | null,
  ): Promise<CompiledPass[]> {
    const segments = scanning === null || scanning.PeopleSegments === null ? null : new scanning.PeopleSegments(scopesOf(passes));
    const scopes = scopesOf([...passes, ...(segments?.passes ?? [])]);
    const userId = scopes.find((scope) => scope.userId !== null)?.userId ?? null;
    const person = userId === null ? 0 : identities.findId(userId);
    const where = [...scopes.flatMap((scope) => scope.where), segments?.comparisons ?? []];
    const has = (test: (comparison: PlannedFilter) => boolean) => where.some((group) => group.some(test));
    const hashing = has(({ operand, test }) => operand.kind === "identityId" && test.op === "equals") ? this.#hashedIds(pause) : null;
    const touchReader = has(({ operand }) => operand.kind === "touch") ? touches.reader() : null;
    const regexes = has(({ test }) => test.op === "regex") ? await compileRegexes(where) : new Map<string, never>();
    const identityIds = await hashing;
    const context: FilterContext = { dictionaries, identities, person, identityIds, companies, touches: touchReader, known, membersOf: null, regexes };
    const membersOf = scanning === null || segments === null ? null : await this.#membersOf(segments, context, scanning, pause);
    return await compileAll(passes, { ...context, membersOf }, pause);
  }

  /** Finds the members of segments. Cost: a pass over rows for each pass of theirs, where spans cache earlier answers; then the ids found. */
  async #membersOf(segments: PeopleSegments, context: FilterContext, scanning: ScanContext, pause: () => Promise<void>) {
    const { dictionaries, identities } = context;
    return await scanAll(await compileAll(segments.passes, context, pause), scanning, (stateOf) => {
      const identityEnd = Math.max(dictionaries.named("userId").size, dictionaries.named("anonymousId").size) * 2;
      return segments.membersOf(stateOf, { identities, identityEnd, testOf: (comparison) => identityTest(comparison, context), pause });
    });
  }

  /** Drops everything derived from rows; running queries keep what they started with. */
  clear(): void {
    this.#tables.release();
    this.#tables = this.#newTables();
    this.#identityIds = null;
  }

  #newTables(): Tables {
    const { budget, dictionaries, resolver } = this.store;
    return new Tables(budget, dictionaries, resolver);
  }

  /** Covers at least the ids of all rows in snapshots taken before the call. */
  async #hashedIds(pause: () => Promise<void>): Promise<IdentityIds> {
    const { store } = this;
    const { codeGeneration } = store;
    if (this.#identityIds?.codeGeneration !== codeGeneration) this.#identityIds = { codeGeneration, ids: new IdentityIds(store.dictionaries) };
    const { ids } = this.#identityIds;
    const sizes = store.journaledSizes;
    while (!ids.grow(sizes)) await pause();
    return ids;
  }
}

export function scopesOf(passes: readonly AnyPass[]): QueryScope[] {
  return passes.flatMap(({ scopes }) => scopes);
}

async function compileAll(passes: readonly AnyPass[], context: FilterContext, pause: () => Promise<void>): Promise<CompiledPass[]> {
  const compiler = new SelectorCompiler(context);
  const compiled: CompiledPass[] = [];
  for (const pass of passes) {
    const selectors: Selector[] = [];
    for (const scope of pass.scopes) selectors.push(await inTurns(compiler.compile(scope, pass.only !== undefined), pause));
    const [first, ...others] = selectors;
    assert(first !== undefined, "a pass has a scope");
    compiled.push({ pass, selectors: [first, ...others] });
  }
  return compiled;
}

export function readsTables({ plan, report }: QueryExecution): boolean {
  return "answer" in report || report.readsTables === true || needsCompanies({ plan, report }) || operandsOf(plan).some(({ operand }) => isKnown(operand));
}

/** Whether tables are looked up while rows are scanned. */
export function looksUpTables({ plan }: QueryExecution): boolean {
  return operandsOf(plan).some(({ operand }) => operand.kind === "paymentTouch");
}

function needsCompanies({ plan, report }: Pick<QueryExecution, "plan" | "report">): boolean {
  return operandsOf(plan).some(({ operand: { kind } }) => kind === "companyId" || kind === "company") || report.needsCompanies?.(plan) === true;
}

function isKnown({ kind }: Operand): boolean {
  return kind === "person" || kind === "company" || kind === "paymentTouch";
}
