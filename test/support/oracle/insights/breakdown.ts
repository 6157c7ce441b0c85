import { parameterError } from "../../../../src/core/base/errors.js";
import type { BreakdownInput } from "../../../../src/query/plan/input.js";
import type { OracleEvent } from "../event.js";
import { fieldNameOf, fieldReader } from "../field.js";
import { byCodePoint, propertiesOf } from "../json.js";
import { remembered } from "../remembered.js";
import type { World } from "../world.js";

/** Under which values a thing stands: one or several combinations, each a value a field. */
export type Combinations<T> = (thing: T) => string[][];

/** What stands under one combination of values. */
export interface Group<T> {
  readonly values: readonly string[];
  readonly own: readonly T[];
}

/** The combinations of an event's values of the fields; without breakdown the one of no values. @throws invalid_parameter (a field twice) */
export function combinationsOf(world: World, breakdown: BreakdownInput | null | undefined): Combinations<OracleEvent> {
  const fields = breakdown?.fields ?? [];
  if (new Set(fields.map(fieldNameOf)).size < fields.length) throw parameterError("invalid_parameter", "breakdown.fields", "expected different fields");
  const readers = fields.map((field) => fieldReader(field, world));
  return remembered((event) => readers.reduce<string[][]>((combinations, read) => {
    return combinations.flatMap((values) => [...propertiesOf(read(event))].map((value) => [...values, value]));
  }, [[]]));
}

/** A group for each combination that there is. */
export function groupsOf<T>(things: readonly T[], combinations: Combinations<T>): Group<T>[] {
  const read = things.map((thing) => ({ thing, keys: combinations(thing).map((values) => JSON.stringify(values)) }));
  return [...new Set(read.flatMap(({ keys }) => keys))].map((key) => ({
    values: JSON.parse(key) as string[],
    own: read.filter(({ keys }) => keys.includes(key)).map(({ thing }) => thing),
  }));
}

/** What stands under at least one combination that is not shown, each thing once. */
export function restOf<T>(things: readonly T[], combinations: Combinations<T>, shown: readonly (readonly string[])[]): T[] {
  return things.filter((thing) => combinations(thing).some((values) => !shown.some((other) => byValues(values, other) === 0)));
}

/** Orders combinations by their values in the order of code points, the first field first. */
export function byValues(a: readonly string[], b: readonly string[]): number {
  return a.map((value, index) => byCodePoint(value, b[index] ?? "")).find((order) => order !== 0) ?? 0;
}

/** How many combinations are shown. */
export function shownCount(breakdown: BreakdownInput): number {
  return breakdown.limit ?? 25;
}
