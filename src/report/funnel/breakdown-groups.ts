/* eslint-disable @typescript-eslint/no-non-null-assertion -- fields and places are bounded by their lists */
import type { ChainKeys } from "../../answer/insights/funnel-answer.js";
import { KEY_SPAN, type RowKeys } from "../insights/row-keys.js";
import type { MatchPlace } from "./entity-matches.js";

/** Numbers the values of up to two fields under which entities stand, as they come. What is kept of rows has a key for each field by itself. */
export class BreakdownGroups implements ChainKeys {
  readonly #groups = new Map<number, number>();

  constructor(readonly fields: readonly RowKeys[]) {}

  get keys(): Iterable<number> {
    return this.#groups.keys();
  }

  /** The number of an event's key, from 0. */
  numberOf({ list, at }: MatchPlace): number {
    const key = this.fields.reduce((number, _, field) => number * KEY_SPAN + list.keys[field]![at]!, 0);
    let group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, (group = this.#groups.size));
    return group;
  }

  numberOfKey(key: number): number {
    return this.#groups.get(key)!;
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
