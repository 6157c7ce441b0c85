/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows, places and keys are bounded by their lists */
import { LIMITS } from "../../../core/base/limits.js";
import { PairTable } from "../../../core/base/pair-table.js";
import { uuidText } from "../../../core/base/uuid.js";
import type { CodeColumn } from "../../../storage/column/column.js";
import { FirstValue } from "../../filter/select.js";
import { tooManyCombinations, type KeyGroups } from "../../answer/insights/combinations.js";
import type { Operand } from "../../plan/plan.js";
import { ID_COLUMN } from "../../../core/schema/fields.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { valuesOf, type TextsOf, type AggregateValues } from "../aggregate/value-sources.js";
import type { RowContext } from "../form/report.js";

/** Exclusive upper bound of keys, so that two keys, or a key and an actor, fit in one exact number. */
export const KEY_SPAN = 2 ** 26;

/** The grouping of rows by values: each row has a key, and a key stands for one or more combinations of values. */
export interface RowKeys extends KeyGroups {
  readonly columns: readonly string[];
  /** Keys with the same name are the same in every query; null: they are specific to this query. */
  readonly name: string | null;
  /** The key of each selected row. @param selected ascending */
  keysOf(rows: Rows, selected: Uint32Array): Uint32Array;
}

export function valuesOfKey(keys: KeyGroups, key: number): (readonly string[])[] {
  return keys.groupsOf(key).map((group) => keys.valuesOfGroup(group));
}

/** Without fields, all rows belong to the single empty combination. */
const NO_FIELDS: RowKeys = {
  columns: [],
  name: "",
  keysOf: (_rows, selected) => new Uint32Array(selected.length),
  groupsOf: () => ONE_GROUP,
  valuesOfGroup: () => [],
};
const ONE_GROUP: readonly number[] = [0];

export function rowKeysOf(fields: readonly Operand[], context: RowContext): RowKeys {
  const [first, second] = fields;
  if (first === undefined) return NO_FIELDS;
  const keys = fieldKeys(first, context);
  return second === undefined ? keys : pairKeys(keys, fieldKeys(second, context));
}

/** @param textsOf as in `valuesOf` */
export function fieldKeys(field: Operand, context: RowContext, textsOf?: TextsOf): RowKeys {
  return field.kind === "id" ? idKeys() : valueKeys(valuesOf(field, context, textsOf));
}

/** A key combines a code with the index of the source that it comes from. */
function valueKeys({ sources, groupsOf, propertyOf }: AggregateValues): RowKeys {
  const placeCount = sources.length;
  const names = sources.map(({ name }) => name);
  return {
    columns: sources.flatMap(({ columns }) => columns),
    name: names.includes(null) ? null : names.join(),
    keysOf: (rows, selected) => {
      const columns = sources.map((source) => source.codesOf(rows, selected));
      return placeCount === 1 ? codesOf(columns[0]!, selected) : chainedKeys(columns, selected);
    },
    groupsOf: (key) => groupsOf(key % placeCount, Math.floor(key / placeCount)),
    valuesOfGroup: (group) => [propertyOf(group)],
  };
}

function codesOf(column: CodeColumn, selected: Uint32Array): Uint32Array {
  const keys = new Uint32Array(selected.length);
  if (column.kind === "sparse") {
    let next = 0;
    for (let at = 0; at < selected.length; at += 1) {
      while (next < column.rows.length && column.rows[next]! < selected[at]!) next += 1;
      if (column.rows[next] === selected[at]) keys[at] = column.codes[next]!;
    }
    return keys;
  }
  const { codes } = column;
  for (let at = 0; at < selected.length; at += 1) keys[at] = codes[selected[at]!]!;
  return keys;
}

function chainedKeys(columns: readonly CodeColumn[], selected: Uint32Array): Uint32Array {
  const value = new FirstValue(columns);
  return selected.map((row) => value.codeOf(row) * columns.length + value.place);
}

/** Ids have no dictionary: those of selected rows are numbered in order of occurrence. */
function idKeys(): RowKeys {
  const numbers = new Map<string, number>();
  const texts: string[] = [];
  return {
    columns: [ID_COLUMN],
    name: null,
    keysOf: (rows, selected) => {
      const ids = rows.ids();
      return selected.map((row) => {
        const text = uuidText(ids, row * 16);
        let number = numbers.get(text);
        if (number === undefined) numbers.set(text, (number = texts.push(text) - 1));
        return number;
      });
    },
    groupsOf: (key) => [key],
    valuesOfGroup: (group) => [texts[group] ?? ""],
  };
}

/** Numbers pairs of keys and pairs of groups in order of occurrence. */
function pairKeys(first: RowKeys, second: RowKeys): RowKeys {
  const pairs = new NumberedPairs();
  const groups = new NumberedPairs();
  return {
    columns: [...first.columns, ...second.columns],
    name: null,
    keysOf: (rows, selected) => {
      const [keys, others] = [first.keysOf(rows, selected), second.keysOf(rows, selected)];
      for (let at = 0; at < keys.length; at += 1) keys[at] = pairs.numberOf(keys[at]!, others[at]!);
      return keys;
    },
    groupsOf: (key) => {
      const others = second.groupsOf(pairs.secondOf(key));
      return first.groupsOf(pairs.firstOf(key)).flatMap((group) => others.map((other) => groups.numberOf(group, other)));
    },
    valuesOfGroup: (group) => [...first.valuesOfGroup(groups.firstOf(group)), ...second.valuesOfGroup(groups.secondOf(group))],
  };
}

class NumberedPairs {
  readonly #numbers = new PairTable();
  readonly #firsts: number[] = [];
  readonly #seconds: number[] = [];

  numberOf(first: number, second: number): number {
    const number = this.#numbers.of(first, second, this.#firsts.length + 1);
    if (number > this.#firsts.length) {
      if (this.#firsts.length === LIMITS.combinationCount) throw tooManyCombinations();
      this.#firsts.push(first);
      this.#seconds.push(second);
    }
    return number - 1;
  }

  firstOf(number: number): number {
    return this.#firsts[number]!;
  }

  secondOf(number: number): number {
    return this.#seconds[number]!;
  }
}
