import type { ChainKeys } from "../../query/answer/insights/funnel-answer.js";
import type { Operand } from "../../query/plan/plan.js";
import type { Needs } from "../query/needs.js";
import { foundOf } from "../query/operand.js";
import { propertiesOf } from "../query/properties.js";
import { joined, sql, type Sql } from "../sql/sql.js";

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
