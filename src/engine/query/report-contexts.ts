import { assert } from "../../core/base/errors.js";
import { runYielding } from "../../core/base/yield.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import type { EventIds } from "../../storage/derived/event-ids.js";
import type { PendingLoads } from "../../storage/derived/pending-loads.js";
import type { Rows } from "../../storage/segment/rows.js";
import { SelectorCompiler, type FilterContext } from "../../query/filter/compile.js";
import type { Selector } from "../../query/filter/select.js";
import { identityTest, type KnownFields } from "../../query/filter/predicate.js";
import { compileRegexes } from "../../query/filter/regex.js";
import { IdentityIds } from "../../identity/identity-ids.js";
import type { CompanyView, IdentityView, KnownEnds } from "../../identity/identity-view.js";
import type { AnyPlan, ReportRules, Operand, QueryScope } from "../../query/plan/plan.js";
import type { Rates } from "../../query/plan/input.js";
import type { AnyPass, Report, RowContext } from "../../query/reports/form/report.js";
import type { PeopleSegments } from "../../query/reports/people-segments.js";
import { Tables, type TableSnapshot } from "../../query/tables/tables.js";
import type { TouchMaker } from "../../query/tables/touches/touch-facts.js";
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
 * The values of people, companies and touches among operands, in a snapshot.
 * @param rules what counts as money and as touches
 * @param missing gets what must be loaded first
 */
function knownFieldsOf(operands: readonly Operand[], rules: Pick<ReportRules, "revenue" | "touch">, moment: TableSnapshot, pending: PendingLoads): KnownFields {
  if (!operands.some(isKnown)) return NOTHING_KNOWN;
  const { tables } = moment;
  const ofKind = <K extends Operand["kind"]>(kind: K) => operands.filter((operand): operand is Extract<Operand, { kind: K }> => operand.kind === kind);
  return {
    person: readEach(ofKind("person").map(({ path }) => path), (path) => tables.person(path, moment, pending)),
    company: readEach(ofKind("company").map(({ path }) => path), (path) => tables.company(path, moment, pending)),
    paymentTouch: readEach(ofKind("paymentTouch").map(({ model }) => model), (model) => tables.eventLabels(rules, model, moment, pending)),
  };
}

const nothing = readEach<string, never>([], () => null);
const NOTHING_KNOWN: KnownFields = { person: nothing, company: nothing, paymentTouch: nothing };

/** A query under way: its plan and report, what it reads, how it yields, and its work. */
export interface QueryExecution<P extends AnyPlan = AnyPlan, A = unknown> {
  readonly plan: P;
  /** All that the plan reads. */
  readonly operands: readonly Operand[];
  readonly report: Report<P, A>;
  /** Null if the plan names no segment. */
  readonly PeopleSegments: typeof PeopleSegments | null;
  readonly store: VisibleStore;
  readonly contexts: ReportContexts;
  readonly slices: Slices;
  readonly stats: QueryStats;
}

/** How a query yields, and who counts its work. */
export type TableWork = Pick<TableSnapshot, "pause" | "onRowsRead">;

/** A class: getters of an object literal cost a microsecond each. */
class SnapshotContext implements RowContext {
  readonly sequence: number;
  readonly tables: Tables;
  readonly ids: EventIds;
  readonly dictionaries: Dictionaries;
  readonly ends: KnownEnds;
  readonly rates: Rates;
  readonly pause: () => Promise<void>;
  readonly onRowsRead: (rowCount: number) => void;

  constructor(
    readonly contexts: ReportContexts,
    readonly snapshot: Snapshot,
    { pause, onRowsRead }: TableWork,
    readonly identities: IdentityView,
    readonly companies: CompanyView | null,
    readonly known: KnownFields,
  ) {
    const { dictionaries, resolver } = contexts.store;
    this.sequence = snapshot.sequence;
    this.tables = contexts.tables;
    this.ids = this.tables.ids;
    this.dictionaries = dictionaries;
    this.ends = resolver.ends;
    this.rates = contexts.rates;
    this.pause = pause;
    this.onRowsRead = onRowsRead;
  }

  /** Lazy: most queries read spans of days instead, and need no sorted list of all segments. */
  get rows(): readonly Rows[] {
    return this.snapshot.rows;
  }

  get touches(): TouchMaker {
    return this.tables.touchMaker(this.contexts.rules.touch);
  }
}

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
  of(execution: QueryExecution, snapshot: Snapshot, work: TableWork, pending: PendingLoads): RowContext | null {
    const identities = this.store.resolver.view();
    const contextWith = (companies: CompanyView | null, known: KnownFields) => new SnapshotContext(this, snapshot, work, identities, companies, known);
    const context = contextWith(null, NOTHING_KNOWN);
    const companies = needsCompanies(execution) ? this.#tables.memberships.of(context, pending) : null;
    const known = knownFieldsOf(execution.operands, this.rules, context, pending);
    return pending.isEmpty ? contextWith(companies, known) : null;
  }

  /**
   * Compiles filters against dictionaries and identities as they are at the call, which must be in the same turn as the snapshot. Filters of several
   * scopes that are the same object are compiled once. Finds the members of the segments they name first.
   * @param scanning null to read no rows: then every event may pass a filter by segment
   * @throws invalid_regex, corruption, and what the context's `pause` throws
   */
  async compile(
    passes: readonly AnyPass[],
    context: RowContext,
    scanning: (ScanContext & Pick<QueryExecution, "PeopleSegments">) | null,
  ): Promise<CompiledPass[]> {
    const { dictionaries, identities, companies, known, pause } = context;
    const segments = scanning === null || scanning.PeopleSegments === null ? null : new scanning.PeopleSegments(scopesOf(passes));
    const scopes = scopesOf([...passes, ...(segments?.passes ?? [])]);
    const userId = scopes.find((scope) => scope.userId !== null)?.userId ?? null;
    const person = userId === null ? 0 : identities.findId(userId);
    const filters = [...scopes.flatMap(({ where }) => where.flat()), ...(segments?.comparisons ?? [])];
    const hashing = filters.some(({ operand, test }) => operand.kind === "identityId" && test.op === "equals") ? this.#hashedIds(pause) : null;
    const touches = filters.some(({ operand }) => operand.kind === "touch") ? context.touches.reader() : null;
    const regexes = await compileRegexes(filters);
    const identityIds = await hashing;
    const own: FilterContext = { dictionaries, identities, person, identityIds, companies, touches, known, membersOf: null, regexes };
    if (scanning === null || segments === null) return await compileAll(passes, own, pause);
    return await compileAll(passes, { ...own, membersOf: await this.#membersOf(segments, own, scanning, pause) }, pause);
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
    for (const scope of pass.scopes) selectors.push(await runYielding(compiler.compile(scope, pass.only !== undefined), pause));
    const [first, ...others] = selectors;
    assert(first !== undefined, "a pass has a scope");
    compiled.push({ pass, selectors: [first, ...others] });
  }
  return compiled;
}

export function readsTables(execution: QueryExecution): boolean {
  const { operands, report } = execution;
  return "answer" in report || report.readsTables === true || needsCompanies(execution) || operands.some(isKnown);
}

/** Whether tables are looked up while rows are scanned. */
export function looksUpTables({ operands }: QueryExecution): boolean {
  return operands.some(({ kind }) => kind === "paymentTouch");
}

function needsCompanies({ plan, operands, report }: QueryExecution): boolean {
  return operands.some(({ kind }) => kind === "companyId" || kind === "company") || report.needsCompanies?.(plan) === true;
}

function isKnown({ kind }: Operand): boolean {
  return kind === "person" || kind === "company" || kind === "paymentTouch";
}
