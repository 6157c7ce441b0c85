import type { AxisScope, Extent } from "../../query/answer/insights/buckets.js";
import type { EntityLevel } from "../../query/plan/insights/input.js";
import type { QueryScope, Operand } from "../../query/plan/plan.js";
import { companyOf } from "../query/companies.js";
import { Needs } from "../query/needs.js";
import { whereOf } from "../query/where.js";
import { anyOf, joined, name, sql, wholes, type Sql } from "../sql/sql.js";
import type { ReportContext } from "./report.js";
import type { ChainKeys } from "../../query/answer/insights/funnel-answer.js";
import { foundOf } from "../query/operand.js";
import { propertiesOf } from "../query/event-columns.js";

/** Rows with the `entity` they count for; rows without one are left out. */
export function entityRows(scopes: readonly QueryScope[], level: EntityLevel, columns: (are: readonly Sql[], needs: Needs) => Sql, asking: ReportContext): Sql {
  const needs = new Needs(asking);
  const who = needs.who();
  const company = level === "account" ? companyOf(needs) : sql`''`;
  const ofAccount = sql`multiIf(${company} != '', concat('c', ${company}), ${who} = '', '', concat('w', ${who}))`;
  const entity = level === "account" ? ofAccount : who;
  // Conditions may be long: each is written once.
  const are = scopes.map((_, at) => sql`${name(`is${at}`)}`);
  const tests = scopes.map((scope, at) => sql`(${whereOf(scope, null, needs)}) AS ${name(`is${at}`)}`);
  const selected = columns(are, needs);
  return sql`SELECT ${entity} AS entity, ms, ${joined(tests, ", ")}, ${selected} FROM ${needs.rows()} WHERE ${anyOf(are)} AND entity != ''`;
}

/** The first and last time of some rows; null without rows. @param rows with `ms` */
export async function extentOf(rows: Sql, { connection, signal }: ReportContext): Promise<Extent | null> {
  const statement = sql`SELECT min(ms), max(ms), count() FROM (${rows})`;
  const [[firstMs, lastMs, count] = [0, 0, 0]] = await connection.rows<[number, number, number]>(statement, signal);
  return count === 0 ? null : { firstMs, lastMs };
}

/** The same where a side of the range is open; otherwise the range determines the units. */
export async function openExtentOf(isOpen: AxisScope["isOpen"], rows: () => Sql, asking: ReportContext): Promise<Extent | null> {
  return isOpen.start || isOpen.end ? await extentOf(rows(), asking) : null;
}

/** The start of a row's unit. @param bounds starts of units, ascending; the first is no later than any row */
export function unitOf(bounds: readonly number[]): Sql {
  return sql`roundDown(toInt64(ms), ${wholes(bounds)})`;
}

/** For each field the values of a row. */
export type Properties = readonly (readonly string[])[];

/** SQL for `Properties`. */
export function propertiesColumn(fields: readonly Operand[], needs: Needs): Sql {
  if (fields.length === 0) return sql`CAST([], 'Array(Array(String))')`;
  return sql`[${joined(fields.map((field) => propertiesOf(foundOf(field, needs))), ", ")}]`;
}

/** Numbers the values of up to two fields in order of arrival. Memory: the distinct ones. */
export class PropertyKeys implements ChainKeys {
  readonly #keys = new Map<string, number>();
  readonly #properties: Properties[] = [];
  readonly #groups = new Map<string, number>();
  readonly #values: (readonly string[])[] = [];

  get keys(): Iterable<number> {
    return this.#properties.keys();
  }

  /** From 0. */
  numberOf(properties: Properties): number {
    const name = JSON.stringify(properties);
    const key = this.#keys.get(name) ?? this.#properties.push(properties) - 1;
    this.#keys.set(name, key);
    return key;
  }

  numberOfKey(key: number): number {
    return key;
  }

  groupsOf(key: number): readonly number[] {
    const combinations = (this.#properties[key] ?? []).reduce<string[][]>(
      (some, values) => some.flatMap((combination) => values.map((value) => [...combination, value])), [[]]);
    return combinations.map((values) => {
      const name = JSON.stringify(values);
      const group = this.#groups.get(name) ?? this.#values.push(values) - 1;
      this.#groups.set(name, group);
      return group;
    });
  }

  valuesOfGroup(group: number): readonly string[] {
    return this.#values[group] ?? [];
  }
}
