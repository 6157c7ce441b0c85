import type { AxisScope, Extent } from "../../query/answer/insights/buckets.js";
import type { EntityLevel } from "../../query/plan/input.js";
import type { QueryScope, Operand } from "../../query/plan/plan.js";
import { companyOf } from "../query/companies.js";
import { Needs } from "../query/needs.js";
import { whereOf } from "../query/where.js";
import { anyOf, joined, name, sql, wholes, type Sql } from "../sql/sql.js";
import type { ReportContext } from "./report.js";
import type { KeyGroups } from "../../query/answer/insights/combinations.js";
import type { ChainKeys } from "../../query/answer/insights/funnel-answer.js";
import { foundOf, propertiesOf } from "../query/operand.js";

/** Rows with the `entity` they count for; rows without one are left out. */
export function entityRows(scopes: readonly QueryScope[], level: EntityLevel, columns: (are: readonly Sql[], needs: Needs) => Sql, context: ReportContext): Sql {
  const needs = new Needs(context);
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

/** SQL for `Properties`. */
export function propertiesColumn(fields: readonly Operand[], needs: Needs): Sql {
  if (fields.length === 0) return sql`CAST([], 'Array(Array(String))')`;
  return sql`[${joined(fields.map((field) => propertiesOf(foundOf(field, needs))), ", ")}]`;
}

/** Numbers things in order of arrival, from 0. Memory: the distinct ones. */
export class Numbered<T extends string | readonly unknown[]> {
  readonly things: T[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(thing: T): number {
    const name = typeof thing === "string" ? thing : JSON.stringify(thing);
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.things.length);
    return this.things.push(thing) - 1;
  }
}

/** Numbers texts: each is a group of its own. */
export class TextNumbers extends Numbered<string> implements KeyGroups {
  groupsOf(number: number): readonly number[] {
    return [number];
  }

  valuesOfGroup(number: number): readonly string[] {
    return [this.things[number] ?? ""];
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
