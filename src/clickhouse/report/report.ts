import { numberIn } from "../../core/base/arrays.js";
import { DaybookError } from "../../core/base/errors.js";
import { yieldToEventLoop } from "../../core/base/yield.js";
import type { AxisScope, Extent } from "../../query/answer/insights/buckets.js";
import type { ChainKeys } from "../../query/answer/insights/funnel-answer.js";
import type { EntityLevel, Rates } from "../../query/plan/input.js";
import type { BreakdownPlan } from "../../query/plan/insights/plan.js";
import type { QueryScope } from "../../query/plan/plan.js";
import type { RuleOptions } from "../../query/plan/report-rules.js";
import type { Answer, Plan, ReportName } from "../../query/queries.js";
import { companyOf } from "../query/companies.js";
import { RequiredJoins, type QueryContext } from "../query/required-joins.js";
import { foundOf, propertiesOf } from "../query/operand.js";
import { whereOf } from "../query/where.js";
import type { ActorIds } from "../query/identity-context.js";
import { anyOf, EMPTY, joined, name, sql, wholes, type Sql } from "../sql/sql.js";

export interface ReportContext extends QueryContext {
  readonly rules: RuleOptions & { readonly rates?: Rates };
  /** The person of the scope's user id; null: the scope has none. */
  readonly person: ActorIds | null;
}

export type StatementReport<K extends ReportName> = (plan: Plan<K>, context: ReportContext) => Promise<Answer<K>>;

/** The reports whose plans have a definition and may be of an earlier state. */
type InsightName = { [K in ReportName]: Answer<K> extends { readonly asOf: number | null } ? K : never }[ReportName];

/** A report that answers for the present only. @param figuresOf the rest of the answer @throws not_supported (another state was requested) */
export function insight<K extends InsightName>(
  figuresOf: (plan: Plan<K>, context: ReportContext) => Promise<Omit<Answer<K>, "definition" | "asOf">>,
): StatementReport<K> {
  return async (plan, context) => {
    if (plan.asOf !== null) throw new DaybookError("not_supported", "asOf: ClickHouse supports only queries of the current state");
    return { definition: plan.definition, asOf: null, ...(await figuresOf(plan, context)) } as Answer<K>;
  };
}

export function selectRows(scope: QueryScope, context: ReportContext, columns: (needs: RequiredJoins) => Sql, rest = EMPTY): Sql {
  const needs = new RequiredJoins(context);
  const selected = columns(needs);
  const where = whereOf(scope, context.person, needs);
  return sql`SELECT ${selected} FROM ${needs.rows()} WHERE ${where} ${rest}`;
}

export function identityCount(needs: RequiredJoins): Sql {
  return sql`uniqExactIf(${needs.identityKey()} AS identityKey, identityKey != '')`;
}

/** A pause that yields during long computations. @throws aborted */
export function pauseOf({ connection }: ReportContext): () => Promise<void> {
  return async () => {
    await yieldToEventLoop();
    connection.refuseStopped();
  };
}

/** Rows with the `entity` they count for; rows without one are left out. */
export function entityRows(scopes: readonly QueryScope[], level: EntityLevel, columns: (are: readonly Sql[], needs: RequiredJoins) => Sql, context: ReportContext): Sql {
  const needs = new RequiredJoins(context);
  const identityKey = needs.identityKey();
  const company = level === "account" ? companyOf(needs) : sql`''`;
  const ofAccount = sql`multiIf(${company} != '', concat('c', ${company}), ${identityKey} = '', '', concat('w', ${identityKey}))`;
  const entity = level === "account" ? ofAccount : identityKey;
  // Conditions may be long: each is written once.
  const are = scopes.map((_, at) => sql`${name(`is${at}`)}`);
  const tests = scopes.map((scope, at) => sql`(${whereOf(scope, null, needs)}) AS ${name(`is${at}`)}`);
  const selected = columns(are, needs);
  return sql`SELECT ${entity} AS entity, ms, ${joined(tests, ", ")}, ${selected} FROM ${needs.rows()} WHERE ${anyOf(are)} AND entity != ''`;
}

/** The first and last time of some rows; null without rows. @param rows with `ms` */
export async function extentOf(rows: Sql, { connection }: ReportContext): Promise<Extent | null> {
  const [[firstMs, lastMs, count] = [0, 0, 0]] = await connection.rows<[number, number, number]>(sql`SELECT min(ms), max(ms), count() FROM (${rows})`);
  return count === 0 ? null : { firstMs, lastMs };
}

/** The same where a side of the range is open; otherwise the range determines the units. */
export async function openExtentOf(isOpen: AxisScope["isOpen"], rows: () => Sql, context: ReportContext): Promise<Extent | null> {
  return isOpen.start || isOpen.end ? await extentOf(rows(), context) : null;
}

/** The start of a row's unit. @param bounds starts of units, ascending; the first is no later than any row */
export function unitOf(bounds: readonly number[]): Sql {
  return sql`roundDown(toInt64(ms), ${wholes(bounds)})`;
}

/** For each field the values of a row. */
export type Properties = readonly (readonly string[])[];

export const NO_PROPERTIES = sql`CAST([], 'Array(Array(String))')`;

/** SQL for the `Properties` of a breakdown. */
export function propertiesColumn({ breakdown }: { readonly breakdown: BreakdownPlan | null }, needs: RequiredJoins): Sql {
  if (breakdown === null) return NO_PROPERTIES;
  return sql`[${joined(breakdown.fields.map((field) => propertiesOf(foundOf(field, needs))), ", ")}]`;
}

/** SQL for the combinations of the values of up to two fields. @param fields lists of values */
export function combinationsOf([first, second]: readonly Sql[]): Sql {
  if (first === undefined) return sql`CAST([], 'Array(Array(String))')`;
  if (second === undefined) return sql`arrayMap(one -> [one], ${first})`;
  return sql`arrayMap(pair -> [pair.1, pair.2], arrayFlatten(arrayMap(one -> arrayMap(other -> (one, other), ${second}), ${first})))`;
}

/** Numbers things in order of arrival, from 0. Memory: the distinct ones. */
class Numbered<T extends string | readonly unknown[]> {
  readonly things: T[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(thing: T): number {
    const number = numberIn(this.#numbers, typeof thing === "string" ? thing : JSON.stringify(thing));
    if (number === this.things.length) this.things.push(thing);
    return number;
  }
}

/** Numbers the values of up to two fields. */
export class PropertyKeys extends Numbered<Properties> implements ChainKeys {
  readonly #groups = new Numbered<readonly string[]>();

  get keys(): Iterable<number> {
    return this.things.keys();
  }

  numberOfKey(key: number): number {
    return key;
  }

  groupsOf(key: number): readonly number[] {
    const combinations = (this.things[key] ?? []).reduce<string[][]>(
      (some, values) => some.flatMap((combination) => values.map((value) => [...combination, value])), [[]]);
    return combinations.map((values) => this.#groups.numberOf(values));
  }

  valuesOfGroup(group: number): readonly string[] {
    return this.#groups.things[group] ?? [];
  }
}
