/* eslint-disable @typescript-eslint/no-non-null-assertion -- fields and places are bounded by their lists */
import type { ChainKeys } from "../../answer/insights/funnel-answer.js";
import { PairTable } from "../../base/pair-table.js";
import { KEY_SPAN, type RowKeys } from "../insights/row-keys.js";
import type { MatchPlace } from "./entity-matches.js";

/** Numbers the values of up to two fields under which entities stand, as they come. What is kept of rows has a key for each field by itself. */
export class BreakdownGroups implements ChainKeys {
  /** By number. */
  readonly #keys: number[] = [];
  readonly #numbers = new PairTable();

  constructor(readonly fields: readonly RowKeys[]) {}

  get keys(): Iterable<number> {
    return this.#keys;
  }

  /** The number of an event's key, from 0. */
  numberOf({ list, at }: MatchPlace): number {
    const [first, second] = [list.keys[0]?.[at] ?? 0, list.keys[1]?.[at] ?? 0];
    const number = this.#numbers.of(first, second, this.#keys.length + 1);
    if (number > this.#keys.length) this.#keys.push(this.fields.length > 1 ? first * KEY_SPAN + second : first);
    return number - 1;
  }

  numberOfKey(key: number): number {
    const [first, second] = this.fields.length > 1 ? [Math.floor(key / KEY_SPAN), key % KEY_SPAN] : [key, 0];
    return this.#numbers.numberOf(first, second) - 1;
  }

  groupsOf(key: number): readonly number[] {
    const [first, second] = this.fields;
    if (second === undefined) return first?.groupsOf(key) ?? [0];
    const others = second.groupsOf(key % KEY_SPAN);
    return first!.groupsOf(Math.floor(key / KEY_SPAN)).flatMap((group) => others.map((other) => group * KEY_SPAN + other));
  }

  valuesOfGroup(group: number): readonly string[] {
    const [first, second] = this.fields;
    if (second === undefined) return first?.valuesOfGroup(group) ?? [];
    return [...first!.valuesOfGroup(Math.floor(group / KEY_SPAN)), ...second.valuesOfGroup(group % KEY_SPAN)];
  }
}
