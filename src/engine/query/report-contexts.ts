import { assert } from "../../core/base/errors.js";
import { inTurns } from "../../core/base/yield.js";
import type { PendingLoads } from "../../storage/derived/pending-loads.js";
import { SelectorCompiler, type FilterContext } from "../../query/filter/compile.js";
import type { Selector } from "../../query/filter/select.js";
import { identityTest, type KnownFields, type KnownValues, type RowLabels } from "../../query/filter/predicate.js";
import { compileRegexes } from "../../query/filter/regex.js";
import { IdentityIds } from "../../identity/identity-ids.js";
import type { CompanyView } from "../../identity/identity-view.js";
import type { ReportRules, PlannedFilter, Operand, QueryScope } from "../../query/plan/plan.js";
import type { Plan } from "../../query/queries.js";
import type { Rates } from "../../query/plan/input.js";
import { operandsOf } from "../../query/plan/scopes-of.js";
import type { AnyPass, PassContext, RowContext } from "../../query/reports/form/report.js";
import { Tables, type TableSnapshot } from "../../query/tables/tables.js";
import type { Snapshot } from "../../store/live/catalog.js";
import type { VisibleStore } from "../../store/live/store.js";
import type { QueryStats, Slices } from "./execution.js";
import { scanAll, type ScanContext } from "./scan.js";
import { namedSegments, reportOf } from "./report-of.js";
import type { NamedSegments } from "./segment-members.js";

/**
 * The values of people, companies and touches that a plan names, in a snapshot; null if something is missing.
 * @param rules what counts as money and as touches
 */
function knownOfPlan(plan: Plan, rules: Pick<ReportRules, "revenue" | "touch">, moment: TableSnapshot, missing: PendingLoads): KnownFields | null {
  const people = new Map<string, KnownValues | null>();
  const companies = new Map<string, KnownValues | null>();
  const touches = new Map<string, RowLabels | null>();
  const { tables } = moment;
  for (const { operand } of operandsOf(plan)) {
    if (operand.kind === "person") find(people, operand.path, (path) => tables.person(path, moment, missing));
    if (operand.kind === "company") find(companies, operand.path, (path) => tables.company(path, moment, missing));
    if (operand.kind === "paymentTouch") find(touches, operand.model, () => tables.eventLabels(rules, operand.model, moment, missing));
  }
  return missing.isEmpty ? knownFields(people, companies, touches) : null;
}

function knownFields(people: TablesByName<KnownValues>, companies: TablesByName<KnownValues>, touches: TablesByName<RowLabels>): KnownFields {
  return { person: (path) => found(people, path), company: (path) => found(companies, path), paymentTouch: (model) => found(touches, model) };
}

type TablesByName<T> = ReadonlyMap<string, T | null>;

/** For plans that name none of these. */
const NOTHING_KNOWN: KnownFields = knownFields(new Map(), new Map(), new Map());

function find<T>(known: Map<string, T | null>, name: string, read: (name: string) => T | null): void {
  if (!known.has(name)) known.set(name, read(name));
}

function found<T>(asked: TablesByName<T>, name: string): T {
  const value = asked.get(name) ?? null;
  assert(value !== null, "a query reads only what its plan names");
  return value;
}

/** A query under way: what it reads, how it yields, and its work. */
export interface QueryExecution {
  readonly store: VisibleStore;
  readonly contexts: ReportContexts;
  readonly slices: Slices;
  readonly stats: QueryStats;
}

/** How a query yields, and who counts its work. */
export type TableWork = Pick<TableSnapshot, "pause" | "looked">;

/** The scopes of one pass over rows; `only` is set if filters by actor may be left to its end. */
interface PassScopes {
  readonly scopes: readonly QueryScope[];
  readonly only?: unknown;
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
  momentOf(plan: Plan, snapshot: Snapshot, { pause, looked }: TableWork, missing: PendingLoads): TableSnapshot | null {
    const { dictionaries, resolver } = this.store;
    const tables = this.#tables;
    const identities = resolver.view();
    const momentWith = (companies: CompanyView | null, known: KnownFields): TableSnapshot => ({
      // Lazy: most queries read spans of days instead, and need no sorted list of all segments.
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
      known,
      pause,
      looked,
    });
    const moment = momentWith(null, NOTHING_KNOWN);
    const companies = asksCompanies(plan) ? tables.memberships.of(moment, missing) : null;
    const known = knownOfPlan(plan, this.rules, moment, missing);
    return known === null || !missing.isEmpty ? null : momentWith(companies, known);
  }

  /** What a report may read besides rows, in a snapshot. */
  rowContextOf({ dictionaries, identities, companies, sequence, tables, known }: TableSnapshot): RowContext {
    return { dictionaries, identities, companies, sequence, touches: tables.touchMaker(this.rules.touch), known };
  }

  /** The context of a single pass. @param scanning as of `selectorsOf` @throws as `selectorsOf` */
  async of(plan: Plan, moment: TableSnapshot, scanning: ScanContext | null): Promise<PassContext> {
    const context = this.rowContextOf(moment);
    const report = reportOf(plan);
    const [[selector] = []] = await this.selectorsOf([{ scopes: [plan], only: report.kind === "single_pass" ? report.only : undefined }], moment, scanning);
    assert(selector !== undefined, "a scope has a selector");
    return { ...context, selector };
  }

  /**
   * Compiles filters against dictionaries and identities as they are at the call, which must be in the same turn as the snapshot. Filters of several
   * scopes that are the same object are compiled once. Finds the members of the segments they name first.
   * @param scanning null to read no rows: then every event may pass a filter by segment
   * @throws invalid_regex, corruption, and what the moment's `pause` throws
   */
  async selectorsOf(parts: readonly PassScopes[], moment: TableSnapshot, scanning: ScanContext | null): Promise<Selector[][]> {
    const { dictionaries, identities, companies, tables, known, pause } = moment;
    const segments = scanning === null ? null : namedSegments(parts.flatMap(({ scopes }) => scopes));
    const scopes = [...parts, ...(segments?.parts ?? [])].flatMap((part) => part.scopes);
    const userId = scopes.find((scope) => scope.userId !== null)?.userId ?? null;
    const subject = userId === null ? 0 : identities.findId(userId);
    const where = [...scopes.flatMap((scope) => scope.where), segments?.comparisons ?? []];
    const has = (test: (comparison: PlannedFilter) => boolean) => where.some((group) => group.some(test));
    const hashing = has(({ operand, test }) => operand.kind === "identityId" && test.op === "equals") ? this.#hashedIds(pause) : null;
    const touches = has(({ operand }) => operand.kind === "touch") ? tables.touchMaker(this.rules.touch).reader() : null;
    const regexes = has(({ test }) => test.op === "regex") ? await compileRegexes(where) : new Map<string, never>();
    const identityIds = await hashing;
    const context: FilterContext = { dictionaries, identities, subject, identityIds, companies, touches, known, membersOf: null, regexes };
    const membersOf = scanning === null || segments === null ? null : await this.#membersOf(segments, context, scanning, pause);
    return await compileAll(parts, { ...context, membersOf }, pause);
  }

  /** The passes over rows that the segments of some scopes need. */
  segmentPartsOf(scopes: readonly QueryScope[]): readonly AnyPass[] {
    return namedSegments(scopes)?.parts ?? [];
  }

  /** Finds the members of segments. Cost: a pass over rows for each part, where spans cache earlier answers; then the ids found. */
  async #membersOf(segments: NamedSegments, context: FilterContext, scanning: ScanContext, pause: () => Promise<void>) {
    const { dictionaries, identities } = context;
    const selectors = await compileAll(segments.parts, context, pause);
    return await scanAll(segments.parts, selectors, scanning, (states) => {
      const identityEnd = Math.max(dictionaries.named("userId").size, dictionaries.named("anonymousId").size) * 2;
      return segments.membersOf(states, { identities, identityEnd, testOf: (comparison) => identityTest(comparison, context), pause });
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

async function compileAll(parts: readonly PassScopes[], context: FilterContext, pause: () => Promise<void>): Promise<Selector[][]> {
  const compiler = new SelectorCompiler(context);
  const selectors: Selector[][] = [];
  for (const { scopes, only } of parts) {
    const own: Selector[] = [];
    for (const scope of scopes) {
      own.push(await inTurns(compiler.compile(scope, only !== undefined), pause));
    }
    selectors.push(own);
  }
  return selectors;
}

/** Whether a plan reads all-time tables. */
export function readsTables(plan: Plan): boolean {
  const report = reportOf(plan);
  return report.kind === "table_query" || report.read !== undefined || asksCompanies(plan) || operandsOf(plan).some(({ operand }) => isKnown(operand));
}

/** Whether tables are looked up while rows are scanned. */
export function looksUpTables(plan: Plan): boolean {
  return operandsOf(plan).some(({ operand }) => operand.kind === "paymentTouch");
}

function asksCompanies(plan: Plan): boolean {
  return operandsOf(plan).some(({ operand: { kind } }) => kind === "companyId" || kind === "company") || reportOf(plan).needsCompanies?.(plan) === true;
}

function isKnown({ kind }: Operand): boolean {
  return kind === "person" || kind === "company" || kind === "paymentTouch";
}
